/** Widely used middleware around the mount keeps working, including its code after `await next()`. */

import cors from '@koa/cors'
import compress from 'koa-compress'
import helmet from 'koa-helmet'
import { createSession } from 'koa-session'
import { mcp } from 'mcp-router/koa'
import { expect, it } from 'vitest'
import { open, post, send } from '../../contract/client.js'
import { initialize, rpc } from '../../contract/clients.js'
import { placed, router, stepping } from '../placed.js'
import { type App, type KoaModule, listening } from './host.js'

const { body: streaming, headers } = stepping
const plain = rpc('tools/call', { name: 'steps', arguments: {} })

export function neighbours(Koa: KoaModule): void {
  /** A JSON response, an event stream, and a response without a body. */
  const answers = async (app: App, from: Record<string, string> = {}) => {
    const { router: made, release } = placed()
    release.open()
    const { origin, errors } = await listening(app.use(mcp(made)))
    const stream = await open(`${origin}/mcp`, { body: streaming, headers: { ...headers, ...from } })
    expect(await stream.rest()).toHaveLength(3)
    const json = await post(`${origin}/mcp`, initialize(), from)
    const empty = await post(`${origin}/mcp`, { jsonrpc: '2.0', method: 'notifications/initialized' }, from)
    expect([stream.status, json.status, empty.status]).toEqual([200, 200, 202])
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(empty.text).toBe('')
    expect(errors).toEqual([])
    return [stream, json, empty]
  }

  it('keeps the headers of koa-helmet and @koa/cors on every kind of response', async () => {
    const app = new Koa()
      .use(helmet())
      .use(cors({ origin: 'http://localhost:1', exposeHeaders: 'Mcp-Session-Id' }))
    for (const answer of await answers(app, { Origin: 'http://localhost:1' })) {
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': 'http://localhost:1',
        'access-control-expose-headers': 'Mcp-Session-Id',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.any(String),
      })
    }
  })

  it('lets @koa/cors answer preflights itself', async () => {
    const { origin } = await listening(new Koa().use(cors()).use(mcp(router())))
    const asked = { Origin: 'http://localhost:1', 'Access-Control-Request-Method': 'POST' }
    expect((await send(`${origin}/mcp`, { method: 'OPTIONS', headers: asked })).status).toBe(204)
  })

  it('lets middleware in front see the response and add headers to it, once its type is known', async () => {
    const seen: unknown[] = []
    const app = new Koa().use(async (ctx, next) => {
      await next()
      ctx.set('X-Response-Time', '1ms')
      seen.push([ctx.status, typeof ctx.body, ctx.headerSent])
    })
    for (const answer of await answers(app)) expect(answer.headers['x-response-time']).toBe('1ms')
    expect(seen).toEqual([
      [200, 'object', false],
      [200, 'string', false],
      [202, 'object', false],
    ])
  })

  it('answers 202 without a body even if the app set a type or body before', async () => {
    const app = new Koa().use((ctx, next) => {
      ctx.body = { nothing: 'here' }
      ctx.set('Content-Type', 'application/json')
      return next()
    })
    const [, json, empty] = await answers(app)
    expect(json).toMatchObject({ json: { result: expect.any(Object) } })
    expect(empty).toMatchObject({ status: 202, text: '' })
    expect(empty?.headers['content-type']).toBeUndefined()
  })

  it('lets koa-session set its cookie on every kind of response', async () => {
    const app = new Koa()
    app.keys = ['x']
    app.use(createSession({}, app as never) as never).use((ctx, next) => {
      Object.assign(ctx.session as object, { seen: true })
      return next()
    })
    for (const answer of await answers(app)) expect(answer.headers['set-cookie']?.length).toBeGreaterThan(0)
  })

  it('sends pieces at once behind koa-compress, even if everything should be compressed', async () => {
    const all = new Koa().use((ctx, next) => {
      ctx.compress = true
      return next()
    })
    for (const app of [new Koa(), all]) {
      const { router: made, release } = placed()
      const { origin } = await listening(app.use(compress({ threshold: 0 })).use(mcp(made)))
      const accepting = { ...headers, 'Accept-Encoding': 'gzip' }
      const stream = await open(`${origin}/mcp`, { body: streaming, headers: accepting })
      expect(stream.headers['content-encoding']).toBeUndefined()
      expect((await stream.next()).params.progress).toBe(1)
      release.open()
      expect(await stream.rest()).toHaveLength(2)
    }
  })

  it('lets koa-compress compress JSON', async () => {
    const { router: made, release } = placed()
    release.open()
    const { origin } = await listening(new Koa().use(compress({ threshold: 0 })).use(mcp(made)))
    const response = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' },
      body: JSON.stringify(plain),
    })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'x'.repeat(5000) }] } })
  })

  it('leaves errors of other middleware around it to the app', async () => {
    const app = new Koa().use(async (_ctx, next) => {
      await next()
      throw new Error('of the app')
    })
    const { router: made, release } = placed()
    release.open()
    const { origin, errors } = await listening(app.use(mcp(made)))
    for (const body of [plain, streaming]) {
      expect((await post(`${origin}/mcp`, body, body === plain ? {} : headers)).status).toBe(500)
    }
    expect(errors).toMatchObject([{ message: 'of the app' }, { message: 'of the app' }])
    expect(made.stats()).toMatchObject({ running: 0, streams: 0 })
  })
}
