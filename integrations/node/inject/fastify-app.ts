/** A Fastify app as a listener of inner requests, once its plugins are loaded. */

import type { Dispatch } from '../../../src/adapter.js'
import { createDispatch } from './dispatch.js'
import type { Listener } from './exchange.js'

/** The part of a Fastify app that is needed, the same in Fastify 4 and 5. */
export interface FastifyApp {
  readonly routing: Listener
  ready(): PromiseLike<unknown>
}

/**
 * Sends inner requests through a whole Fastify app, or to what stands before its routes. Through `routing`, not
 * `inject()`: its streams never end in Fastify 4.
 */
export function fastifyDispatch(
  app: FastifyApp,
  listener: Listener = (request, response) => app.routing(request, response),
): Dispatch {
  const dispatch = createDispatch(listener)
  const root = rootOf(app)
  let isReady = false
  const first: Dispatch = async (request, outer) => {
    await root.ready()
    isReady = true
    return dispatch(request, outer)
  }
  return (request, outer) => (isReady ? dispatch : first)(request, outer)
}

/**
 * The instance that `fastify()` returned. The `ready()` of a scope is another function, which throws once the app has
 * started; a scope inherits from the instance around it.
 */
function rootOf(app: FastifyApp): FastifyApp {
  let root = app
  for (let outer = Object.getPrototypeOf(app); outer !== null && 'ready' in outer; ) {
    root = outer
    outer = Object.getPrototypeOf(outer)
  }
  return root
}
