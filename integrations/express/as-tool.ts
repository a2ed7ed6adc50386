/** `asTool()`: says of a route, where it is declared, that it is a tool. */

import type { RequestHandler } from 'express'
import { mark, type RouteMarker } from '../../src/internal.js'
import { isToolCall, misdirectedResponse } from '../node/inject/tool-call.js'

// biome-ignore lint/suspicious/noExplicitAny: it passes on whatever the route was typed for
type AnyRequestHandler = RequestHandler<any, any, any, any, any>

/**
 * A middleware that only passes on: the route answers its HTTP callers as before, and is a tool besides. With
 * `hidden: true` it isn't a tool, and calls of tools that would reach it by another way are refused.
 *
 * ```ts
 * app.get('/tasks/:id', asTool({ description: 'One task', params: z.object({ id: z.coerce.number() }) }), getTask)
 * ```
 * @throws TypeError for options that do not exist or do not fit.
 */
export function asTool(options: RouteMarker = {}): AnyRequestHandler {
  return mark<AnyRequestHandler>(options.hidden === true ? keepOut() : passOn(), options)
}

/** Each marker is a function of its own: it carries the options. */
function passOn(): AnyRequestHandler {
  return (_req, _res, next) => next()
}

function keepOut(): AnyRequestHandler {
  return (req, res, next) =>
    isToolCall(req) ? res.status(misdirectedResponse.status).json(misdirectedResponse.body) : next()
}
