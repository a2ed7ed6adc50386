/** `visible` of definitions: asked whenever a caller may learn of one. */

import type { RequestInfo } from '../definitions/context.js'
import type { Entry } from '../definitions/entries.js'
import type { Identity } from '../protocol/identity.js'
import { isThenable } from '../support/maybe-promise.js'

/** What `visible` may look at. */
export interface Viewer {
  readonly identity: Identity
  readonly request: RequestInfo | undefined
}

/** Whether this caller may know of a definition. One whose `visible` fails stays hidden, and `onError` is told why. */
export function isVisibleTo(
  entry: Entry,
  { identity: { user, auth, context }, request }: Viewer,
  onError: (error: unknown, owner: string) => void,
): boolean {
  const { visible } = entry.options
  if (visible === undefined) return true
  try {
    // V8 makes a hidden class for every object that is spread first and added to afterwards.
    const viewer = Object.assign({}, context, { user, auth, request })
    const shown: unknown = visible(viewer as never)
    if (isThenable(shown)) throw new TypeError('`visible` returned a promise: expected true or false')
    return shown === true
  } catch (error) {
    onError(error, `visible of ${entry.kind} "${entry.name}"`)
    return false
  }
}
