/** Reads request params; what does not fit is -32602 and says what was expected. */

import { ErrorCode, type McpError, refusal } from '../errors/errors.js'
import { describe, isObject } from '../support/values.js'
import type { Meta, Params } from './types.js'

export function invalidParams(message: string, data?: unknown): McpError {
  return refusal(ErrorCode.InvalidParams, `Invalid params: ${message}`, { data })
}

/** Names and URIs are looked up, matched and echoed: none is longer in earnest. */
const longest = 8_192

export function stringParam(params: Params, key: string): string {
  const value = params[key]
  if (typeof value !== 'string') throw invalidParams(`expected ${key} to be a string, got ${describe(value)}`)
  if (value.length > longest) {
    throw invalidParams(`expected ${key} to have at most ${longest} characters, got ${value.length}`)
  }
  return value
}

export function optionalString(params: Params, key: string): string | undefined {
  return params[key] === undefined ? undefined : stringParam(params, key)
}

/** An absent object is an empty one. */
export function objectParam(params: Params, key: string): Record<string, unknown> {
  const value = params[key]
  if (value === undefined) return {}
  if (!isObject(value))
    throw invalidParams(`expected ${key} to be an object, got ${describe(value)}${hintFor(value)}`)
  return value
}

/** Some clients send the JSON text of an object, or null for none. */
function hintFor(value: unknown): string {
  if (value === null) return '; leave it out instead of null'
  const isText = typeof value === 'string' && /^\s*\{/.test(value)
  return isText ? '; send the object itself, not its JSON text' : ''
}

/** The string map that prompts and completion travel with. */
export function stringsParam(params: Params, key: string): Record<string, string> {
  const map = objectParam(params, key)
  for (const name of Object.keys(map)) {
    if (typeof map[name] !== 'string')
      throw invalidParams(`expected ${key}[${describe(name)}] to be a string, got ${describe(map[name])}`)
  }
  return map as Record<string, string>
}

/** The key by which a request says its revision. */
export const versionKey = 'io.modelcontextprotocol/protocolVersion'

export function metaOf(params: unknown): Meta | undefined {
  const meta = isObject(params) ? params._meta : undefined
  return isObject(meta) ? meta : undefined
}
