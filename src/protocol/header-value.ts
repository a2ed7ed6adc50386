/**
 * Values of the mirrored headers `Mcp-Name` and `Mcp-Param-*`: reading their base64 form and comparing them with the
 * body. 2026-07-28, Streamable HTTP, "Value encoding" and "Custom headers from tool parameters".
 */
import { fromBase64 } from '../support/base64.js'

const PREFIX = '=?base64?'
const SUFFIX = '?='

const NOT_VISIBLE = /[^\t -~]/
const PLAIN_DECIMAL = /^-?\d+(?:\.\d+)?$/
const WHOLE_DECIMAL = /^-?\d+(?:\.0+)?$/

/**
 * The text that a header carries, without surrounding whitespace and out of its base64 wrapper if it has one.
 * `undefined` when malformed (characters that are not visible ASCII, space or tab; lenient base64; invalid UTF-8),
 * which the caller answers with HTTP 400 and -32020. Half a wrapper, or one in other letters, is literal text.
 */
export function decodeHeaderValue(raw: string): string | undefined {
  if (NOT_VISIBLE.test(raw)) return undefined
  const text = trimBlanks(raw)
  const wrapped =
    text.length >= PREFIX.length + SUFFIX.length && text.startsWith(PREFIX) && text.endsWith(SUFFIX)
  if (!wrapped) return text
  const bytes = fromBase64(text.slice(PREFIX.length, -SUFFIX.length))
  return bytes && decodeUtf8(bytes)
}

/** Without the blanks that HTTP allows around a value: spaces and tabs, nothing else. */
export function trimBlanks(raw: string): string {
  let start = 0
  let end = raw.length
  while (start < end && isBlank(raw, start)) start++
  while (end > start && isBlank(raw, end - 1)) end--
  return raw.slice(start, end)
}

/**
 * The value of a header that a client or a proxy sent several times, which HTTP joins: `X, X` is `X`. Different values
 * stay joined, so they equal none that is known. Only for values without commas of their own. Gateways filter on
 * `Mcp-Method` and `Mcp-Name`, so those have to be exact.
 */
export function sameValue(raw: string): string {
  const text = trimBlanks(raw)
  if (!text.includes(',')) return text
  const [first, ...others] = text.split(',').map(trimBlanks)
  return first !== undefined && others.every((other) => other === first) ? first : text
}

function isBlank(text: string, index: number): boolean {
  return text[index] === ' ' || text[index] === '\t'
}

/**
 * Whether a header repeats an argument of the body: strings exactly, booleans as `true` or `false`, numbers by value in
 * plain decimal syntax (`42.0` equals `42`). A malformed header and any other kind of argument match nothing.
 */
export function matchesHeader(value: unknown, raw: string): boolean {
  const text = decodeHeaderValue(raw)
  if (text === undefined) return false
  if (typeof value === 'number') return matchesNumber(value, text)
  return (typeof value === 'string' || typeof value === 'boolean') && String(value) === text
}

function matchesNumber(value: number, text: string): boolean {
  // A fraction too small for a double would vanish in `Number` and pass for an integer.
  const syntax = Number.isInteger(value) ? WHOLE_DECIMAL : PLAIN_DECIMAL
  return syntax.test(text) && Number(text) === value
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
