/** A `ctx` that answers nobody and remembers what it was told: for middleware that runs around a call. */

import { type CapturedResponse, captureResponse } from '../node/capturing-response.js'
import type { KoaContext } from './context.js'

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
