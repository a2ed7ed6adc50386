/** Existing middleware around a call: its refusal is the call's. */

import jsonwebtoken from 'jsonwebtoken'
import type { Middleware } from 'koa'
import jwt from 'koa-jwt'
import { guard } from 'mcp-router/koa'
import { expect, it } from 'vitest'
import { type Json, open } from '../../contract/client.js'
import { expectError, expectErrorBody, expectText, expectToolError } from '../../contract/expect.js'
import { guardedBy } from './guarded.js'
import type { KoaModule } from './host.js'

const requireRole =
  (role: string): Middleware =>
  (ctx, next) => {
    if (ctx.get('X-Role') === role) return next()
    ctx.status = 403
    ctx.body = { error: `You need the role ${role}` }
  }
const admin = { headers: { 'X-Role': 'admin' } }

/** As koa-ratelimit answers. */
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

  it('refuses a tool as a failure that the model may read, and runs it for those who may', async () => {
    const { clients, ran } = await guarded(requireRole('admin'))
    for (const client of clients) {
      expect(expectToolError(await client.call('ban', {}))).toContain('You need the role admin')
      expect(expectText(await client.call('free', {}))).toBe('free')
    }
    expect(ran()).toBe(0)
    for (const client of clients) expect(expectText(await client.call('ban', {}, admin))).toMatch(/^ran/)
  })

  it('refuses resources and prompts with a JSON-RPC error and status 200', async () => {
    const { clients, ran } = await guarded(requireRole('admin'))
    for (const client of clients) {
      for (const answer of [
        await client.request('resources/read', { uri: 'secret://x' }),
        await client.request('prompts/get', { name: 'ask' }),
      ]) {
        expect(answer.status).toBe(200)
        expectErrorBody(answer)
        expect(answer.json.error.message).toContain('You need the role admin')
      }
      expect((await client.request('prompts/get', { name: 'ask' }, admin)).json.result).toBeDefined()
    }
    expect(ran()).toBe(2)
  })

  it.each([false, true])(
    'tells the seconds to wait when a rate limit refuses (throws: %s)',
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

  it('runs each of several guards for every call at the same time with its own response', async () => {
    const { clients } = await guarded(async (ctx, next) => {
      await new Promise(setImmediate)
      ctx.status = 403
      if (ctx.get('X-Role') === 'admin') await next()
    })
    const [, client] = clients
    const answers = await Promise.all([
      client.call('ban', {}),
      client.call('ban', {}, admin),
      client.call('ban', {}),
    ])
    expect(answers.map(({ json }) => json.result.isError ?? false)).toEqual([true, false, true])
  })

  it('refuses a guarded call that no Koa request carried, unless told to skip', async () => {
    const { router, ran } = await guarded((_ctx, next) => next())
    for (const request of [undefined, { raw: { req: {}, res: {}, request: {} } }]) {
      const caller = (request === undefined ? {} : { request }) as object
      expect(await router.call('ban', {}, caller)).toMatchObject({ isError: true })
    }
    expect(ran()).toBe(0)
    const skipping = await guarded(requireRole('admin'), { without: 'skip' })
    expect(await skipping.router.call('ban')).toMatchObject({ content: [{ text: 'ran 1' }] })
    expectToolError(await skipping.clients[1].call('ban', {}))
  })

  it('leaves a stream that is open already with status 200 and an error in it', async () => {
    const { url, router } = await guarded((_ctx, next) => next())
    const first = async (call: Json, next: () => Promise<unknown>) => {
      call.ctx.progress(1)
      return next()
    }
    const challenge: Middleware = (ctx) => {
      ctx.status = 401
      ctx.set('WWW-Authenticate', 'Bearer')
    }
    router.tool('late', { description: 'x', use: [first, guard(challenge)], handler: () => 'never' })
    const params = { name: 'late', _meta: { progressToken: 1 } }
    const stream = await open(url, { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } })
    expect(stream.status).toBe(200)
    expect((await stream.rest()).at(-1)).toMatchObject({ id: 1, error: { code: -31001 } })
  })

  it('throws at once for what is no middleware of Koa', () => {
    expect(() => guard('x' as never)).toThrow(TypeError)
    expect(() => guard(((_a: 1, _b: 2, _c: 3) => {}) as never)).toThrow(/\(ctx, next\)/)
    expect(() => guard((_ctx, next) => next(), { withot: 'skip' } as never)).toThrow(/without/)
  })
}
