/** Sends requests through a whole Node app in process: a real request and response, no port and no network. */

import type { Dispatch } from '../../../src/adapter.js'
import { InnerExchange, type Listener } from './exchange.js'
import { loopHeader, loopThrough } from './loop-header.js'
import { nestedCall, runInside } from './nesting.js'
import { watchOutgoing } from './outgoing.js'
import { createTracing } from './trace.js'

export type { Listener } from './exchange.js'

/**
 * A dispatch over what `http.createServer` would take. Each call has a request, response and socket of its own and
 * runs in the async context of its caller.
 *
 * It rejects with the reason of the signal when that aborts, with what the listener threw or its promise rejected
 * with, when the app closes the connection without an answer, and for calls from inside a route that runs as a tool.
 */
export function createDispatch(listener: Listener): Dispatch {
  const traced = createTracing()
  return async (given, outer) => {
    watchOutgoing()
    const nested = nestedCall(outer?.headers)
    if (nested !== undefined) throw nested
    const request = { ...given, headers: { ...given.headers, [loopHeader]: loopThrough(outer?.headers) } }
    request.signal.throwIfAborted()
    const exchange = new InnerExchange(request, outer)
    if (request.prepare !== undefined) {
      await request.prepare(exchange.incoming)
      request.signal.throwIfAborted()
    }
    const { localPort } = exchange.incoming.socket
    return traced(request, () => runInside(request, localPort, () => exchange.run(listener)))
  }
}
