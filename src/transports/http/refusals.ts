/** Error responses to requests that never became a JSON-RPC message. */

import { brandOf, ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import { errorResponse } from '../../protocol/jsonrpc.js'
import type { Core } from '../../server/core.js'
import { jsonText } from '../../support/long-numbers.js'
import { reportHostFault } from '../../tracing/error-report.js'
import type { HttpRequest, HttpResponse } from './shapes.js'

/** Returns an `McpError` as it is. Any other error comes from the app's callbacks: logs it and returns a masked error. */
export function toRefusal(core: Core, { method }: HttpRequest, error: unknown): McpError {
  if (brandOf(error) === 'mcp') {
    const refused = error as McpError
    if (refused.http?.status === 403) core.log.request.warn(refused.message)
    return refused
  }
  reportHostFault(core, error, method)
  return refusal(ErrorCode.InternalError, 'Internal error', { status: 500 })
}

/** The error response: a JSON-RPC error without an id. */
export function refusalResponse(error: McpError): HttpResponse {
  const { status = 400, headers = {} } = error.http ?? {}
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: jsonText(errorResponse(undefined, error)),
  }
}

/** A 405 error with the allowed methods. */
export function notAllowed(allow: string, method: string): McpError {
  return refusal(ErrorCode.InvalidRequest, `Method not allowed: expected ${allow}, got ${method}`, {
    status: 405,
    headers: { Allow: allow },
  })
}
