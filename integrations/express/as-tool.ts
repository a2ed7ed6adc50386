/** `asTool()`: marks a route as a tool where the route is declared. */

import type { RequestHandler } from 'express'
import { mark, type RouteMarker } from '../../src/internal.js'
import { isToolCall, misdirectedResponse } from '../node/inject/tool-call.js'

// biome-ignore lint/suspicious/noExplicitAny: accepts routes of any type
type AnyRequestHandler = RequestHandler<any, any, any, any, any>

/**
 * Returns a middleware that only calls `next()`: the route serves its HTTP callers as before, and is also a tool. With
 * `hidden: true` it isn't a tool, and tool calls that would reach it in another way are refused.
 *
 * ```ts
 * app.get('/tasks/:id', asTool({ description: 'One task', params: z.object({ id: z.coerce.number() }) }), getTask)
 * ```
 * @throws TypeError for unknown or invalid options.
 */
export function asTool(options: RouteMarker = {}): AnyRequestHandler {
  return mark<AnyRequestHandler>(options.hidden === true ? refuseToolCalls() : passOn(), options)
}

/** Creates a new function for each marker, because the function carries the options. */
function passOn(): AnyRequestHandler {
  return (_req, _res, next) => next()
}

function refuseToolCalls(): AnyRequestHandler {
  return (req, res, next) =>
    isToolCall(req) ? res.status(misdirectedResponse.status).json(misdirectedResponse.body) : next()
}
