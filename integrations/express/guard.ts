/** Runs an existing Express middleware around a call, with the HTTP request that carried the call. */

import type { Request, RequestHandler } from 'express'
import { captureResponse } from '../node/capturing-response.js'
import { type Guard, type GuardedApp, type GuardOptions, guardOf } from '../node/guard.js'

export type { Guard, GuardOptions } from '../node/guard.js'

// biome-ignore lint/suspicious/noExplicitAny: accepts middleware with any types of parameters
type AnyRequestHandler = RequestHandler<any, any, any, any, any>

/**
 * Turns an Express middleware into middleware of a router or a definition:
 * `router.use(guard(requireRole('admin')))`, `{ use: [guard(rateLimit({ limit: 5 }))] }`.
 *
 * The middleware gets the real request, and a response that is never sent. If it calls `next()`, the headers it set are
 * dropped. If it ends the response, the call fails with an error made from that response. Use it for authorization, not
 * for login: `ctx.user` is read before the middleware runs.
 * @throws TypeError if `middleware` is not a function with at most three parameters, or for unknown options.
 */
export function guard(middleware: AnyRequestHandler, options: GuardOptions = {}): Guard {
  return guardOf(middleware, options, express)
}

const express: GuardedApp = {
  name: 'an Express app',
  /** Creates a response with the app's own prototype and the same `locals`. */
  pair(raw, onEnd) {
    const req = raw as Request | undefined
    if (req?.res === undefined) return undefined
    const res = captureResponse(req, { prototype: Object.getPrototypeOf(req.res), onEnd })
    const { locals, app } = req.res
    return { req, res: Object.assign(res, { req, locals, app }) }
  },
}
