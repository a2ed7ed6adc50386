/** Sends the calls of an app's own routes through it, unless another route would take them. */

import type { ServerResponse } from 'node:http'
import type { Dispatch } from '../../src/adapter.js'
import { type FastifyApp, fastifyDispatch } from '../node/inject/fastify-app.js'
import { toolCallOf } from '../node/inject/tool-call.js'
import type { ShadowedByOf } from './route-variants.js'

/** Each call carries `ShadowedByOf` of its route, which knows what would take a request with these headers. */
export function routeDispatch(app: FastifyApp): Dispatch {
  return fastifyDispatch(app, (request, response) => {
    const takerOf = toolCallOf(request)?.identity as ShadowedByOf | undefined
    const taker = takerOf?.(request.headers)
    if (taker === undefined) app.routing(request, response)
    else refuse(response, taker)
  })
}

/** Before anything of the app has seen the request. */
function refuse(response: ServerResponse, taker: string): void {
  const message = `this would reach another route, ${taker}; nothing was done`
  response.writeHead(421, { 'Content-Type': 'application/json' }).end(JSON.stringify({ message }))
}
