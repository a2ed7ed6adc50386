/** Sends requests through a complete Node app in process: real request and response objects, no port and no network. */

import { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatch, InnerRequest, InnerResponse } from '../../../src/adapter.js'
import { InnerExchange, type Listener } from './exchange.js'
import { loopHeaderInside } from './loop-header.js'
import { nestedCallError, runInside } from './nesting.js'
import { subscribeToOutgoing } from './outgoing.js'
import { createTracing } from './trace.js'
import { factoryOf } from './v8-shapes.js'
import { waitingFor } from './waiting.js'

export type { Listener } from './exchange.js'

/** The prototypes that an app gives to its requests and responses, if any. */
export interface Prototypes {
  readonly request?: object | undefined
  readonly response?: object | undefined
}

/**
 * Creates a dispatch to a request listener, as `http.createServer` takes one. Each call has its own request, response
 * and socket, and runs in the async context of its caller.
 *
 * The dispatch rejects with the signal's reason when the signal aborts, and with any error of the listener. It also
 * rejects when the app closes the connection without a response, and for calls from inside a route that runs as a tool.
 */
export function createDispatch(listener: Listener, { request, response }: Prototypes = {}): Dispatch {
  const traced = createTracing()
  const makers = {
    request: factoryOf(IncomingMessage, request),
    response: factoryOf(ServerResponse, response),
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
  // Not an `async` function: each costs several promises, which are expensive in apps that trace async calls.
  return (request, outer) => {
    try {
      subscribeToOutgoing()
      const nested = nestedCallError(outer?.headers)
      if (nested !== undefined) throw nested
      waitingFor(request).assertOpen()
      const exchange = new InnerExchange(request, { makers, outer, loop: loopHeaderInside(outer?.headers) })
      return request.prepare === undefined ? run(request, exchange) : prepared(request, exchange)
    } catch (error) {
      return Promise.reject(error)
    }
  }
}
