/** Reads a request's body as JSON, within limits. */

import { ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import { whenReady } from '../../support/maybe-promise.js'
import { describe } from '../../support/values.js'
import type { HttpRequest, RequestBody } from './shapes.js'

export interface BodyLimits extends Depths {
  /** Maximum size in bytes. Default 4 MiB. */
  readonly maxBodyBytes: number
}

export interface Depths {
  /** Maximum nesting depth of arrays and objects. Default 64. */
  readonly maxDepth: number
  /** Maximum number of elements and members of all arrays and objects together. Default 100,000. */
  readonly maxElements: number
}

/** Fills in the defaults of limits. */
export function bodyLimits({
  maxBodyBytes = 4 * 1024 * 1024,
  maxDepth = 64,
  maxElements = 100_000,
}: { readonly [Name in keyof BodyLimits]?: number | undefined }): BodyLimits {
  return { maxBodyBytes, maxDepth, maxElements }
}

/** Reads a body as JSON. Returns a promise if the body hasn't arrived yet. Throws 415, 413 and 400. */
export function readJson(request: HttpRequest, limits: BodyLimits): unknown {
  const type = request.header('content-type')
  if (type !== 'application/json' && !isJson(type)) {
    throw unsupported(`expected application/json in UTF-8, got ${describe(type)}`)
  }
  return whenReady(request.readBody(limits.maxBodyBytes), checkedValue, limits)
}

function checkedValue(body: RequestBody, limits: BodyLimits): unknown {
  switch (body.kind) {
    case 'tooLarge':
      throw tooLarge(limits.maxBodyBytes)
    case 'gone':
      throw refusal(
        ErrorCode.ParseError,
        'Parse error: other code read the body before the MCP endpoint and did not keep it; mount the endpoint before that code',
        { status: 400 },
      )
    case 'encoded':
      throw unsupported(`expected an uncompressed body, got ${describe(body.encoding)}`)
    case 'broken':
      throw refusal(ErrorCode.InvalidRequest, 'The client disconnected before it had sent the whole body', {
        status: 400,
      })
    case 'text':
      return readText(body.text, limits)
    case 'parsed':
      return withinLimits(body.value, limits)
  }
}

export function tooLarge(maxBodyBytes: number, what = 'the body'): McpError {
  return refusal(
    ErrorCode.InvalidRequest,
    `${what[0]?.toUpperCase()}${what.slice(1)} is larger than ${maxBodyBytes} bytes (\`maxBodyBytes\`)`,
    { status: 413 },
  )
}

export function parseError(what = 'the body'): McpError {
  return refusal(ErrorCode.ParseError, `Parse error: ${what} is not JSON`, { status: 400 })
}

function unsupported(message: string): McpError {
  return refusal(ErrorCode.InvalidRequest, `Unsupported media type: ${message}`, { status: 415 })
}

function isJson(type: string | undefined): boolean {
  if (type === undefined || !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type.trim())) return false
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1]
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)
}

/** Parses JSON within limits. `what` names the text in error messages. Throws 400. */
export function readText(source: string, limits: Depths, what = 'the body'): unknown {
  // RFC 8259, section 8.1: parsers may ignore a byte order mark. Body parsers of all frameworks do.
  const text = source.startsWith('\ufeff') ? source.slice(1) : source
  const isWithin = text.length > maxUnscannedLength && scan(text, limits, what)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw parseError(what)
  }
  return isWithin ? value : withinLimits(value, limits, what)
}

/** Parsing a shorter text takes a few milliseconds at worst; 4 MiB of opening brackets take more than a second. */
const maxUnscannedLength = 64 * 1024

const [quote, backslash, comma, leftBracket, leftBrace, rightBracket, rightBrace] = [...'"\\,[{]}'].map(
  (character) => character.charCodeAt(0),
)

/**
 * Throws for a text that certainly exceeds the limits, before the parser allocates anything. Returns true if the text is
 * certainly within the limits, and false if that's uncertain.
 */
function scan(text: string, limits: Depths, what: string): boolean {
  const { maxDepth, maxElements } = limits
  let depth = 0
  let containers = 0
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case leftBracket:
      case leftBrace:
        depth += 1
        containers += 1
        if (depth > maxDepth) throw tooDeep(limits, what)
        if (containers - 1 > maxElements) throw tooMany(limits, what) // all but the root are elements
        break
      case rightBracket:
      case rightBrace:
        depth -= 1
        break
      case comma:
        commas += 1
        if (commas > maxElements) throw tooMany(limits, what)
        break
    }
  }
  return commas + containers <= maxElements // a container has one element more than commas, if any
}

/** The index of the closing quote, or the text's length without one. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1
  return backslashes % 2 === 1
}

/** Returns `value` if it's within the limits, so that later code can't be overloaded by deep or large values. Throws 400. */
function withinLimits(value: unknown, limits: Depths, what = 'the body'): unknown {
  if (elementsIn(value, 0, limits, what) > limits.maxElements) throw tooMany(limits, what)
  return value
}

/** Counts the elements of a value. Throws as soon as a limit is exceeded. */
function elementsIn(value: unknown, depth: number, limits: Depths, what: string): number {
  if (typeof value !== 'object' || value === null) return 0
  const { maxDepth, maxElements } = limits
  if (depth >= maxDepth) throw tooDeep(limits, what)
  let elements = 0
  if (Array.isArray(value)) {
    elements = value.length
    if (elements > maxElements) throw tooMany(limits, what)
    for (const item of value) elements += elementsIn(item, depth + 1, limits, what)
  } else {
    for (const key in value)
      elements += 1 + elementsIn((value as Record<string, unknown>)[key], depth + 1, limits, what)
  }
  if (elements > maxElements) throw tooMany(limits, what)
  return elements
}

function tooDeep({ maxDepth }: Depths, what: string): McpError {
  return exceeded(what, `more than ${maxDepth} levels deep (\`maxDepth\`)`)
}

function tooMany({ maxElements }: Depths, what: string): McpError {
  return exceeded(what, `more than ${maxElements} elements (\`maxElements\`)`)
}

function exceeded(what: string, message: string): McpError {
  return refusal(ErrorCode.InvalidRequest, `Invalid request: ${what} is ${message}`, { status: 400 })
}
