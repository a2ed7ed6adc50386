/** koa-bodyparser and koa-body, in front of the mount and behind it. */

import { koaBody } from 'koa-body'
import bodyParser from 'koa-bodyparser'
import { mcp } from 'mcp-router/koa'
import { expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { expectError, expectResult, expectText } from '../../contract/expect.js'
import { router } from '../placed.js'
import { type App, type KoaModule, listening } from './host.js'

const parsers = {
  'koa-bodyparser': () => bodyParser(),
  'koa-body': () => koaBody(),
  'koa-body, also for Node': () => koaBody({ patchNode: true, multipart: true }),
  'koa-body with the raw text': () => koaBody({ includeUnparsed: true }),
}

export function bodyParsers(Koa: KoaModule): void {
  const own = (app: App): App =>
    app.use((ctx) => {
      ctx.body = { got: (ctx.request as { body?: unknown }).body ?? null }
    })

  it.each(Object.entries(parsers))('serves both eras behind %s', async (_, parser) => {
    const { origin, errors } = await listening(new Koa().use(parser()).use(mcp(router())))
    for (const client of [await legacy(`${origin}/mcp`), modern(`${origin}/mcp`)]) {
      expect(expectText(await client.call('where', {}))).toBe('/mcp')
      expect(await client.notify('notifications/initialized')).toMatchObject({ status: 202, text: '' })
    }
    expectError(await post(`${origin}/mcp`, rpc('ping'), { 'Content-Type': 'text/plain' }), 415, -32600)
    expect(errors).toEqual([])
  })

  it.each(Object.entries(parsers))(
    'serves in front of %s, which parses all other requests',
    async (_, parser) => {
      const app = own(new Koa().use(mcp(router())).use(parser()))
      const { origin } = await listening(app)
      expectResult(await post(`${origin}/mcp`, rpc('ping')))
      expectError(await post(`${origin}/mcp`, '{"jsonrpc":'), 400, -32700)
      expect((await post(`${origin}/own`, { a: 1 })).json.got).toMatchObject({ a: 1 })
    },
  )

  it('leaves errors of a parser in front to the app, unchanged', async () => {
    const { origin, errors } = await listening(new Koa().use(bodyParser()).use(mcp(router())))
    const refused = await post(`${origin}/mcp`, '{"jsonrpc":')
    expect(refused.status).toBe(400)
    expect(refused.headers['content-type']).toMatch(/^text\/plain/)
    expect(errors).toMatchObject([{ status: 400 }])
  })

  it('applies its own limit to parsed bodies', async () => {
    const big = rpc('tools/call', { name: 'where', arguments: { text: 'x'.repeat(600) } })
    const { origin } = await listening(new Koa().use(bodyParser()).use(mcp(router(), { maxBodyBytes: 500 })))
    expectError(await post(`${origin}/mcp`, big), 413, -32600)
    expectResult(await post(`${origin}/mcp`, rpc('ping')))
  })

  it('reads a gzipped body that a parser decompressed, and refuses one that is still compressed', async () => {
    const { gzipSync } = await import('node:zlib')
    const sent = { body: gzipSync(JSON.stringify(rpc('ping'))), headers: { 'Content-Encoding': 'gzip' } }
    const unpacked = await listening(new Koa().use(bodyParser()).use(mcp(router())))
    expectResult(await send(`${unpacked.origin}/mcp`, sent))
    const packed = await listening(new Koa().use(mcp(router())))
    expectError(await send(`${packed.origin}/mcp`, sent), 415, -32600)
  })
}
