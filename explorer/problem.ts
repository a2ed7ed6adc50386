/** Turns errors into messages for the user. */

import { HttpFailure } from '../integrations/cli/client/http-failure.js'

export function problemOf(error: unknown): string {
  if (error instanceof HttpFailure && error.status === 401)
    return 'The server wants to know who you are: sign in.'
  return error instanceof Error ? error.message : String(error)
}
