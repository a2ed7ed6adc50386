/** `asTool()`: says of a route, where it is declared, that it is a tool. */

import { mark, type RouteMarker } from '../../src/internal.js'
import { isToolCall, misdirectedResponse } from '../node/inject/tool-call.js'

/** In terms that fit every major of Koa and its routers. */
export type Passing = (ctx: unknown, next: () => Promise<unknown>) => Promise<unknown>

/**
 * A middleware that only passes on: the route answers its HTTP callers as before, and is a tool besides. With
 * `hidden: true` it isn't a tool, and calls of tools that would reach it by another way are refused.
 *
 * ```ts
 * router.get('/tasks/:id', asTool({ description: 'One task' }), getTask)
 * ```
 * @throws TypeError for options that do not exist or do not fit.
 */
export function asTool(options: RouteMarker = {}): Passing {
  return unwrapped(mark<Passing>(options.hidden === true ? keepOut() : passOn(), options))
}

/** Each marker is a function of its own: it carries the options. */
function passOn(): Passing {
  return (_ctx, next) => next()
}

function keepOut(): Passing {
  return (ctx, next) => {
    if (!isToolCall(ctx)) return next()
    Object.assign(ctx as object, misdirectedResponse)
    return Promise.resolve()
  }
}

/** What OpenTelemetry, and what builds on it, calls its own mark on the middleware of a router. */
const wrapped = 'koa-layer-patched'

/** It replaces each that has no such mark by a function that says nothing of it, and then nobody finds ours. */
function unwrapped(handler: Passing): Passing {
  return new Proxy(handler, {
    get: (target, key) =>
      typeof key === 'symbol' && key.description === wrapped ? true : Reflect.get(target, key),
  })
}
