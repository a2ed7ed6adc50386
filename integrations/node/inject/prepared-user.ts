/** Who calls, where the option `prepare` has said so on the inner request. */

import type { IncomingMessage } from 'node:http'
import { toolCallOf } from './tool-call.js'

/** Frameworks with a request of their own look for the user there, and not on Node's. */
export function hasPreparedUser(
  request: IncomingMessage,
): request is IncomingMessage & { readonly user: unknown } {
  return toolCallOf(request) !== undefined && Object.hasOwn(request, 'user')
}
