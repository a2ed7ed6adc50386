/** Existing middleware around a call: its refusals become the call's errors. */

import type { RequestHandler } from 'express'
import rateLimit from 'express-rate-limit'
import { guard } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { expectError, expectText, expectToolError } from '../../contract/expect.js'
import { guardSuite } from '../guarded.js'
import { guardedBy } from './guarded.js'
import type { ExpressModule } from './host.js'

/** Responds at once, or later. */
const needsAdmin =
  (wait: (go: () => void) => void): RequestHandler =>
  (req, res, next) =>
    wait(() => {
      if (req.headers['x-role'] === 'admin') next()
      else res.status(403).json({ error: 'You need the role admin' })
    })

export function guards(express: ExpressModule): void {
  const guarded = guardedBy(express)

  guardSuite<RequestHandler>({
    guarded,
    guard,
    needsAdmin: { later: needsAdmin(setImmediate), 'at once': needsAdmin((go) => go()) },
    pass: (_req, _res, next) => next(),
    challenge: (_req, res) => void res.status(401).set('WWW-Authenticate', 'Bearer').end(),
    respond:
      ({ status, headers, body }) =>
      (_req, res) =>
        void res.status(status).set(headers).end(body),
  })

  it('includes the seconds to wait when a rate limit refuses', async () => {
    const limit = rateLimit({ limit: 2, windowMs: 60_000, validate: false })
    const { clients, ran } = await guarded(limit)
    const [client] = clients
    expectText(await client.call('ban', {}))
    const passed = await client.call('ban', {})
    expect(Object.keys(passed.headers).filter((name) => /ratelimit/.test(name))).toEqual([])
    const refused = await client.call('ban', {})
    expect(expectToolError(refused)).toMatch(/\b(60|59|58) seconds/)
    expect(ran()).toBe(2)
  })

  it.each([
    [401, -31001],
    [403, -31003],
  ])('keeps status %i and its WWW-Authenticate', async (status, code) => {
    const challenge = 'Bearer realm="api", error="invalid_token"'
    const { clients } = await guarded((_req, res) => {
      res.statusCode = status
      res.setHeader('WWW-Authenticate', [challenge, 'Basic'])
      res.end('Unauthorized')
    })
    for (const client of clients) {
      const refused = await client.call('ban', {})
      expectError(refused, status, code, 1)
      expect(refused.headers['www-authenticate']).toContain(challenge)
      expect(refused.headers['x-before']).toBe('1')
    }
  })

  it('keeps the status of a challenge if the router itself is guarded', async () => {
    const { clients, router } = await guarded((_req, _res, next) => next())
    router.use(
      guard(
        (_req, res) =>
          void res.status(401).set('WWW-Authenticate', 'Bearer').json({ message: 'who are you?' }),
      ),
    )
    const refused = await clients[0].call('free', {})
    expectError(refused, 401, -31001, 1)
    expect(refused.json.error.message).toBe('who are you?')
  })

  it.each<[string, RequestHandler]>([
    ['given to next()', (_req, _res, next) => next(Object.assign(new Error('not now'), { status: 409 }))],
    [
      'thrown',
      () => {
        throw Object.assign(new Error('not now'), { status: 409 })
      },
    ],
    [
      'rejected',
      (() => Promise.reject(Object.assign(new Error('not now'), { status: 409 }))) as RequestHandler,
    ],
  ])('takes an error %s for the refusal that it is', async (_, middleware) => {
    const { clients, ran } = await guarded(middleware)
    for (const client of clients) expect(expectToolError(await client.call('ban', {}))).toContain('not now')
    expect(ran()).toBe(0)
  })

  it('waits for an asynchronous guard, and uses only its first outcome', async () => {
    const { clients, ran } = await guarded(async (_req, res, next) => {
      await new Promise(setImmediate)
      next()
      next(new Error('too late'))
      res.end('too late')
    })
    for (const client of clients) expect(expectText(await client.call('ban', {}))).toMatch(/^ran/)
    expect(ran()).toBe(2)
  })

  it("throws at once for a value that isn't middleware", () => {
    expect(() => guard('x' as never)).toThrow(TypeError)
    expect(() => guard(((_a: 1, _b: 2, _c: 3, _d: 4) => {}) as never)).toThrow(TypeError)
  })
}
