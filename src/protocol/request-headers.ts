/** Checks the headers that repeat the body (2026-07-28, Streamable HTTP, Request headers). A mismatch is -32020. */

import { ErrorCode, refusal } from '../errors/errors.js'
import { describe, valueAt } from '../support/values.js'
import { decodeHeaderValue, matchesHeader, sameValue, trimBlanks } from './header-value.js'
import { metaOf, versionKey } from './params.js'
import type { JsonRpcNotification, JsonRpcRequest } from './types.js'

/** The parameter that `Mcp-Name` repeats, by method. Other methods have no such header. */
export const nameKeys: ReadonlyMap<string, NameKey> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

export type NameKey = 'name' | 'uri' | 'taskId'

/** The headers of a message, if its transport has any. */
export interface Headers {
  /** Returns one header by its lower-case name. */
  header(name: string): string | undefined
}

export interface RequestHeaders {
  readonly headers: Headers | undefined
  /** The key in `params` that `Mcp-Name` repeats for this method. */
  readonly nameKey: string | undefined
}

export function mismatch(message: string): Error {
  return refusal(ErrorCode.HeaderMismatch, `Header mismatch: ${message}`, { status: 400 })
}

/** Checks the version header against the body, before the version itself. `checkRequestHeaders` refuses a missing one. */
export function checkVersion(version: unknown, { headers }: Pick<RequestHeaders, 'headers'>): void {
  const mirrored = headers?.header('mcp-protocol-version')
  if (mirrored === undefined || sameValue(mirrored) === version) return
  throw mismatch(`MCP-Protocol-Version is ${describe(mirrored)}, but _meta says ${describe(version)}`)
}

/** Checks that `MCP-Protocol-Version`, `Mcp-Method` and, for some methods, `Mcp-Name` are present and match the body. */
export function checkRequestHeaders(request: JsonRpcRequest, { headers, nameKey }: RequestHeaders): void {
  if (headers === undefined) return
  if (headers.header('mcp-protocol-version') === undefined) {
    throw mismatch('expected the header MCP-Protocol-Version')
  }
  if (headers.header('mcp-method') === undefined) throw mismatch('expected the header Mcp-Method')
  checkMethod(request.method, headers)
  if (nameKey !== undefined) checkName(nameKey, request.params?.[nameKey], headers)
}

/** Checks the headers of a 2026-07-28 notification. None is required, but those present must match the body. */
export function checkNotification({ method, params }: JsonRpcNotification, headers: Headers): void {
  const version = metaOf(params)?.[versionKey]
  if (version !== undefined) checkVersion(version, { headers })
  checkMethod(method, headers)
}

function checkMethod(method: string, headers: Headers): void {
  const mirrored = headers.header('mcp-method')
  if (mirrored === undefined || trimBlanks(mirrored) === method) return
  throw mismatch(`Mcp-Method is ${describe(mirrored)}, but the body says ${describe(method)}`)
}

function checkName(key: string, said: unknown, headers: Headers): void {
  if (said !== undefined && typeof said !== 'string') {
    const message = `Invalid params: expected ${key} to be a string, got ${describe(said)}`
    throw refusal(ErrorCode.InvalidParams, message, { status: 400 })
  }
  const raw = headers.header('mcp-name')
  if (raw === undefined) throw mismatch('expected the header Mcp-Name')
  const name = decodeHeaderValue(raw)
  if (name === undefined) {
    throw mismatch('Mcp-Name is not readable: expected visible ASCII or canonical base64')
  }
  if (name !== said) throw mismatch(`Mcp-Name is ${describe(name)}, but the body says ${describe(said)}`)
}

/** Checks that `Mcp-Param-*` headers repeat the arguments annotated with `x-mcp-header` (2026-07-28, Custom headers from tool parameters). */
export function checkHeaderParameters(
  parameters: readonly HeaderParameter[],
  args: Record<string, unknown>,
  headers: Headers,
): void {
  for (const { header, path } of parameters) {
    const raw = headers.header(header)
    const value = valueAt(args, path)
    const name = path.join('.')
    if (value === undefined || value === null) {
      // Not ignored, because a proxy may have routed by it.
      if (raw !== undefined) throw mismatch(`${header} is there, but the argument ${name} is not`)
    } else if (raw === undefined) {
      throw mismatch(`expected the header ${header}, which repeats the argument ${name}`)
    } else if (!matchesHeader(value, raw)) {
      throw mismatch(`${header} does not say what the argument ${name} says`)
    }
  }
}

export interface HeaderParameter {
  /** Lower-case: `mcp-param-region`. */
  readonly header: string
  /** The path of the argument: `['target', 'region']`. */
  readonly path: string[]
}
