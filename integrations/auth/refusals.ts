/** The errors that a verifier rejects with: 401 for an invalid token, 503 if the token can't be checked. */

import { ErrorCode, McpError } from '../../src/adapter.js'

const retryAfterSec = '5'
/** More characters than servers accept in a header. */
const maxTokenLength = 16 * 1024

/** Creates the 401. `reason` goes into the challenge, so it must never contain parts of the token. */
export function invalidToken(reason: string): McpError {
  return new McpError(ErrorCode.Unauthorized, reason, undefined, { status: 401 }, true)
}

/** Creates the 503. The cause is logged and never sent to the client. */
export function unavailable(cause: unknown): McpError {
  const hints = { status: 503, headers: { 'Retry-After': retryAfterSec } }
  const message = 'The access token cannot be checked at the moment'
  const error = new McpError(ErrorCode.InternalError, message, undefined, hints, true)
  error.cause = cause
  return error
}

/** Rejects an oversized token before it's parsed or sent on. @throws a 401 */
export function assertTokenLength(token: string): void {
  if (token.length > maxTokenLength) throw invalidToken('The token is too long')
}
