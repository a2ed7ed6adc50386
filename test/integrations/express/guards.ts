/** Existing middleware around a call: its refusal is the call's. */

import type { RequestHandler } from 'express'
import rateLimit from 'express-rate-limit'
import { guard } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { type Json, open } from '../../contract/client.js'
import { expectError, expectErrorBody, expectText, expectToolError } from '../../contract/expect.js'
import { guardedBy } from './guarded.js'
import type { ExpressModule } from './host.js'

const requireRole =
  (role: string): RequestHandler =>
  (req, res, next) => {
    if (req.headers['x-role'] === role) return next()
    res.status(403).json({ error: `You need the role ${role}` })
  }
const admin = { headers: { 'X-Role': 'admin' } }

export function guards(express: ExpressModule): void {
  const guarded = guardedBy(express)

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

  it('tells the seconds to wait when a rate limit refuses', async () => {
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

  it('keeps the status of a challenge where the router itself is guarded', async () => {
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

  it('waits for a guard that is asynchronous, and counts its first word', async () => {
    const { clients, ran } = await guarded(async (_req, res, next) => {
      await new Promise(setImmediate)
      next()
      next(new Error('too late'))
      res.end('too late')
    })
    for (const client of clients) expect(expectText(await client.call('ban', {}))).toMatch(/^ran/)
    expect(ran()).toBe(2)
  })

  it('runs each of several guards for every call at the same time with its own response', async () => {
    const { clients } = await guarded((req, res, next) => {
      setImmediate(() => (req.headers['x-role'] === 'admin' ? next() : res.status(403).json({ error: 'no' })))
    })
    const [, client] = clients
    const answers = await Promise.all([
      client.call('ban', {}),
      client.call('ban', {}, admin),
      client.call('ban', {}),
    ])
    expect(answers.map(({ json }) => json.result.isError ?? false)).toEqual([true, false, true])
  })

  it('refuses a guarded call that no Express request carried, unless told to skip', async () => {
    const { router, ran } = await guarded((_req, _res, next) => next())
    expect(await router.call('ban')).toMatchObject({ isError: true })
    expect(ran()).toBe(0)
    const skipping = await guarded((_req, _res, next) => next(), { without: 'skip' })
    expect(await skipping.router.call('ban')).toMatchObject({ content: [{ text: 'ran 1' }] })
    const refusing = await guarded(requireRole('admin'), { without: 'skip' })
    expectToolError(await refusing.clients[1].call('ban', {}))
  })

  it('leaves a stream that is open already with status 200 and an error in it', async () => {
    const { url, router } = await guarded((_req, _res, next) => next())
    const first = async (call: Json, next: () => Promise<unknown>) => {
      call.ctx.progress(1)
      return next()
    }
    const challenge: RequestHandler = (_req, res) =>
      void res.status(401).set('WWW-Authenticate', 'Bearer').end()
    router.tool('late', { description: 'x', use: [first, guard(challenge)], handler: () => 'never' })
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'late', _meta: { progressToken: 1 } },
    }
    const stream = await open(url, { body })
    expect(stream.status).toBe(200)
    expect((await stream.rest()).at(-1)).toMatchObject({ id: 1, error: { code: -31001 } })
  })

  it('throws at once for what is no middleware', () => {
    expect(() => guard('x' as never)).toThrow(TypeError)
    expect(() => guard(((_a: 1, _b: 2, _c: 3, _d: 4) => {}) as never)).toThrow(TypeError)
  })
}
