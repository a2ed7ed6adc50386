/** A Fastify app as a listener of inner requests, once its plugins are loaded. */

import type { Dispatch, InnerRequest } from '../../../src/adapter.js'
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

/** Fastify 4 ends the path at a semicolon. Only a parameter of the style `matrix` writes one, and it is decoded the same. */
function withoutSemicolons(request: InnerRequest): InnerRequest {
  const { url } = request
  if (!url.includes(';')) return request
  const end = url.includes('?') ? url.indexOf('?') : url.length
  return { ...request, url: url.slice(0, end).replaceAll(';', '%3B') + url.slice(end) }
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
