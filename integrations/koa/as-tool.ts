/** `asTool()`: marks a route as a tool where the route is declared. */

import { mark, type RouteMarker } from '../../src/internal.js'
import { isToolCall, misdirectedResponse } from '../node/inject/tool-call.js'

/** A middleware, typed to fit every major version of Koa and its routers. */
export type MarkerMiddleware = (ctx: unknown, next: () => Promise<unknown>) => Promise<unknown>

/**
 * Returns a middleware that only calls `next()`: the route serves its HTTP callers as before, and is also a tool. With
 * `hidden: true` it isn't a tool, and tool calls that would reach it in another way are refused.
 *
 * ```ts
 * router.get('/tasks/:id', asTool({ description: 'One task' }), getTask)
 * ```
 * @throws TypeError for unknown or invalid options.
 */
export function asTool(options: RouteMarker = {}): MarkerMiddleware {
  return withoutOtelWrapper(
    mark<MarkerMiddleware>(options.hidden === true ? refuseToolCalls() : passOn(), options),
  )
}

/** Creates a new function for each marker, because the function carries the options. */
function passOn(): MarkerMiddleware {
  return (_ctx, next) => next()
}

function refuseToolCalls(): MarkerMiddleware {
  return (ctx, next) => {
    if (!isToolCall(ctx)) return next()
    Object.assign(ctx as object, misdirectedResponse)
    return Promise.resolve()
  }
}

/** Description of the symbol with which OpenTelemetry marks router middleware that it has wrapped. */
const otelMarker = 'koa-layer-patched'

/**
 * Makes OpenTelemetry skip the marker. Otherwise it would wrap the function, and discovery couldn't find the marker.
 */
function withoutOtelWrapper(handler: MarkerMiddleware): MarkerMiddleware {
  return new Proxy(handler, {
    get: (target, key) =>
      typeof key === 'symbol' && key.description === otelMarker ? true : Reflect.get(target, key),
  })
}
