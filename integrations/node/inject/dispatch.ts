/** Sends requests through a whole Node app in process: a real request and response, no port and no network. */

import { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatch, InnerRequest, InnerResponse } from '../../../src/adapter.js'
import { InnerExchange, type Listener } from './exchange.js'
import { loopThrough } from './loop-header.js'
import { nestedCall, runInside } from './nesting.js'
import { watchOutgoing } from './outgoing.js'
import { createTracing } from './trace.js'
import { subclassOf } from './v8-shapes.js'
import { waitingFor } from './waiting.js'

export type { Listener } from './exchange.js'

/** What the app's requests and responses inherit, where it gives them prototypes of its own. */
export interface Prototypes {
  readonly request?: object | undefined
  readonly response?: object | undefined
}

/**
 * A dispatch over what `http.createServer` would take. Each call has a request, response and socket of its own and
 * runs in the async context of its caller.
 *
 * It rejects with the reason of the signal when that aborts, with what the listener threw or its promise rejected
 * with, when the app closes the connection without an answer, and for calls from inside a route that runs as a tool.
 */
export function createDispatch(listener: Listener, { request, response }: Prototypes = {}): Dispatch {
  const traced = createTracing()
  const makers = {
    request: subclassOf(IncomingMessage, request),
    response: subclassOf(ServerResponse, response),
  }
  const run = (request: InnerRequest, exchange: InnerExchange): Promise<InnerResponse> => {
    waitingFor(request).assertOpen()
    const { tool = request.url } = request
    return traced(request, () => runInside(tool, exchange.incoming, (over) => exchange.run(listener, over)))
  }
  const prepared = async (request: InnerRequest, exchange: InnerExchange): Promise<InnerResponse> => {
    exchange.expectFailure()
    await request.prepare?.(exchange.incoming)
    return run(request, exchange)
  }
  // No `async` function: each costs several promises, and an app that traces its calls pays for every one.
  return (request, outer) => {
    try {
      watchOutgoing()
      const nested = nestedCall(outer?.headers)
      if (nested !== undefined) throw nested
      waitingFor(request).assertOpen()
      const exchange = new InnerExchange(request, { makers, outer, loop: loopThrough(outer?.headers) })
      return request.prepare === undefined ? run(request, exchange) : prepared(request, exchange)
    } catch (error) {
      return Promise.reject(error)
    }
  }
}
