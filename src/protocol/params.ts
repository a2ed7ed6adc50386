/** Reads request params. Invalid ones are -32602 with the expected type. */

import { ErrorCode, type McpError, refusal } from '../errors/errors.js'
import { describe, isObject } from '../support/values.js'
import type { Meta, Params } from './types.js'

export function invalidParams(message: string, data?: unknown): McpError {
  return refusal(ErrorCode.InvalidParams, `Invalid params: ${message}`, { data })
}

/** The longest name or URI. Characters. */
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

/** Reads an object; empty if absent. */
export function objectParam(params: Params, key: string): Record<string, unknown> {
  const value = params[key]
  if (value === undefined) return {}
  if (!isObject(value))
    throw invalidParams(`expected ${key} to be an object, got ${describe(value)}${hintFor(value)}`)
  return value
}

/** A hint for clients that send the JSON text of an object, or null for none. */
function hintFor(value: unknown): string {
  if (value === null) return '; leave it out instead of null'
  const isText = typeof value === 'string' && /^\s*\{/.test(value)
  return isText ? '; send the object itself, not its JSON text' : ''
}

/** Reads an object of strings, as prompts and completion have. */
export function stringsParam(params: Params, key: string): Record<string, string> {
  const map = objectParam(params, key)
  for (const name of Object.keys(map)) {
    if (typeof map[name] !== 'string')
      throw invalidParams(`expected ${key}[${describe(name)}] to be a string, got ${describe(map[name])}`)
  }
  return map as Record<string, string>
}

/** The key of the protocol version in `_meta`. */
export const versionKey = 'io.modelcontextprotocol/protocolVersion'

export function metaOf(params: unknown): Meta | undefined {
  const meta = isObject(params) ? params._meta : undefined
  return isObject(meta) ? meta : undefined
}
