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
 * Returns the text of a header, without surrounding whitespace, and decoded if it's wrapped base64. `undefined` when it's
 * malformed (characters other than visible ASCII, space or tab; lenient base64; invalid UTF-8), which the caller answers
 * with HTTP 400 and -32020. An incomplete wrapper, or one in other case, is literal text.
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

/** Removes the whitespace that HTTP allows around a value: spaces and tabs only. */
export function trimBlanks(raw: string): string {
  let start = 0
  let end = raw.length
  while (start < end && isBlank(raw, start)) start++
  while (end > start && isBlank(raw, end - 1)) end--
  return raw.slice(start, end)
}

/**
 * Returns the value of a header that was sent several times with the same value, which HTTP joins: `X, X` is `X`. Different
 * values stay joined, so they match no known value. Only for values without commas. Not for `Mcp-Method` and `Mcp-Name`:
 * gateways filter on them, so they have to be exact.
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
 * Whether a header equals an argument of the body: strings exactly, booleans as `true` or `false`, numbers by value in
 * plain decimal syntax (`42.0` equals `42`). Malformed headers and other types never match.
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
