/** Recognises and builds JSON-RPC messages as MCP narrows them: integer or string ids, named params. */

import { ErrorCode, type McpError, refusal } from '../errors/errors.js'
import { describe, isObject } from '../support/values.js'
import type {
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  Params,
  RequestId,
  Result,
} from './types.js'

export type Message =
  | { readonly kind: 'request'; readonly request: JsonRpcRequest }
  | { readonly kind: 'notification'; readonly notification: JsonRpcNotification }
  | { readonly kind: 'response'; readonly answer: PostedAnswer }
  | { readonly kind: 'invalid'; readonly id: RequestId | undefined; readonly error: McpError }

/** A client's response to a request of the server, unchecked. */
export interface PostedAnswer {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

/** Classifies one parsed JSON value. Never throws. */
export function readMessage(value: unknown): Message {
  if (!isObject(value)) return invalid(undefined, `expected a JSON-RPC object, got ${describe(value)}`)
  const id = isRequestId(value.id) ? value.id : undefined
  if (value.jsonrpc !== '2.0') return invalid(id, `expected "jsonrpc": "2.0", got ${describe(value.jsonrpc)}`)
  if (value.method === undefined && ('result' in value || 'error' in value)) {
    return { kind: 'response', answer: value as unknown as PostedAnswer }
  }
  if (typeof value.method !== 'string')
    return invalid(id, `expected a method name, got ${describe(value.method)}`)
  if (value.params !== undefined && !isObject(value.params)) {
    return invalid(id, `expected params to be an object, got ${describe(value.params)}`)
  }
  if (value.id === undefined) {
    return { kind: 'notification', notification: value as unknown as JsonRpcNotification }
  }
  if (id === undefined) return invalid(id, wrongId(value.id))
  return { kind: 'request', request: value as unknown as JsonRpcRequest }
}

export function response(id: RequestId, result: Result): JsonRpcResponse {
  return { jsonrpc: '2.0', id, result }
}

/** Creates an error response. Omits an unreadable id, because MCP's schemas don't allow `null`. */
export function errorResponse(id: RequestId | undefined, error: McpError): JsonRpcResponse {
  const { code, message, data } = error
  const body = data === undefined ? { code, message } : { code, message, data }
  return id === undefined ? { jsonrpc: '2.0', error: body } : { jsonrpc: '2.0', id, error: body }
}

export function notification(method: string, params: Params): JsonRpcNotification {
  return { jsonrpc: '2.0', method, params }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

function wrongId(id: unknown): string {
  return Number.isInteger(id)
    ? `expected an integer id to be at most ${Number.MAX_SAFE_INTEGER} in size, got ${id}; send a larger one as a string`
    : `expected the id to be a string or an integer, got ${describe(id)}`
}

function invalid(id: RequestId | undefined, message: string): Message {
  const error = refusal(ErrorCode.InvalidRequest, `Invalid request: ${message}`, { status: 400 })
  return { kind: 'invalid', id, error }
}
