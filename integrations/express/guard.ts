/** Runs an existing Express middleware around a call, with the request that carried it. */

import type { Request, RequestHandler } from 'express'
import { captureResponse } from '../node/capturing-response.js'
import { type Guard, type GuardedApp, type GuardOptions, guardOf } from '../node/guard.js'

export type { Guard, GuardOptions } from '../node/guard.js'

// biome-ignore lint/suspicious/noExplicitAny: any middleware, whatever parameters it was typed for
type AnyRequestHandler = RequestHandler<any, any, any, any, any>

/**
 * An Express middleware as middleware of a router or a definition:
 * `router.use(guard(requireRole('admin')))`, `{ use: [guard(rateLimit({ limit: 5 }))] }`.
 *
 * It sees the real request and a stand-in response. When it passes on, the headers it set are dropped; when it
 * answers, its answer becomes the refusal of the call. For rules, not for logins: `ctx.user` was read before.
 */
export function guard(middleware: AnyRequestHandler, options: GuardOptions = {}): Guard {
  return guardOf(middleware, options, express)
}

const express: GuardedApp = {
  name: 'an Express app',
  /** The response is one of the app's own kind, with the same `locals`. */
  pair(raw, onEnd) {
    const req = raw as Request | undefined
    if (req?.res === undefined) return undefined
    const res = captureResponse(req, { prototype: Object.getPrototypeOf(req.res), onEnd })
    const { locals, app } = req.res
    return { req, res: Object.assign(res, { req, locals, app }) }
  },
}
