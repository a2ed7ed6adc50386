/** Sends inner requests through a whole Fastify app. */

import type { ServerResponse } from 'node:http'
import type { Dispatch } from '../../src/adapter.js'
import { createDispatch, type Listener } from '../node/inject/dispatch.js'
import { toolCallOf } from '../node/inject/tool-call.js'
import type { TakerOf } from './places.js'

/** The part of a Fastify app that is needed, the same in Fastify 4 and 5. */
export interface FastifyApp {
  readonly routing: Listener
  ready(): PromiseLike<unknown>
}

/** Waits for the app's plugins once. Through `routing`, not `inject()`: its streams never end in Fastify 4. */
export function fastifyDispatch(app: FastifyApp): Dispatch {
  const dispatch = createDispatch((request, response) => {
    const takerOf = toolCallOf(request)?.identity as TakerOf | undefined
    const taker = takerOf?.(request.headers)
    if (taker === undefined) app.routing(request, response)
    else refuse(response, taker)
  })
  let isReady = false
  const first: Dispatch = async (request, outer) => {
    await app.ready()
    isReady = true
    return dispatch(request, outer)
  }
  return (request, outer) => (isReady ? dispatch : first)(request, outer)
}

/** Before anything of the app has seen the request. */
function refuse(response: ServerResponse, taker: string): void {
  const message = `this would reach another route, ${taker}; nothing was done`
  response.writeHead(421, { 'Content-Type': 'application/json' }).end(JSON.stringify({ message }))
}
