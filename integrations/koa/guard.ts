/** Runs an existing Koa middleware around a call, with the HTTP request that carried the call. */

import type { Middleware } from 'koa'
import { checkOptions, fromHttpRefusal, oneOf, ToolError } from '../../src/adapter.js'
import { describe, isPassedOn } from '../../src/internal.js'
import { type CapturedResponse, captureResponse } from '../node/capturing-response.js'
import type { Guard, GuardOptions } from '../node/guard.js'
import { type KoaContext, koaContextOf } from './context.js'

export type { Guard, GuardOptions } from '../node/guard.js'

// biome-ignore lint/suspicious/noExplicitAny: accepts middleware with any type of `ctx`
type AnyMiddleware = (ctx: any, next: () => Promise<any>) => unknown

/**
 * Turns a Koa middleware into middleware of a router or a definition:
 * `router.use(guard(requireRole('admin')))`, `{ use: [guard(rateLimit({ max: 5 }))] }`.
 *
 * The middleware gets the real request, and a `ctx` of its own with the same `state` and a response that is never sent.
 * If it calls `next()`, its changes to the response are dropped, and `await next()` waits for the handler. If it
 * doesn't, the call fails with an error made from its response. Use it for authorization, not for login: `ctx.user` is
 * read before the middleware runs.
 * @throws TypeError if `middleware` is not a function with at most two parameters, or for unknown options.
 */
export function guard(middleware: Middleware, options?: GuardOptions): Guard
/** Overload for middleware whose `ctx` has members of a particular app. */
export function guard(middleware: AnyMiddleware, options?: GuardOptions): Guard
export function guard(middleware: AnyMiddleware, options: GuardOptions = {}): Guard {
  if (typeof middleware !== 'function' || middleware.length > 2) {
    throw new TypeError(`guard(): expected a middleware function (ctx, next), got ${describe(middleware)}`)
  }
  checkOptions('guard()', options, { known: { without: oneOf(['refuse', 'skip']) } })
  const { without = 'refuse' } = options
  return async (call, next) => {
    if (isPassedOn(call.ctx)) return next()
    const ctx = koaContextOf(call.ctx.request?.raw)
    if (ctx !== undefined) return run(middleware, createCapturingContext(ctx), next)
    if (without === 'skip') return next()
    throw new ToolError("This can only be called through a Koa app, because that app's middleware guards it")
  }
}

/** Runs the middleware. Resolves to the result of the call, once the middleware is done. */
async function run(
  middleware: AnyMiddleware,
  capturing: CapturingContext,
  next: () => Promise<unknown>,
): Promise<unknown> {
  let passed: Promise<unknown> | undefined
  let again: Promise<never> | undefined
  const passOn = (): Promise<unknown> => {
    if (passed === undefined) {
      passed = next()
      passed.catch(ignoreError)
      return passed
    }
    again = Promise.reject(new Error('guard(): the middleware called next() more than once'))
    again.catch(ignoreError)
    return again
  }
  try {
    await middleware(capturing.ctx, passOn)
  } catch (error) {
    throw passed === undefined ? refusalOf(error) : error
  }
  if (again !== undefined) return again
  return passed ?? Promise.reject(fromHttpRefusal(await capturing.captured()))
}

/** Prevents unhandled rejections of promises that the middleware may not await. */
function ignoreError(): void {}

/** Converts a thrown HTTP error with headers, such as a challenge or `Retry-After`, which Koa sends along. */
function refusalOf(error: unknown): unknown {
  const { headers, status, message, expose } = (error ?? {}) as Partial<HttpError>
  if (expose !== true || typeof status !== 'number' || typeof headers !== 'object' || headers === null) {
    return error
  }
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  return fromHttpRefusal({
    status,
    headers: Object.fromEntries(lower),
    body: JSON.stringify(String(message)),
  })
}

interface HttpError {
  readonly status: unknown
  readonly headers: unknown
  readonly message: unknown
  readonly expose: unknown
}

export interface CapturingContext {
  readonly ctx: object
  /** Returns the middleware's response. If the middleware writes to `ctx.res` itself, waits for its end. */
  captured(): Promise<CapturedResponse>
}

/**
 * Creates a context that inherits from the real one, so that `state`, session, parameters and the request are the same.
 * Everything that belongs to the response is its own.
 */
export function createCapturingContext(real: KoaContext): CapturingContext {
  let resolveEnd: ((response: CapturedResponse) => void) | undefined
  const ended = new Promise<CapturedResponse>((resolve) => {
    resolveEnd = resolve
  })
  const res = captureResponse(real.req, { onEnd: (captured) => resolveEnd?.(captured) })
  // The status with which Koa starts every response.
  res.statusCode = 404
  const ctx = Object.create(real)
  const response = Object.create(Object.getPrototypeOf(real.response))
  const request = Object.create(real.request)
  Object.assign(request, { ctx, res, response })
  Object.assign(response, { app: real.app, req: real.req, res, ctx, request })
  // Cookies are bound to a response. If they are unset, Koa creates new ones for this response.
  Object.assign(ctx, { res, request, response, respond: undefined, cookies: undefined })
  const captured = async (): Promise<CapturedResponse> => {
    if (ctx.respond === false || res.writableEnded) return ended
    const headers = Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)] as const)
    return { status: res.statusCode, headers: Object.fromEntries(headers), body: textOf(ctx.body) }
  }
  return { ctx, captured }
}

/** Returns the body as Koa would send it. Streams are left out: an error message can't use them. */
function textOf(body: unknown): string {
  if (body === undefined || body === null) return ''
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  return isStream(body) ? '' : (JSON.stringify(body) ?? '')
}

function isStream(body: unknown): boolean {
  return typeof (body as { pipe?: unknown }).pipe === 'function'
}
