/** What body parsers of the app throw on our path, as the JSON-RPC errors that we would have answered ourselves. */

import { ErrorCode, McpError } from '../../src/adapter.js'

interface ParserError {
  readonly type?: string
  readonly code?: string
  readonly status?: number
  readonly limit?: number
}

type Row = readonly [status: number, code: ErrorCode, message: (error: ParserError) => string]

/** By the `type` that body-parser and its kin put on their errors. */
const rows: Readonly<Record<string, Row>> = {
  'entity.parse.failed': [400, ErrorCode.ParseError, () => 'Parse error: the body is not JSON'],
  'entity.too.large': [
    413,
    ErrorCode.InvalidRequest,
    ({ limit }) =>
      `The body is larger than ${limit ?? 'the limit'} bytes, which the app's own body parser allows; raise its limit or mount the endpoint before it`,
  ],
  'encoding.broken': [
    400,
    ErrorCode.ParseError,
    () => 'Parse error: the body is not encoded as Content-Encoding says',
  ],
  'encoding.unsupported': [415, ErrorCode.InvalidRequest, () => 'Unsupported content encoding'],
  'charset.unsupported': [415, ErrorCode.InvalidRequest, () => 'Unsupported charset: expected UTF-8'],
  'request.size.invalid': [
    400,
    ErrorCode.InvalidRequest,
    () => 'The body is not as long as Content-Length says',
  ],
  'request.aborted': [400, ErrorCode.InvalidRequest, () => 'The client left while it was sending'],
  'parameters.too.many': [413, ErrorCode.InvalidRequest, () => 'Too many parameters'],
  'stream.encoding.set': [
    400,
    ErrorCode.ParseError,
    () => 'Parse error: the body was read with another encoding',
  ],
  'entity.verify.failed': [403, ErrorCode.InvalidRequest, () => 'The body was refused by the app'],
  'stream.not.readable': [
    400,
    ErrorCode.ParseError,
    () => 'Parse error: the body was read before its parser came',
  ],
}

/** `undefined` for every error that is not a parser's. */
export function parserFailure(error: unknown): McpError | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { type, code: cause } = error as ParserError
  // Errors of the decompressor have no type.
  const key = typeof cause === 'string' && cause.startsWith('Z_') ? 'encoding.broken' : type
  const row = typeof key === 'string' && Object.hasOwn(rows, key) ? rows[key] : undefined
  if (row === undefined) return undefined
  const [status, code, message] = row
  return new McpError(code, message(error as ParserError), undefined, { status }, true)
}
