/** Runs an existing Fastify hook around a call, with the HTTP request that carried the call. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { fromHttpRefusal } from '../../src/adapter.js'
import { describe } from '../../src/internal.js'
import { type CapturedResponse, captureResponse } from '../node/capturing-response.js'
import { type Guard, type GuardedApp, type GuardOptions, guardOf } from '../node/guard.js'
import { replyOf } from './request.js'

export type { Guard, GuardOptions } from '../node/guard.js'

// biome-ignore-start lint/suspicious/noExplicitAny: accepts hooks with any types of request and reply
/** A hook for `onRequest`, `preValidation` or `preHandler`, either with a callback or asynchronous. */
export type AnyHook = (this: any, request: any, reply: any, done: any) => unknown
// biome-ignore-end lint/suspicious/noExplicitAny: as above

type HookCallback = (error?: unknown) => void

/**
 * Turns a Fastify hook into middleware of a router or a definition:
 * `router.use(guard(app.authenticate))`, `{ use: [guard(app.rateLimit({ max: 5 }))] }`.
 *
 * The hook gets the real request, and a reply that is never sent. If it calls `done()` or resolves, the headers it
 * set are dropped. If it sends a reply or throws, the call fails with an error made from that. Use it for
 * authorization, not for login: `ctx.user` is read before the hook runs.
 * @throws TypeError if `hook` is not a function with at most three parameters, or for unknown options.
 */
export function guard(hook: AnyHook, options: GuardOptions = {}): Guard {
  if (typeof hook !== 'function' || hook.length > 3) {
    throw new TypeError(
      `guard(): expected a hook function (request, reply, done) or an asynchronous one, got ${describe(hook)}`,
    )
  }
  return guardOf(
    (request: FastifyRequest, reply: FastifyReply, next: HookCallback) => run(hook, { request, reply, next }),
    options,
    fastify,
  )
}

const fastify: GuardedApp = {
  name: 'a Fastify app',
  pair(raw, onEnd) {
    const reply = replyOf(raw)
    return reply && { req: raw, res: capturingReply(reply, onEnd) }
  },
}

interface HookArguments {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly next: HookCallback
}

/** Runs a hook of either kind: it calls back, or it resolves. Only its first outcome counts. */
function run(hook: AnyHook, { request, reply, next }: HookArguments): unknown {
  const refuse = (error: unknown): void => next(toRefusal(error, reply))
  const done = (error?: unknown): void => (error === undefined || error === null ? next() : refuse(error))
  reply.send = (payload) => {
    if (payload instanceof Error) refuse(payload)
    else end(reply, payload)
    return reply
  }
  try {
    const result = hook.call(request.server, request, reply, done) as PromiseLike<unknown> | undefined
    return typeof result?.then === 'function' ? result.then(() => next(), refuse) : undefined
  } catch (error) {
    return refuse(error)
  }
}

/** Creates a reply with the app's own prototype, for a response without a socket. */
function capturingReply(real: FastifyReply, onEnd: (captured: CapturedResponse) => void): FastifyReply {
  const { request } = real
  const raw = captureResponse(request.raw, { onEnd })
  const Reply = real.constructor as new (...parts: readonly unknown[]) => FastifyReply
  const reply = Object.setPrototypeOf(new Reply(raw, request, request.log), Object.getPrototypeOf(real))
  // Copy the app's reply decorators.
  for (const key of Object.keys(real))
    if (!Object.hasOwn(reply, key)) reply[key] = real[key as keyof FastifyReply]
  // The original method would route the real request again.
  reply.callNotFound = () => reply.code(404).send()
  return reply
}

function end(reply: FastifyReply, payload: unknown): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value as string | string[])
  }
  const isFinal = payload === undefined || payload === null || payload instanceof Uint8Array
  reply.raw.end(isFinal || typeof payload === 'string' ? payload : JSON.stringify(payload))
}

interface HttpError {
  readonly statusCode?: unknown
  readonly status?: unknown
  readonly headers?: object
}

/** Returns the app's error unchanged, unless headers such as `Retry-After` or `WWW-Authenticate` have to be added. */
function toRefusal(error: unknown, reply: FastifyReply): unknown {
  const { statusCode, status = statusCode, headers: own } = Object(error) as HttpError
  if (typeof status !== 'number' || status < 400 || status >= 500) return error
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...own })) {
    headers[name.toLowerCase()] = String(value)
  }
  if (error instanceof Error && !('retry-after' in headers || 'www-authenticate' in headers)) return error
  // The reply's content type doesn't apply to the error.
  delete headers['content-type']
  const message = error instanceof Error ? error.message : undefined
  return fromHttpRefusal({ status, headers, body: JSON.stringify(message ?? error) })
}
