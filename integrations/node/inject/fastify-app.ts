/** Dispatches inner requests to a Fastify app, once its plugins are loaded. */

import type { Dispatch, InnerRequest } from '../../../src/adapter.js'
import { createDispatch } from './dispatch.js'
import type { Listener } from './exchange.js'

/** The members of a Fastify app used here, the same in Fastify 4 and 5. */
export interface FastifyApp {
  readonly routing: Listener
  ready(): PromiseLike<unknown>
}

/**
 * Creates a dispatch to a Fastify app, or to a `listener` in front of its routes. Uses `routing` instead of `inject()`,
 * whose response streams never end in Fastify 4.
 */
export function fastifyDispatch(
  app: FastifyApp,
  listener: Listener = (request, response) => app.routing(request, response),
): Dispatch {
  const send = createDispatch(listener)
  const dispatch: Dispatch = (request, outer) => send(withoutSemicolons(request), outer)
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
 * Encodes semicolons: Fastify 4 ends the path at one. Only parameters of the style `matrix` use them, and decode the
 * same.
 */
function withoutSemicolons(request: InnerRequest): InnerRequest {
  const { url } = request
  if (!url.includes(';')) return request
  const end = url.includes('?') ? url.indexOf('?') : url.length
  return { ...request, url: url.slice(0, end).replaceAll(';', '%3B') + url.slice(end) }
}

/**
 * Returns the instance that `fastify()` returned. A plugin's instance has another `ready()`, which throws once the
 * app has started. Each instance inherits from the one around it.
 */
function rootOf(app: FastifyApp): FastifyApp {
  let root = app
  for (let outer = Object.getPrototypeOf(app); outer !== null && 'ready' in outer; ) {
    root = outer
    outer = Object.getPrototypeOf(outer)
  }
  return root
}
