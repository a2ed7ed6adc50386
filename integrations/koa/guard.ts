/** Runs an existing Koa middleware around a call, with the request that carried it. */

import type { Middleware } from 'koa'
import { checkOptions, fromHttpRefusal, oneOf, ToolError } from '../../src/adapter.js'
import { describe, isPassedOn } from '../../src/internal.js'
import { type CapturedResponse, captureResponse } from '../node/capturing-response.js'
import type { Guard, GuardOptions } from '../node/guard.js'
import { type KoaContext, koaContextOf } from './context.js'

export type { Guard, GuardOptions } from '../node/guard.js'

// biome-ignore lint/suspicious/noExplicitAny: any middleware, whatever its `ctx` was typed as
type AnyMiddleware = (ctx: any, next: () => Promise<any>) => unknown

/**
 * A Koa middleware as middleware of a router or a definition:
 * `router.use(guard(requireRole('admin')))`, `{ use: [guard(rateLimit({ max: 5 }))] }`.
 *
 * It sees the real request, and a `ctx` of its own with the same `state` and a response that nobody is sent. When it
 * passes on, what it set there is dropped, and `await next()` waits for the handler; when it does not, its answer
 * becomes the refusal of the call. For rules, not for logins: `ctx.user` was read before.
 * @throws TypeError for what is no middleware of Koa.
 */
export function guard(middleware: Middleware, options?: GuardOptions): Guard
/** For a middleware that wants more of its `ctx` than every app has. */
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

/** Resolves to what came of the call, when the middleware is done with it. */
async function run(
  middleware: AnyMiddleware,
  standIn: CapturingContext,
  next: () => Promise<unknown>,
): Promise<unknown> {
  let passed: Promise<unknown> | undefined
  let again: Promise<never> | undefined
  const passOn = (): Promise<unknown> => {
    if (passed === undefined) {
      passed = next()
      passed.catch(nothing)
      return passed
    }
    again = Promise.reject(new Error('guard(): the middleware called next() more than once'))
    again.catch(nothing)
    return again
  }
  try {
    await middleware(standIn.ctx, passOn)
  } catch (error) {
    throw passed === undefined ? refusalOf(error) : error
  }
  if (again !== undefined) return again
  return passed ?? Promise.reject(fromHttpRefusal(await standIn.captured()))
}

/** Whoever waits for these promises hears of their errors; nobody has to. */
function nothing(): void {}

/** Koa answers a thrown error with the headers that it brings: a challenge, the seconds to wait. */
function refusalOf(error: unknown): unknown {
  const { headers, status, message, expose } = (error ?? {}) as Partial<Thrown>
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

interface Thrown {
  readonly status: unknown
  readonly headers: unknown
  readonly message: unknown
  readonly expose: unknown
}

export interface CapturingContext {
  readonly ctx: object
  /** What the middleware answered; waits for one that took the answer out of Koa's hands. */
  captured(): Promise<CapturedResponse>
}

/**
 * It inherits everything from the real one, so that `state`, session, parameters and the request are the same; what
 * belongs to the answer is its own.
 */
export function createCapturingContext(real: KoaContext): CapturingContext {
  let written: ((told: CapturedResponse) => void) | undefined
  const ended = new Promise<CapturedResponse>((resolve) => {
    written = resolve
  })
  const res = captureResponse(real.req, { onEnd: (told) => written?.(told) })
  // What Koa begins every request with.
  res.statusCode = 404
  const ctx = Object.create(real)
  const response = Object.create(Object.getPrototypeOf(real.response))
  const request = Object.create(real.request)
  Object.assign(request, { ctx, res, response })
  Object.assign(response, { app: real.app, req: real.req, res, ctx, request })
  // Cookies are bound to the response that they were made for; without any, Koa makes new ones.
  Object.assign(ctx, { res, request, response, respond: undefined, cookies: undefined })
  const told = async (): Promise<CapturedResponse> => {
    if (ctx.respond === false || res.writableEnded) return ended
    const headers = Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)] as const)
    return { status: res.statusCode, headers: Object.fromEntries(headers), body: textOf(ctx.body) }
  }
  return { ctx, captured: told }
}

/** As Koa would have sent it. A stream is no message to anybody. */
function textOf(body: unknown): string {
  if (body === undefined || body === null) return ''
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  return isStream(body) ? '' : (JSON.stringify(body) ?? '')
}

function isStream(body: unknown): boolean {
  return typeof (body as { pipe?: unknown }).pipe === 'function'
}
