/** Runs an existing hook of Fastify around a call, with the request that carried it. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { fromHttpRefusal } from '../../src/adapter.js'
import { describe } from '../../src/internal.js'
import { type CapturedResponse, captureResponse } from '../node/capturing-response.js'
import { type Guard, type GuardedApp, type GuardOptions, guardOf } from '../node/guard.js'
import { replyOf } from './request.js'

export type { Guard, GuardOptions } from '../node/guard.js'

// biome-ignore-start lint/suspicious/noExplicitAny: any hook, whatever types its request and reply were given
/** As `onRequest`, `preValidation` and `preHandler` take them: with a callback, or asynchronous. */
export type AnyHook = (this: any, request: any, reply: any, done: any) => unknown
// biome-ignore-end lint/suspicious/noExplicitAny: as above

type Done = (error?: unknown) => void

/**
 * A hook function of Fastify as middleware of a router or a definition:
 * `router.use(guard(app.authenticate))`, `{ use: [guard(app.rateLimit({ max: 5 }))] }`.
 *
 * It sees the real request and a stand-in reply. When it passes on, the headers it set are dropped; when it answers or
 * throws, that becomes the refusal of the call. For rules, not for logins: `ctx.user` was read before.
 */
export function guard(hook: AnyHook, options: GuardOptions = {}): Guard {
  if (typeof hook !== 'function' || hook.length > 3) {
    throw new TypeError(
      `guard(): expected a hook function (request, reply, done) or an asynchronous one, got ${describe(hook)}`,
    )
  }
  return guardOf(
    (request: FastifyRequest, reply: FastifyReply, next: Done) => run(hook, { request, reply, next }),
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

interface Running {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly next: Done
}

/** Both kinds of hooks: one calls back, the other resolves; the first word counts. */
function run(hook: AnyHook, { request, reply, next }: Running): unknown {
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

/** A reply of the app's own kind, for a response that belongs to no socket. */
function capturingReply(real: FastifyReply, onEnd: (told: CapturedResponse) => void): FastifyReply {
  const { request } = real
  const raw = captureResponse(request.raw, { onEnd })
  const Reply = real.constructor as new (...parts: readonly unknown[]) => FastifyReply
  const reply = Object.setPrototypeOf(new Reply(raw, request, request.log), Object.getPrototypeOf(real))
  // What the app has decorated replies with.
  for (const key of Object.keys(real))
    if (!Object.hasOwn(reply, key)) reply[key] = real[key as keyof FastifyReply]
  // The real one would route the real request anew.
  reply.callNotFound = () => reply.code(404).send()
  return reply
}

function end(reply: FastifyReply, payload: unknown): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value as string | string[])
  }
  const isWhole = payload === undefined || payload === null || payload instanceof Uint8Array
  reply.raw.end(isWhole || typeof payload === 'string' ? payload : JSON.stringify(payload))
}

interface Thrown {
  readonly statusCode?: unknown
  readonly status?: unknown
  readonly headers?: object
}

/** Errors of the app stay as they are, but for what the reply tells besides: how long to wait, how to sign in. */
function toRefusal(error: unknown, reply: FastifyReply): unknown {
  const { statusCode, status = statusCode, headers: own } = Object(error) as Thrown
  if (typeof status !== 'number' || status < 400 || status >= 500) return error
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...own })) {
    headers[name.toLowerCase()] = String(value)
  }
  if (error instanceof Error && !('retry-after' in headers || 'www-authenticate' in headers)) return error
  // The type of the reply is not that of the error.
  delete headers['content-type']
  const message = error instanceof Error ? error.message : undefined
  return fromHttpRefusal({ status, headers, body: JSON.stringify(message ?? error) })
}
