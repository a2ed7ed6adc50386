/** Runs an existing `(req, res, next)` middleware around a call, with the request that carried it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { Readable } from 'node:stream'
import { type Call, checkOptions, fromHttpRefusal, oneOf, ToolError } from '../../src/adapter.js'
import { describe, isPassedOn } from '../../src/internal.js'
import { type CapturedResponse, captureResponse } from './capturing-response.js'

/** What a guard does where no request carried the call. */
export interface GuardOptions {
  /** Where no such request carried the call: `refuse` it (default), or `skip` the middleware. */
  without?: 'refuse' | 'skip' | undefined
}

/** Middleware of a router or of a definition. */
export type Guard = (call: Call<object>, next: () => Promise<unknown>) => Promise<unknown>

/** The request and response that a middleware of an app is given. */
export interface Pair {
  readonly req: unknown
  readonly res: unknown
}

/** How a framework's own middleware is run. */
export interface GuardedApp {
  /** What carried the call, in words for the one who called from elsewhere: "an Express app". */
  readonly name: string
  /** The pair for what the mount left in `ctx.request.raw`; `undefined` where that is no request of this app. */
  pair(raw: unknown, onEnd: (told: CapturedResponse) => void): Pair | undefined
}

/**
 * A connect-style middleware as middleware of a router or a definition: `router.use(guard(requireRole('admin')))`.
 *
 * It sees the real request and a stand-in response. When it passes on, the headers it set are dropped; when it
 * answers, its answer becomes the refusal of the call. For rules, not for logins: `ctx.user` was read before.
 */
export function guard<Req extends IncomingMessage | Http2ServerRequest = IncomingMessage>(
  middleware: (req: Req, res: ServerResponse, next: (error?: unknown) => void) => unknown,
  options: GuardOptions = {},
): Guard {
  return guardOf(middleware, options, plainNode)
}

const plainNode: GuardedApp = {
  name: 'a Node server',
  pair(raw, onEnd) {
    // Of all that mounts leave there, Node's own requests and their kin alone are streams.
    if (!(raw instanceof Readable)) return undefined
    return { req: raw, res: captureResponse(raw as IncomingMessage, { onEnd }) }
  },
}

/** What `guard()` of every framework with `(req, res, next)` shares. */
export function guardOf(
  middleware: (req: never, res: never, next: (error?: unknown) => void) => unknown,
  options: GuardOptions,
  app: GuardedApp,
): Guard {
  if (typeof middleware !== 'function' || middleware.length > 3) {
    throw new TypeError(
      `guard(): expected a middleware function (req, res, next), got ${describe(middleware)}`,
    )
  }
  checkOptions('guard()', options, { known: { without: oneOf(['refuse', 'skip']) } })
  const { without = 'refuse' } = options
  return async (call, next) => {
    if (isPassedOn(call.ctx)) return next()
    const passed = await new Promise<boolean>((resolve, reject) => {
      const pair = app.pair(call.ctx.request?.raw, (told) => reject(fromHttpRefusal(told)))
      if (pair === undefined) return resolve(false)
      const passOn = (error?: unknown): void => {
        if (error === undefined || error === null || skips.includes(error)) resolve(true)
        else reject(error)
      }
      Promise.resolve(middleware(pair.req as never, pair.res as never, passOn)).catch(reject)
    })
    if (!passed && without === 'refuse') {
      throw new ToolError(
        `This is guarded by the middleware of ${app.name} and cannot be called from elsewhere`,
      )
    }
    return next()
  }
}

/** What `next` is given to leave a route or a router: no error. */
const skips: readonly unknown[] = ['route', 'router']
