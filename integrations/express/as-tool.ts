/** `asTool()`: says of a route, where it is declared, that it is a tool. */

import type { RequestHandler } from 'express'
import { mark, type RouteMarker } from '../../src/route-adapter.js'

// biome-ignore lint/suspicious/noExplicitAny: it passes on whatever the route was typed for
type AnyRequestHandler = RequestHandler<any, any, any, any, any>

/**
 * A middleware that only passes on: the route answers its HTTP callers as before, and is a tool besides.
 *
 * ```ts
 * app.get('/tasks/:id', asTool({ description: 'One task', params: z.object({ id: z.coerce.number() }) }), getTask)
 * ```
 * @throws TypeError for options that do not exist or do not fit.
 */
export function asTool(options: RouteMarker = {}): AnyRequestHandler {
  return mark<AnyRequestHandler>((_req, _res, next) => next(), options)
}
