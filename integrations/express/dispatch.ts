/** Sends inner requests through a whole Express app. */

import type { Dispatch } from '../../src/adapter.js'
import { createDispatch, type Listener, type Prototypes } from '../node/inject/dispatch.js'

/** An Express app of any major is a request listener. */
export function expressDispatch(app: unknown): Dispatch {
  return createDispatch(app as Listener, app as Prototypes)
}
