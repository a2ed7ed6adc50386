/** The two ways in which a verifier refuses: the token is at fault, or the verdict cannot be had. */

import { ErrorCode, McpError } from '../../src/adapter.js'

const retryAfterSec = '5'
/** Beyond what servers take as a header. */
const longestToken = 16 * 1024

/** 401: `reason` goes into the challenge, so it never repeats what came. */
export function invalidToken(reason: string): McpError {
  return new McpError(ErrorCode.Unauthorized, reason, undefined, { status: 401 }, true)
}

/** 503: nothing is known of the token. The cause is for the log, never for the client. */
export function unavailable(cause: unknown): McpError {
  const hints = { status: 503, headers: { 'Retry-After': retryAfterSec } }
  const message = 'The access token cannot be checked at the moment'
  const error = new McpError(ErrorCode.InternalError, message, undefined, hints, true)
  error.cause = cause
  return error
}

/** Before anything reads it, or sends it on. */
export function refuseLong(token: string): void {
  if (token.length > longestToken) throw invalidToken('The token is too long')
}
