/** Sends inner requests through a whole Fastify app. */

import type { Dispatch } from '../../src/adapter.js'
import { createDispatch, type Listener } from '../node/inject/dispatch.js'

/** The part of a Fastify app that is needed, the same in Fastify 4 and 5. */
export interface FastifyApp {
  readonly routing: Listener
  ready(): PromiseLike<unknown>
}

/** Waits for the app's plugins once. Through `routing`, not `inject()`: its streams never end in Fastify 4. */
export function fastifyDispatch(app: FastifyApp): Dispatch {
  const dispatch = createDispatch((request, response) => app.routing(request, response))
  let isReady = false
  const first: Dispatch = async (request, outer) => {
    await app.ready()
    isReady = true
    return dispatch(request, outer)
  }
  return (request, outer) => (isReady ? dispatch : first)(request, outer)
}
