/** `asTool()`: says of a route, where it is declared, that it is a tool. */

import { mark, type RouteMarker } from '../../src/route-adapter.js'

/** In terms that fit every major of Koa and its routers. */
export type Passing = (ctx: unknown, next: () => Promise<unknown>) => Promise<unknown>

/**
 * A middleware that only passes on: the route answers its HTTP callers as before, and is a tool besides.
 *
 * ```ts
 * router.get('/tasks/:id', asTool({ description: 'One task' }), getTask)
 * ```
 * @throws TypeError for options that do not exist or do not fit.
 */
export function asTool(options: RouteMarker = {}): Passing {
  return unwrapped(mark<Passing>((_ctx, next) => next(), options))
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
