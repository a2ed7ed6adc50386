/** A Koa app inside another one: its routes are called through the root app, under the prefix of its mount. */

import Router from '@koa/router'
import Koa3 from 'koa'
import compose from 'koa-compose'
import mount from 'koa-mount'
import Koa2 from 'koa2'
import { McpRouter } from 'mcp-router'
import { asTool, mcp } from 'mcp-router/koa'
import { describe, expect, test, vi } from 'vitest'
import { modern } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'
import { namesOf, read } from '../route-tools/serve.js'
import { type KoaModule, listening } from './host.js'

/** An app with one marked route, and a root app that requires a key. */
function parts(Koa: KoaModule) {
  const [warn, error] = [vi.fn(), vi.fn()]
  const router = new McpRouter<object>({ logger: { ...quiet, warn, error } })
  const passed: string[] = []
  const root = new Koa()
  root.use((ctx, next) => {
    passed.push(ctx.originalUrl)
    return ctx.get('authorization') === 'Bearer key' ? next() : ctx.throw(401, 'The root wants a key')
  })
  const sub = new Koa()
  const routes = new Router()
  routes.get('/users/:id', asTool({ description: 'One user' }), (ctx) => {
    ctx.body = { id: ctx.params.id, url: ctx.originalUrl }
  })
  const table = routes.routes() as unknown as Koa3.Middleware
  const as = (url: string) => modern(url, { headers: { Authorization: 'Bearer key' } })
  return { router, root, sub, table, passed, warn, error, as }
}

describe.each([
  ['Koa 2', Koa2 as unknown as KoaModule],
  ['Koa 3', Koa3],
])('%s', (_, Koa) => {
  test.each([
    ['/api', '/api', 'get_api_users_by_id'],
    ['/', '', 'get_users_by_id'],
  ])('climbs from an app that is mounted at %s', async (at, prefix, name) => {
    const { router, root, sub, table, passed, as } = parts(Koa)
    sub.use(mcp(router, { app: sub })).use(table)
    root.use(mount(at, sub))
    const { origin } = await listening(root)
    const client = as(`${origin}${prefix}/mcp`)
    expect(await namesOf(client)).toEqual([name])
    passed.length = 0
    const { text } = read(await client.call(name, { id: '7' }))
    expect(text).toBe(`{"id":"7","url":"${prefix}/users/7"}`)
    expect(passed).toEqual([`${prefix}/mcp`, `${prefix}/users/7`])
  })

  test('finds the root even if routes were listed and called before the mount path was known', async () => {
    const { router, root, sub, table, passed, as } = parts(Koa)
    sub.use(table).use(mcp(router, { app: sub }))
    expect(router.list().map(({ name }) => name)).toContain('get_users_by_id')
    root.use(mount('/api', sub))
    const { origin } = await listening(root)
    const client = as(`${origin}/api/mcp`)
    const stale = await client.call('get_users_by_id', { id: '7' })
    expect(stale.json.error).toBeDefined()
    expect(read(await client.call('get_api_users_by_id', { id: '7' })).text).toContain('"/api/users/7"')
    expect(passed).toEqual(['/api/mcp', '/api/mcp', '/api/users/7'])
    expect(router.list().map(({ name }) => name)).not.toContain('get_users_by_id')
  })

  test('also finds the routes of the root, and apps of `apps` below the prefix', async () => {
    const { router, root, sub, table, as } = parts(Koa)
    const deep = new Koa().use(one('/deep'))
    const options = { app: sub, routes: { include: ['/**'], apps: [{ app: deep, prefix: '/more' }] } }
    sub.use(mcp(router, options)).use(table).use(mount('/more', deep))
    root.use(mount('/api', sub))
    root.use(one('/top'))
    const { origin } = await listening(root)
    const client = as(`${origin}/api/mcp`)
    expect(await namesOf(client)).toEqual(['get_api_more_deep', 'get_api_users_by_id', 'get_top'])
    expect(read(await client.call('get_api_more_deep')).text).toBe('/deep')
    expect(read(await client.call('get_top')).text).toBe('/top')
  })

  test.each([
    ['several mounts', (sub: Koa3) => mount('/api', new Koa().use(mount('/v1', sub))), '/api/v1'],
    ['a path that was rewritten', (sub: Koa3) => compose([rewrite, mount('/api', sub)]), '/en/api'],
  ])('has no tools of an app behind %s, and says what to do', async (_case, around, prefix) => {
    const { router, root, sub, table, warn, as } = parts(Koa)
    sub.use(mcp(router, { app: sub })).use(table)
    root.use(around(sub))
    const { origin } = await listening(root)
    const client = as(`${origin}${prefix}/mcp`)
    expect((await client.request('tools/list')).json.result?.tools).toBeUndefined()
    expect(router.list().filter(({ kind }) => kind === 'tool')).toEqual([])
    expect(warn.mock.calls.flat().join()).toContain('routes: { apps: [{ app: sub, prefix')
  })

  test('accepts both apps in its options', async () => {
    const { router, root, sub, table, passed, as } = parts(Koa)
    sub.use(table)
    sub.use(mcp(router, { app: root, routes: { apps: [{ app: sub, prefix: '/api/v1' }] } }))
    root.use(mount('/api', new Koa().use(mount('/v1', sub))))
    const { origin } = await listening(root)
    const client = as(`${origin}/api/v1/mcp`)
    expect(read(await client.call('get_api_v1_users_by_id', { id: '7' })).text).toContain('"/api/v1/users/7"')
    expect(passed).toEqual(['/api/v1/mcp', '/api/v1/users/7'])
  })
})

/** Returns the middleware of one route. */
function one(path: string): Koa3.Middleware {
  const routes = new Router()
  routes.get(path, (ctx) => {
    ctx.body = ctx.path
  })
  return routes.routes() as unknown as Koa3.Middleware
}

async function rewrite(ctx: Koa3.Context, next: Koa3.Next): Promise<void> {
  ctx.path = ctx.path.replace(/^\/en/, '')
  await next()
}
