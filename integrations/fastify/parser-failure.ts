/** What Fastify and its plugins throw over a body on our path, as the JSON-RPC errors that we would have answered. */

import { ErrorCode, McpError } from '../../src/adapter.js'

type Row = readonly [status: number, code: ErrorCode, message: string]

const notDecoded: Row = [
  400,
  ErrorCode.ParseError,
  'Parse error: the body is not encoded as Content-Encoding says',
]
const notJson: Row = [400, ErrorCode.ParseError, 'Parse error: the body is not JSON']

/** By the `code` of the error. */
const rows: Readonly<Record<string, Row>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    415,
    ErrorCode.InvalidRequest,
    'Unsupported media type: expected application/json in UTF-8',
  ],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: [
    415,
    ErrorCode.InvalidRequest,
    'Unsupported media type: expected application/json in UTF-8',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    413,
    ErrorCode.InvalidRequest,
    "The body is larger than the limit of the app's own hooks",
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    400,
    ErrorCode.InvalidRequest,
    'The body is not as long as Content-Length says',
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: notJson,
  FST_ERR_CTP_INVALID_JSON_BODY: notJson,
  FST_CP_ERR_INVALID_CONTENT: notDecoded,
  FST_CP_ERR_INVALID_CONTENT_ENCODING: [415, ErrorCode.InvalidRequest, 'Unsupported content encoding'],
}

/** `undefined` for every error that is not a parser's. */
export function parserFailure(error: unknown): McpError | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code: cause } = error as { code?: unknown }
  if (typeof cause !== 'string') return undefined
  // Errors of zlib itself.
  const row = cause.startsWith('Z_') ? notDecoded : Object.hasOwn(rows, cause) ? rows[cause] : undefined
  if (row === undefined) return undefined
  const [status, code, message] = row
  return new McpError(code, message, undefined, { status }, true)
}
