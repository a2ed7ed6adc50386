/** All places where middleware can be mounted. */

import Router15 from '@koa/router'
import mount from 'koa-mount'
import Router12 from 'koa-router12'
import Router13 from 'koa-router13'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/koa'
import { describe, expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { expectError, expectText } from '../../contract/expect.js'
import { quiet } from '../../contract/host.js'
import { router } from '../placed.js'
import { type App, type KoaModule, listening } from './host.js'

type Place = [what: string, place: (app: App, Koa: KoaModule) => unknown, served: string[], others: string[]]

const places: Place[] = [
  ['app.use(mcp())', (app) => app.use(mcp(router())), ['/mcp', '/mcp/'], ['/', '/api/mcp', '/mcp/mcp']],
  [
    "mount('/mcp', mcp())",
    (app) => app.use(mount('/mcp', mcp(router()))),
    ['/mcp', '/mcp/', '/mcp?a=1'],
    ['/mcp/else', '/', '/mcp/mcp'],
  ],
  [
    "mount('/api', mcp())",
    (app) => app.use(mount('/api', mcp(router()))),
    ['/api/mcp', '/api/mcp/'],
    ['/mcp'],
  ],
  ["mount('/api/', mcp())", (app) => app.use(mount('/api/', mcp(router()))), ['/api/mcp'], ['/api', '/mcp']],
  ["mount('/api/mcp', mcp())", (app) => app.use(mount('/api/mcp', mcp(router()))), ['/api/mcp'], ['/mcp']],
  [
    'mounts in mounts',
    (app) => app.use(mount('/api', mount('/v1', mcp(router())))),
    ['/api/v1/mcp'],
    ['/api/mcp', '/v1/mcp', '/mcp'],
  ],
  [
    'a sub-app',
    (app, Koa) => app.use(mount('/sub', new Koa().use(mcp(router())))),
    ['/sub/mcp'],
    ['/mcp', '/sub'],
  ],
  [
    'a sub-app at /mcp',
    (app, Koa) => app.use(mount('/mcp', new Koa().use(mcp(router())))),
    ['/mcp'],
    ['/mcp/x'],
  ],
  [
    'behind a mount that passes on',
    (app) => app.use(mount('/api', (_ctx, next) => next())).use(mcp(router())),
    ['/mcp'],
    ['/api/mcp', '/api'],
  ],
  ['a path of its own', (app) => app.use(mcp(router(), { path: '/ai' })), ['/ai'], ['/mcp']],
  [
    'a path of its own, mounted at it',
    (app) => app.use(mount('/v2/ai', mcp(router(), { path: '/ai' }))),
    ['/v2/ai'],
    ['/ai', '/mcp'],
  ],
  [
    'several paths',
    (app) => app.use(mount('/api', mcp(router(), { path: ['/mcp', '/ai'] }))),
    ['/api/mcp', '/api/ai'],
    ['/ai'],
  ],
]

type Routed = [
  what: string,
  place: (routes: Router15, Router: typeof Router15) => unknown,
  served: string[],
  others: string[],
]

const routed: Routed[] = [
  ["all('/mcp')", (routes) => routes.all('/mcp', mcp(router())), ['/mcp', '/mcp/'], ['/', '/x/mcp']],
  [
    "all('/x/mcp')",
    (routes) => routes.all('/x/mcp', mcp(router())),
    ['/x/mcp', '/x/mcp?a=1'],
    ['/mcp', '/x'],
  ],
  ["post('/x/mcp')", (routes) => routes.post('/x/mcp', mcp(router())), ['/x/mcp'], ['/mcp']],
  [
    'a route with a parameter',
    (routes) => routes.all('/t/:tenant/mcp', mcp(router())),
    ['/t/acme/mcp', '/t/a%20b/mcp', '/t/mcp/mcp'],
    ['/t/mcp', '/mcp'],
  ],
  [
    'a parameter in the place of the endpoint',
    (routes) => routes.all('/t/:tenant', mcp(router())),
    [],
    ['/t/mcp', '/mcp'],
  ],
  [
    "use('/ai')",
    (routes) => {
      routes.use('/ai', mcp(router()))
      routes.all('/ai/mcp', (ctx) => ctx.throw(404))
    },
    ['/ai/mcp'],
    ['/ai', '/mcp'],
  ],
  [
    'use() of a router with a prefix',
    (routes) => {
      routes.prefix('/pre')
      routes.use(mcp(router()))
      routes.all('/mcp', (ctx) => ctx.throw(404))
    },
    ['/pre/mcp'],
    ['/pre', '/mcp'],
  ],
  [
    'a route of a router with a prefix',
    (routes) => routes.prefix('/pre').all('/mcp', mcp(router())),
    ['/pre/mcp'],
    ['/pre', '/mcp'],
  ],
  [
    'a router in a router',
    (routes, Router) => {
      const inner = new Router().all('/mcp', mcp(router()))
      routes.use('/v1/:tenant', inner.routes())
    },
    ['/v1/acme/mcp'],
    ['/mcp', '/v1/mcp'],
  ],
]

const majors = { 12: Router12, 13: Router13, 15: Router15 } as const
/** The syntax of a wildcard, which changed in path-to-regexp 8. */
const everything = { 12: '/(.*)', 13: '/(.*)', 15: '{/*rest}' } as const

export function mounting(Koa: KoaModule): void {
  const check = async (
    app: Parameters<typeof listening>[0],
    served: string[],
    others: string[],
  ): Promise<void> => {
    const { origin, errors } = await listening(app)
    for (const path of served) {
      for (const client of [await legacy(origin + path), modern(origin + path)]) {
        expect(expectText(await client.call('where', {})), path).toBe(path)
      }
    }
    for (const path of others) expect((await post(origin + path, rpc('ping'))).status, path).toBe(404)
    expect(errors).toEqual([])
  }

  it.each(places)('serves both eras at the right path: %s', async (_, place, served, others) => {
    const app = new Koa()
    place(app, Koa)
    await check(app, served, others)
  })

  describe.each([12, 13, 15] as const)('@koa/router %i', (major) => {
    const Router = majors[major]

    it.each(routed)('serves both eras at the right path: %s', async (_, place, served, others) => {
      const routes = new Router()
      place(routes, Router)
      await check(new Koa().use(routes.routes()).use(routes.allowedMethods()), served, others)
    })

    it('serves all paths of a wildcard route', async () => {
      const routes = new Router().all(`/ai${everything[major]}`, mcp(router()))
      await check(new Koa().use(routes.routes()), ['/ai/mcp'], ['/ai/x/mcp', '/mcp', '/ai/x'])
    })

    it('serves a router that is mounted itself', async () => {
      const routes = new Router().all('/ai/mcp', mcp(router()))
      await check(new Koa().use(mount('/api', routes.routes())), ['/api/ai/mcp'], ['/ai/mcp', '/api/mcp'])
    })

    it('matches the case of routes as the router does', async () => {
      const routes = new Router().all('/x/mcp', mcp(router()))
      const { origin } = await listening(new Koa().use(routes.routes()))
      for (const path of ['/X/MCP', '/x/Mcp/'])
        expect((await post(origin + path, rpc('ping'))).status, path).toBe(200)
    })

    it('answers 405 if all methods were routed to it, and leaves other methods to the app if one was', async () => {
      const routes = new Router().post('/x/mcp', mcp(router())).all('/y/mcp', mcp(router()))
      const { origin } = await listening(new Koa().use(routes.routes()))
      expect((await send(`${origin}/x/mcp`, { method: 'GET' })).status).toBe(404)
      expectError(await send(`${origin}/y/mcp`, { method: 'GET' }), 405, -32600)
    })

    it('gives handlers the parameters of its route', async () => {
      const made = router()
      made.tool('tenant', { description: 'x', handler: (_, { request }) => request?.raw.params.tenant })
      const routes = new Router().all('/t/:tenant/mcp', mcp(made))
      const { origin } = await listening(new Koa().use(routes.routes()))
      expect(expectText(await modern(`${origin}/t/acme/mcp`).call('tenant', {}))).toBe('acme')
    })
  })

  it('keeps two routers in one app separate', async () => {
    const [first, second] = [router(), router()]
    first.tool('first', { description: 'x', handler: () => '1' })
    second.tool('second', { description: 'x', handler: () => '2' })
    const app = new Koa().use(mount('/one', mcp(first))).use(mount('/two', mcp(second)))
    const { origin } = await listening(app)
    expect(expectText(await modern(`${origin}/one/mcp`).call('first', {}))).toBe('1')
    expect(expectText(await modern(`${origin}/two/mcp`).call('second', {}))).toBe('2')
    expectError(await modern(`${origin}/two/mcp`).call('first', {}), 200, -32602, 1)
  })

  it('works without a router: `app.use(mcp())` has the name and version of the app', async () => {
    const { origin } = await listening(new Koa().use(mcp()))
    const { json } = await modern(`${origin}/mcp`).request('server/discover')
    const info = json.result._meta['io.modelcontextprotocol/serverInfo']
    expect(info).toMatchObject({ name: expect.any(String), version: expect.stringMatching(/^\d+\.\d+/) })
  })

  it('passes requests for other paths to next(), unchanged', async () => {
    const app = new Koa().use(mcp(router())).use((ctx) => {
      ctx.body = { url: ctx.url, read: ctx.req.readableDidRead, status: ctx.status, state: ctx.state }
    })
    const { origin } = await listening(app)
    const { json } = await post(`${origin}/tasks?a=1`, { a: 1 })
    expect(json).toEqual({ url: '/tasks?a=1', read: false, status: 404, state: {} })
  })

  it('logs once where the endpoint is when a client posts to the mount point', async () => {
    const said: string[] = []
    const told = new McpRouter<object>({ logger: { ...quiet, warn: (text: string) => said.push(text) } })
    const { origin } = await listening(new Koa().use(mount('/ai', mcp(told))))
    for (const _ of [1, 2]) await post(`${origin}/ai`, rpc('ping'))
    expect(said).toEqual([expect.stringMatching(/the endpoint is \/ai\/mcp/)])
  })

  it.each<[string, object]>([
    ['pathh', { pathh: '/x' }],
    ['path', { path: 'mcp' }],
    ['user', { user: 'me' }],
    ['maxBodyBytes', { maxBodyBytes: '4mb' }],
  ])('throws at once for a wrong `%s`', (name, options) => {
    expect(() => mcp(router(), options)).toThrow(name)
  })

  it("throws at once for a value that isn't a router", () => {
    expect(() => mcp({} as never)).toThrow(/McpRouter/)
  })
}
