/** The `ctx` that a guard gets: it has all members of Koa, and nothing of its response reaches the client. */

import { Readable } from 'node:stream'
import type { Context, Middleware } from 'koa'
import { expect, it } from 'vitest'
import { expectText, expectToolError } from '../../contract/expect.js'
import { guardedBy } from './guarded.js'
import type { KoaModule } from './host.js'

const admin = { headers: { 'X-Role': 'admin' } }

export function guardResponses(Koa: KoaModule): void {
  const guarded = guardedBy(Koa)

  it('drops headers, status, body and cookies that a guard set before it called next()', async () => {
    const { clients } = await guarded((ctx, next) => {
      ctx.status = 201
      ctx.set('X-Guard', '1')
      ctx.cookies.set('guard', '1')
      ctx.body = '<p>not this</p>'
      ctx.res.setHeader('X-Raw', '1')
      return next()
    })
    for (const client of clients) {
      const answer = await client.call('ban', {})
      expectText(answer)
      expect(answer.headers).not.toHaveProperty('x-guard')
      expect(answer.headers).not.toHaveProperty('x-raw')
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
      expect(answer.headers['set-cookie']).toEqual([expect.stringContaining('before=1')])
      expect(answer.headers['x-before']).toBe('1')
    }
  })

  it('passes a guard the real request and state, and a separate response', async () => {
    let seen: Context | undefined
    const { clients, real } = await guarded((ctx, next) => {
      seen = ctx
      ctx.state.more = 1
      return next()
    })
    expectText(await clients[1].call('ban', {}, admin))
    const [ctx, own] = [seen as Context, real()]
    expect([ctx.get('X-Role'), ctx.method, ctx.originalUrl, ctx.path]).toEqual([
      'admin',
      'POST',
      '/mcp',
      '/mcp',
    ])
    expect([ctx.req === own.req, ctx.app === own.app, ctx.state === own.state]).toEqual([true, true, true])
    expect([ctx.res === own.res, ctx.response === own.response, ctx === own]).toEqual([false, false, false])
    expect([
      ctx.request.ctx === ctx,
      ctx.response.ctx === ctx,
      ctx.request.response === ctx.response,
    ]).toEqual([true, true, true])
    expect(ctx.params).toEqual({ tenant: 'acme' })
    expect(own.state).toEqual({ greeting: 'hello', more: 1 })
    expect([ctx.headerSent, own.response.get('X-Before')]).toEqual([false, '1'])
  })

  it('starts with the same status as Koa', async () => {
    const seen: unknown[] = []
    const { clients } = await guarded((ctx) => void seen.push(ctx.status, ctx.body))
    expect(expectToolError(await clients[1].call('ban', {}))).toMatch(/404/)
    expect(seen).toEqual([404, undefined])
  })

  it.each<[string, Middleware, RegExp]>([
    ['a status', (ctx) => void Object.assign(ctx, { status: 409 }), /409/],
    ['a text', (ctx) => void Object.assign(ctx, { status: 409, body: 'busy' }), /^409 Conflict: busy$/],
    [
      'an object',
      (ctx) => void Object.assign(ctx, { status: 422, body: { message: 'no' } }),
      /^422 Unprocessable Content: no$/,
    ],
    [
      'bytes',
      (ctx) => void Object.assign(ctx, { status: 403, body: Buffer.from('bytes') }),
      /^403 Forbidden: bytes$/,
    ],
    ['a stream', (ctx) => void Object.assign(ctx, { status: 418, body: Readable.from(['x']) }), /418/],
    [
      'a page',
      (ctx) => void Object.assign(ctx, { status: 500, body: '<html>boom</html>' }),
      /^(?!.*html).*500/,
    ],
    ['a redirect', (ctx) => ctx.redirect('/login'), /302|login/],
    [
      'the response of Node',
      (ctx) => {
        ctx.respond = false
        setImmediate(() => ctx.res.writeHead(429, { 'Retry-After': '7' }).end('slow down'))
      },
      /slow down.*7 seconds/,
    ],
  ])('reads a refusal that was made with %s', async (_, middleware, message) => {
    const { clients, ran } = await guarded(middleware)
    for (const client of clients) expect(expectToolError(await client.call('ban', {}))).toMatch(message)
    expect(ran()).toBe(0)
  })
}
