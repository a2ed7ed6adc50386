/** Finds the user that the option `prepare` has set on an inner request. */

import type { IncomingMessage } from 'node:http'
import { toolCallOf } from './tool-call.js'

/**
 * Whether `prepare` has set `user` on Node's request. Frameworks with their own request type don't look for it there.
 */
export function hasPreparedUser(
  request: IncomingMessage,
): request is IncomingMessage & { readonly user: unknown } {
  return toolCallOf(request) !== undefined && Object.hasOwn(request, 'user')
}
