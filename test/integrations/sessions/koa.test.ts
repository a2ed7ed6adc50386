/** koa-session, with a store and in the cookie itself. */

import { Readable } from 'node:stream'
import Router from '@koa/router'
import Koa3, { type Context, type Middleware } from 'koa'
import bodyParser from 'koa-bodyparser'
import { createSession } from 'koa-session'
import Koa2 from 'koa2'
import { asTool, mcp } from 'mcp-router/koa'
import { describe, expect, test, vi } from 'vitest'
import { post, send } from '../../contract/client.js'
import { rpc } from '../../contract/clients.js'
import { latch } from '../../contract/fixtures.js'
import { type KoaModule, listening } from '../koa/host.js'
import { type Data, Jar, proveKept, proveLogin, quietRouter, shop } from './kept.js'

interface Way {
  readonly options: object
  readonly stored: boolean
  readonly counts?: boolean
}

const ways: readonly (readonly [string, Way])[] = [
  ['a store', { options: {}, stored: true }],
  ['a store that is renewed always', { options: { rolling: true }, stored: true }],
  ['a store, changed by every request', { options: {}, stored: true, counts: true }],
  ['a cookie', { options: {}, stored: false }],
  ['a cookie that is renewed always', { options: { rolling: true }, stored: false }],
  ['a cookie, changed by every request', { options: { rolling: true }, stored: false, counts: true }],
]

async function start(Koa: KoaModule, { options, stored, counts }: Way) {
  const kept = new Map<string, object>()
  const store = {
    get: async (key: string) => structuredClone(kept.get(key)),
    set: async (key: string, value: object) => void kept.set(key, structuredClone(value)),
    destroy: async (key: string) => void kept.delete(key),
  }
  const app = new Koa()
  app.keys = ['k']
  app.use(
    createSession({ ...options, ...(stored && { store }) } as never, app as never) as unknown as Middleware,
  )
  const data = (ctx: Context): Data => ctx.session as Data
  app.use((ctx, next) => {
    if (counts === true) shop.count(data(ctx))
    return next()
  })
  const router = quietRouter()
  app.use(mcp(router)).use(bodyParser())
  const begun = latch()
  router.tool('begin', {
    description: 'Lets the answer begin',
    async handler(_, ctx) {
      ctx.progress(1)
      await vi.waitFor(() => expect(ctx.request?.raw.headerSent).toBe(true), { interval: 1 })
      begun.open()
      return 'begun'
    },
  })
  const routes = new Router()
  const item = { type: 'object', properties: { item: { type: 'string' } } }
  const itemOf = (ctx: Context): string => (ctx.request.body as { item: string }).item
  routes.get('/login/:name', (ctx) => {
    data(ctx).user = ctx.params.name as string
    ctx.body = {}
  })
  routes.get('/cart', (ctx) => {
    const { user, items, seen } = data(ctx)
    ctx.body = { user, items, seen }
  })
  routes.post('/cart', asTool({ name: 'cart_add', body: item }), (ctx) => {
    ctx.body = shop.add(data(ctx), itemOf(ctx))
  })
  routes.post('/slow', asTool({ name: 'cart_add_slowly', body: item }), (ctx) => {
    ctx.type = 'text/event-stream'
    ctx.body = Readable.from(
      (async function* () {
        yield 'data: begun\n\n'
        await new Promise((resolve) => setImmediate(resolve))
        shop.add(data(ctx), itemOf(ctx))
        await (ctx.session as unknown as { manuallyCommit(): Promise<void> }).manuallyCommit().catch(() => {})
        yield 'data: done\n\n'
      })(),
      { objectMode: false },
    )
  })
  routes.post('/later', asTool({ name: 'cart_add_later', body: item }), async (ctx) => {
    await begun.opened
    ctx.body = shop.add(data(ctx), itemOf(ctx))
  })
  routes.post('/login/:name', asTool({ name: 'login' }), (ctx) => {
    if (stored) (ctx.session as unknown as { regenerate(): void }).regenerate()
    data(ctx).user = ctx.params.name as string
    ctx.body = {}
  })
  routes.post('/logout', asTool({ name: 'logout' }), (ctx) => {
    ctx.session = null
    ctx.body = {}
  })
  app.use(routes.routes() as unknown as Middleware)
  const { origin } = await listening(app)
  return { origin, kept }
}

describe.each([
  ['Koa 2', Koa2 as unknown as KoaModule],
  ['Koa 3', Koa3],
])('%s', (_, Koa) => {
  test.each(ways)('in %s, writes of calls are kept', async (_name, way) => {
    const { origin } = await start(Koa, way)
    await proveKept(origin, { counts: way.counts === true ? 7 : undefined, streams: way.stored })
  })

  test.each(ways.filter(([, { counts }]) => counts !== true))(
    'in %s, what a call writes after the answer of its batch has begun is kept where that is possible',
    async (_name, way) => {
      const { origin } = await start(Koa, way)
      const jar = new Jar()
      const get = (path: string) => send(origin + path, { method: 'GET', headers: jar.header })
      jar.keep((await get('/login/ana')).headers['set-cookie'] ?? [])
      const call = (id: number, name: string, args: object) =>
        rpc('tools/call', { name, arguments: args, _meta: { progressToken: id } }, id)
      const batch = [call(1, 'begin', {}), call(2, 'cart_add_later', { item: 'z' })]
      const { status, text } = await post(`${origin}/mcp`, batch, jar.header)
      expect(status).toBe(200)
      expect(text).toContain('begun')
      expect(text).toContain('{\\"items\\":[\\"z\\"]}')
      const { json } = await get('/cart')
      expect(json).toMatchObject({ user: 'ana', ...(way.stored && { items: ['z'] }) })
      if (!way.stored) expect(json).not.toHaveProperty('items')
    },
  )

  test.each(ways)('in %s, a login by a tool is one', async (_name, way) => {
    const { origin, kept } = await start(Koa, way)
    await proveLogin(origin)
    expect(kept.size).toBe(way.stored ? 1 : 0)
  })
})
