/** Existing middleware around a call: its refusals become the call's errors. */

import jsonwebtoken from 'jsonwebtoken'
import type { Middleware } from 'koa'
import jwt from 'koa-jwt'
import { guard } from 'mcp-router/koa'
import { expect, it } from 'vitest'
import { expectError, expectText, expectToolError } from '../../contract/expect.js'
import { guardSuite } from '../guarded.js'
import { guardedBy } from './guarded.js'
import type { KoaModule } from './host.js'

const needsAdmin: Middleware = (ctx, next) => {
  if (ctx.get('X-Role') === 'admin') return next()
  ctx.status = 403
  ctx.body = { error: 'You need the role admin' }
}

/** Responds like koa-ratelimit. */
function rateLimit(max: number, throws: boolean): Middleware {
  let calls = 0
  return async (ctx, next) => {
    calls += 1
    const headers = {
      'X-RateLimit-Remaining': String(Math.max(0, max - calls)),
      'X-RateLimit-Limit': String(max),
    }
    ctx.set(headers)
    if (calls <= max) return next()
    if (throws) ctx.throw(429, 'Rate limit exceeded', { headers: { ...headers, 'Retry-After': 59 } })
    ctx.set('Retry-After', '59')
    ctx.status = 429
    ctx.body = 'Rate limit exceeded'
  }
}

export function guards(Koa: KoaModule): void {
  const guarded = guardedBy(Koa)

  guardSuite<Middleware>({
    guarded,
    guard,
    needsAdmin: {
      later: async (ctx, next) => {
        await new Promise(setImmediate)
        await needsAdmin(ctx, next)
      },
      'at once': needsAdmin,
    },
    pass: (_ctx, next) => next(),
    challenge: (ctx) => {
      ctx.status = 401
      ctx.set('WWW-Authenticate', 'Bearer')
    },
    respond:
      ({ status, headers, body }) =>
      (ctx) => {
        ctx.status = status
        ctx.body = body
        ctx.set(headers)
      },
  })

  it.each([false, true])(
    'includes the seconds to wait when a rate limit refuses (throws: %s)',
    async (throws) => {
      const { clients, ran } = await guarded(rateLimit(2, throws))
      const [client] = clients
      expectText(await client.call('ban', {}))
      const passed = await client.call('ban', {})
      expect(Object.keys(passed.headers).filter((name) => /ratelimit/.test(name))).toEqual([])
      expect(expectToolError(await client.call('ban', {}))).toMatch(/Rate limit exceeded.*\b59 seconds/)
      expect(ran()).toBe(2)
    },
  )

  it('runs koa-jwt, whose user is in `ctx.state` for the guards after it', async () => {
    const secret = 'a secret for tokens of this test'
    const { clients, router } = await guarded(jwt({ secret }))
    const subjects: unknown[] = []
    const second: Middleware = (ctx, next) => {
      subjects.push(ctx.state.user?.sub)
      return next()
    }
    router.tool('both', {
      description: 'x',
      use: [guard(jwt({ secret })), guard(second)],
      handler: () => 'ok',
    })
    const headers = { Authorization: `Bearer ${jsonwebtoken.sign({ sub: 'ann' }, secret)}` }
    for (const client of clients) {
      expect(expectToolError(await client.call('ban', {}))).toContain('Authentication Error')
      expect(expectText(await client.call('ban', {}, { headers }))).toMatch(/^ran/)
      expect(expectText(await client.call('both', {}, { headers }))).toBe('ok')
    }
    expect(subjects).toEqual(['ann', 'ann'])
  })

  it.each<[string, number, number, Middleware]>([
    [
      'answered',
      401,
      -31001,
      (ctx) => {
        ctx.status = 401
        ctx.set('WWW-Authenticate', 'Bearer realm="api"')
      },
    ],
    [
      'thrown',
      403,
      -31003,
      (ctx) => ctx.throw(403, 'no', { headers: { 'WWW-Authenticate': 'Bearer realm="api"' } }),
    ],
  ])(
    'keeps the status and the WWW-Authenticate of a challenge that was %s',
    async (_, status, code, middleware) => {
      const { clients } = await guarded(middleware)
      for (const client of clients) {
        const refused = await client.call('ban', {})
        expectError(refused, status, code, 1)
        expect(refused.headers['www-authenticate']).toBe('Bearer realm="api"')
        expect(refused.headers['x-before']).toBe('1')
      }
    },
  )

  it.each<[string, Middleware]>([
    ['ctx.throw', (ctx) => ctx.throw(409, 'not now')],
    ['ctx.assert', async (ctx) => ctx.assert(false, 409, 'not now')],
    ['a rejection', () => Promise.reject(Object.assign(new Error('not now'), { status: 409 }))],
  ])('takes the error of %s for the refusal that it is', async (_, middleware) => {
    const { clients, ran } = await guarded(middleware)
    for (const client of clients) expect(expectToolError(await client.call('ban', {}))).toContain('not now')
    expect(ran()).toBe(0)
  })

  it("refuses a guarded call whose request only looks like Koa's", async () => {
    const { router, ran } = await guarded((_ctx, next) => next())
    const request = { raw: { req: {}, res: {}, request: {} } }
    expect(await router.call('ban', {}, { request } as object)).toMatchObject({ isError: true })
    expect(ran()).toBe(0)
  })

  it("throws at once for a value that isn't Koa middleware", () => {
    expect(() => guard('x' as never)).toThrow(TypeError)
    expect(() => guard(((_a: 1, _b: 2, _c: 3) => {}) as never)).toThrow(/\(ctx, next\)/)
    expect(() => guard((_ctx, next) => next(), { withot: 'skip' } as never)).toThrow(/without/)
  })
}
