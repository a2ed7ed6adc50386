/** Runs an existing `(req, res, next)` middleware around a call, with the HTTP request that carried the call. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { Readable } from 'node:stream'
import { type Call, checkOptions, fromHttpRefusal, oneOf, ToolError } from '../../src/adapter.js'
import { describe, isPassedOn } from '../../src/internal.js'
import { type CapturedResponse, captureResponse } from './capturing-response.js'

/** Options of `guard()`. */
export interface GuardOptions {
  /** For calls that didn't arrive in a request of this framework: `refuse` them (default), or `skip` the middleware. */
  without?: 'refuse' | 'skip' | undefined
}

/** Middleware of a router or of a definition. */
export type Guard = (call: Call<object>, next: () => Promise<unknown>) => Promise<unknown>

/** The request and response to pass to an app's middleware. */
export interface MiddlewareArguments {
  readonly req: unknown
  readonly res: unknown
}

/** Describes how to run the middleware of one framework. */
export interface GuardedApp {
  /** The app's name in error messages: "an Express app". */
  readonly name: string
  /** Returns the pair for the mount's `ctx.request.raw`, or `undefined` if that isn't a request of this framework. */
  pair(raw: unknown, onEnd: (captured: CapturedResponse) => void): MiddlewareArguments | undefined
}

/**
 * Turns a connect-style middleware into middleware of a router or a definition:
 * `router.use(guard(requireRole('admin')))`.
 *
 * The middleware gets the real request, and a response that is never sent. If it calls `next()`, the headers it set are
 * dropped. If it ends the response, the call fails with an error made from that response. Use it for authorization, not
 * for login: `ctx.user` is read before the middleware runs.
 * @throws TypeError if `middleware` is not a function with at most three parameters, or for unknown options.
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
    // Only requests of Node's servers, and frameworks' subclasses of them, are streams.
    if (!(raw instanceof Readable)) return undefined
    return { req: raw, res: captureResponse(raw as IncomingMessage, { onEnd }) }
  },
}

/** Implements `guard()` for every framework with `(req, res, next)` middleware. */
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
      const args = app.pair(call.ctx.request?.raw, (captured) => reject(fromHttpRefusal(captured)))
      if (args === undefined) return resolve(false)
      const passOn = (error?: unknown): void => {
        if (error === undefined || error === null || skipSignals.includes(error)) resolve(true)
        else reject(error)
      }
      Promise.resolve(middleware(args.req as never, args.res as never, passOn)).catch(reject)
    })
    if (!passed && without === 'refuse') {
      throw new ToolError(
        `This can only be called through ${app.name}, because that app's middleware guards it`,
      )
    }
    return next()
  }
}

/** Values of `next` that leave a route or a router. They are not errors. */
const skipSignals: readonly unknown[] = ['route', 'router']
