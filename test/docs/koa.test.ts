/** What docs/koa.md promises. */

import Router from '@koa/router'
import jsonwebtoken from 'jsonwebtoken'
import Koa, { type Middleware } from 'koa'
import compose from 'koa-compose'
import mount from 'koa-mount'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/koa'
import { beforeAll, describe, expect, it } from 'vitest'
import { listen, modern, post } from './client.js'
import { app, secret } from './preludes/koa.js'
import { koaPage, load } from './programs.js'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('the page', () => {
  let base: string
  const as = (sub: string, role?: string) => ({
    headers: { Authorization: `Bearer ${jsonwebtoken.sign({ sub, role }, secret)}` },
  })
  const call = async (path: string, name: string, args: object, extra = {}) =>
    (await modern(base + path, 'tools/call', { name, arguments: args }, extra)).messages[0].result

  beforeAll(async () => {
    await load(koaPage)
    base = await listen(app)
  })

  it.each(['/mcp', '/api/mcp', '/ai/mcp', '/acme/mcp'])('shows users their notes at %s', async (path) => {
    expect(await call(path, 'note_list', {}, as('ana'))).toMatchObject({
      content: [{ text: '["Buy milk"]' }],
    })
    expect((await modern(base + path, 'tools/call', { name: 'note_list' })).status).toBe(401)
  })

  it('serves health at the root alone, and leaves the rest to the app', async () => {
    expect(await (await fetch(`${base}/mcp/health`)).json()).toMatchObject({ status: 'ok', server: 'notes' })
    for (const path of ['/', '/api', '/api/mcp/health', '/mcp/x', '/MCP', '/api//mcp'])
      expect([path, (await post(base + path, ping)).status]).toEqual([path, 404])
  })

  it('refuses through the guard', async () => {
    const add = (role?: string) => call('/mcp', 'note_add', { text: 'Paint' }, as('ben', role))
    expect(await add()).toMatchObject({ isError: true, content: [{ text: 'You need the role editor' }] })
    expect(await add('editor')).toMatchObject({ content: [{ text: 'added Paint' }] })
  })
})

describe('where it is served', () => {
  const make = () => new McpRouter<object>({ logger: { info() {}, warn() {}, error() {} } })
  const passOn: Middleware = (_ctx, next) => next()
  const routed = (path: string, handler: Middleware) => new Router().all(path, handler).routes() as Middleware
  const mounts: [string, (of: Koa) => unknown, string[], string[]][] = [
    ['use(mcp)', (of) => of.use(mcp(make())), ['/mcp', '/mcp/'], ['/', '/mcp/x', '/MCP']],
    ['mount(/mcp)', (of) => of.use(mount('/mcp', mcp(make()))), ['/mcp'], ['/mcp/mcp', '/']],
    ['mount(/ai)', (of) => of.use(mount('/ai', mcp(make()))), ['/ai/mcp'], ['/ai', '/mcp']],
    ['path', (of) => of.use(mount('/ai', mcp(make(), { path: '/ai' }))), ['/ai'], ['/ai/mcp']],
    ['sub-app', (of) => of.use(mount('/sub', new Koa().use(mcp(make())))), ['/sub/mcp'], ['/mcp', '/sub']],
    ['route', (of) => of.use(routed('/ai/mcp', mcp(make()))), ['/ai/mcp', '/AI/MCP'], ['/ai', '/mcp']],
    ['wildcard', (of) => of.use(routed('/ai{/*rest}', mcp(make()))), ['/ai/mcp'], ['/ai', '/ai/x/mcp']],
    ['wrapped', (of) => of.use(routed('/ai/mcp', compose([passOn, mcp(make())]))), [], ['/ai/mcp']],
    [
      'wrapped, with the whole address',
      (of) => of.use(routed('/ai/mcp', compose([passOn, mcp(make(), { path: '/ai/mcp' })]))),
      ['/ai/mcp'],
      ['/mcp'],
    ],
    [
      'use() of a router without a route',
      (of) => of.use(new Router().use('/ai', mcp(make())).routes() as Middleware),
      [],
      ['/ai/mcp'],
    ],
  ]

  it.each(mounts)('%s', async (_, place, served, passed) => {
    const own = new Koa()
    place(own)
    own.use((ctx) => {
      ctx.status = 418
    })
    const url = await listen(own)
    for (const path of served) expect([path, (await post(url + path, ping)).status]).toEqual([path, 200])
    for (const path of passed) expect([path, (await post(url + path, ping)).status]).toEqual([path, 418])
  })
})
