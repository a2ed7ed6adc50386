/** Dispatches calls of an app's routes, unless Fastify would route a call to another route. */

import type { ServerResponse } from 'node:http'
import type { Dispatch } from '../../src/adapter.js'
import { type FastifyApp, fastifyDispatch } from '../node/inject/fastify-app.js'
import { toolCallOf } from '../node/inject/tool-call.js'
import type { ShadowedByOf } from './route-variants.js'

/**
 * Each call's identity is its route's `ShadowedByOf`, which returns the route that would get a request with its
 * headers.
 */
export function routeDispatch(app: FastifyApp): Dispatch {
  return fastifyDispatch(app, (request, response) => {
    const shadowedBy = toolCallOf(request)?.identity as ShadowedByOf | undefined
    const otherRoute = shadowedBy?.(request.headers)
    if (otherRoute === undefined) app.routing(request, response)
    else refuseCall(response, otherRoute)
  })
}

/** Refuses the call before any code of the app runs. */
function refuseCall(response: ServerResponse, otherRoute: string): void {
  const message = `this would reach another route, ${otherRoute}; no route was called`
  response.writeHead(421, { 'Content-Type': 'application/json' }).end(JSON.stringify({ message }))
}
