/** Maps errors of Fastify and its plugins for a body to the JSON-RPC errors that the endpoint itself would return. */

import { ErrorCode, McpError } from '../../src/adapter.js'

type ErrorMapping = readonly [status: number, code: ErrorCode, message: string]

const notDecoded: ErrorMapping = [
  400,
  ErrorCode.ParseError,
  "Parse error: the body doesn't match its Content-Encoding",
]
const notJson: ErrorMapping = [400, ErrorCode.ParseError, 'Parse error: the body is not JSON']

/** JSON-RPC errors by the `code` of the error. */
const mappings: Readonly<Record<string, ErrorMapping>> = {
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
    "The body is larger than the limit that the app's own hooks set",
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    400,
    ErrorCode.InvalidRequest,
    "The length of the body doesn't match its Content-Length",
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: notJson,
  FST_ERR_CTP_INVALID_JSON_BODY: notJson,
  FST_CP_ERR_INVALID_CONTENT: notDecoded,
  FST_CP_ERR_INVALID_CONTENT_ENCODING: [415, ErrorCode.InvalidRequest, 'Unsupported content encoding'],
}

/** Returns the error for a body parser's error. `undefined` for any other error. */
export function parserFailure(error: unknown): McpError | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code: cause } = error as { code?: unknown }
  if (typeof cause !== 'string') return undefined
  // zlib's own error codes begin with `Z_`.
  const row = cause.startsWith('Z_')
    ? notDecoded
    : Object.hasOwn(mappings, cause)
      ? mappings[cause]
      : undefined
  if (row === undefined) return undefined
  const [status, code, message] = row
  return new McpError(code, message, undefined, { status }, true)
}
