/** Maps errors of the app's body parsers to the JSON-RPC errors that the endpoint itself would return. */

import { ErrorCode, McpError } from '../../src/adapter.js'

interface ParserError {
  readonly type?: string
  readonly code?: string
  readonly status?: number
  readonly limit?: number
}

type ErrorMapping = readonly [status: number, code: ErrorCode, message: (error: ParserError) => string]

/** JSON-RPC errors by the `type` that body-parser and similar packages set on their errors. */
const mappings: Readonly<Record<string, ErrorMapping>> = {
  'entity.parse.failed': [400, ErrorCode.ParseError, () => 'Parse error: the body is not JSON'],
  'entity.too.large': [
    413,
    ErrorCode.InvalidRequest,
    ({ limit }) =>
      `The body is larger than ${limit ?? 'the limit'} bytes, the limit of the app's own body parser; raise that limit, or mount the endpoint in front of the parser`,
  ],
  'encoding.broken': [
    400,
    ErrorCode.ParseError,
    () => "Parse error: the body doesn't match its Content-Encoding",
  ],
  'encoding.unsupported': [415, ErrorCode.InvalidRequest, () => 'Unsupported content encoding'],
  'charset.unsupported': [415, ErrorCode.InvalidRequest, () => 'Unsupported charset: expected UTF-8'],
  'request.size.invalid': [
    400,
    ErrorCode.InvalidRequest,
    () => "The length of the body doesn't match its Content-Length",
  ],
  'request.aborted': [400, ErrorCode.InvalidRequest, () => 'The client disconnected while sending the body'],
  'parameters.too.many': [413, ErrorCode.InvalidRequest, () => 'Too many parameters'],
  'stream.encoding.set': [
    400,
    ErrorCode.ParseError,
    () => 'Parse error: the body was read with another encoding',
  ],
  'entity.verify.failed': [403, ErrorCode.InvalidRequest, () => 'The body was rejected by the app'],
  'stream.not.readable': [
    400,
    ErrorCode.ParseError,
    () => 'Parse error: the body was already read when the body parser ran',
  ],
}

/** Returns the error for a body parser's error. `undefined` for any other error. */
export function parserFailure(error: unknown): McpError | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { type, code: cause } = error as ParserError
  // Decompression errors have no `type`.
  const key = typeof cause === 'string' && cause.startsWith('Z_') ? 'encoding.broken' : type
  const row = typeof key === 'string' && Object.hasOwn(mappings, key) ? mappings[key] : undefined
  if (row === undefined) return undefined
  const [status, code, message] = row
  return new McpError(code, message(error as ParserError), undefined, { status }, true)
}
