/** Options of @koa/router that change which route handles a request, and which guards are in front of it. */

import { createRequire } from 'node:module'
import type KoaRouter from '@koa/router'
import type Koa from 'koa'
import { McpRouter } from 'mcp-router'
import { describe, expect, test, vi } from 'vitest'
import { koaRoutes } from '../../../integrations/koa/routes-source.js'
import { type AnyRouteOptions, connectRoutes } from '../../../src/internal.js'
import { quiet } from '../../contract/host.js'

const load = createRequire(import.meta.url)

const Koa2 = load('koa2') as typeof Koa
const Koa3 = load('koa') as typeof Koa
const hosts: readonly { version: number; Application: typeof Koa; Router: typeof KoaRouter }[] = [
  { version: 12, Application: Koa2, Router: load('koa-router12') },
  { version: 13, Application: Koa3, Router: load('koa-router13') },
  { version: 15, Application: Koa3, Router: load('@koa/router') },
]

describe.each(hosts)('@koa/router $version', ({ version, Application, Router }) => {
  const make = (options: object = {}): KoaRouter =>
    new Router(options as ConstructorParameters<typeof KoaRouter>[0])

  function read(app: Koa, routes: AnyRouteOptions = { include: ['* /**'] }) {
    const warn = vi.fn()
    const router = new McpRouter<object>({ logger: { ...quiet, warn } })
    connectRoutes(router, koaRoutes, { routes, app })
    const list = router.list()
    const tools = list.filter(({ kind }) => kind === 'tool').map(({ name }) => name)
    const call = async (name: string, args: object = {}, headers: Record<string, string> = {}) => {
      const request = { method: 'POST', url: '/mcp', ip: '127.0.0.1', raw: undefined, headers }
      const { content, isError } = await router.call(name, args, { request } as never)
      const [block] = content as { text: string }[]
      return isError === true ? `refused: ${block?.text}` : block?.text
    }
    const postures = Object.fromEntries(list.map(({ name, route }) => [name, route]))
    return { router, tools, call, postures, warn }
  }

  const answer =
    (text: string): Koa.Middleware =>
    (ctx) => {
      ctx.body = text
    }
  const requireLogin: Koa.Middleware = (ctx, next) => {
    ctx.set('x-login', 'seen')
    return next()
  }

  describe('`exclusive`', () => {
    test("selects the last matching route: that one is the tool, and the router's middleware is not in front of it", async () => {
      const app = new Application()
      const table = make({ exclusive: true })
      table.use(requireLogin)
      table.get('/users/:id', answer('first'))
      table.get('/users/:name', answer('second'))
      table.post('/users', answer('added'))
      app.use(table.routes() as Koa.Middleware)
      const { tools, call, postures } = read(app)
      expect(tools.toSorted()).toEqual(['get_users_by_name', 'post_users'])
      expect(await call('get_users_by_name', { name: '7' })).toBe('second')
      expect(await call('post_users')).toBe('added')
      expect(postures.post_users).toMatchObject({ guards: [], checksCaller: 'no' })
      expect(postures['GET /users/{id}']?.reason).toContain('GET /users/{name}')
    })

    test('makes no tool of a route if a later middleware runs instead', async () => {
      const app = new Application()
      const table = make({ exclusive: true })
      table.get('/users/:id', answer('user'))
      table.get('/tasks/:id', answer('task'))
      table.use('/users', requireLogin)
      app.use(table.routes() as Koa.Middleware)
      const { tools, call, postures, warn } = read(app)
      expect(tools).toEqual(['get_tasks_by_id'])
      expect(await call('get_tasks_by_id', { id: '7' })).toBe('task')
      expect(postures['GET /users/{id}']?.reason).toContain('exclusive')
      expect(warn.mock.calls.flat().join()).toMatch(
        /GET \/users\/{id} is not a tool: its router is exclusive/,
      )
    })

    test('refuses values that a later route would handle', async () => {
      const app = new Application()
      const table = make({ exclusive: true })
      table.get('/users/:id', answer('any'))
      table.get('/users/me', answer('me'))
      table.get(/^\/users\/\d+$/, answer('number'))
      app.use(table.routes() as Koa.Middleware)
      const { call } = read(app)
      expect(await call('get_users_by_id', { id: 'ana' })).toBe('any')
      expect(await call('get_users_by_id', { id: 'me' })).toContain('GET /users/me')
      expect(await call('get_users_by_id', { id: '7' })).toMatch(/^refused/)
      expect(await call('get_users_me')).toBe('me')
    })

    test.runIf(version === 15)('by specificity selects the route with the fewest parameters', async () => {
      const app = new Application()
      const table = make({ exclusive: 'specificity' })
      table.get('/:kind/:id', answer('two'))
      table.get('/users/:id', answer('one'))
      table.get('/users/:name', answer('twin'))
      app.use(table.routes() as Koa.Middleware)
      const { tools, call } = read(app)
      expect(tools.toSorted()).toEqual(['get_by_kind_by_id', 'get_users_by_id'])
      expect(await call('get_users_by_id', { id: '7' })).toBe('one')
      expect(await call('get_by_kind_by_id', { kind: 'tasks', id: '7' })).toBe('two')
      expect(await call('get_by_kind_by_id', { kind: 'users', id: '7' })).toMatch(/^refused/)
    })
  })

  describe('`host`', () => {
    const hosted = (host: unknown, text: string): KoaRouter => make({ host }).get('/x', answer(text))

    test('is sent by the tool, whatever host the caller uses, and is a part of its name', async () => {
      for (const proxy of [false, true]) {
        const app = new Application()
        app.proxy = proxy
        for (const table of [hosted('a.example.com', 'a'), hosted('b.example.com', 'b')]) {
          app.use(table.routes() as Koa.Middleware)
        }
        const { tools, call, postures } = read(app)
        expect(tools).toEqual(['get_x_host_a_example_com', 'get_x_host_b_example_com'])
        for (const host of ['a.example.com', 'b.example.com', 'c.example.com']) {
          const headers = { host, 'x-forwarded-host': host }
          expect(await call('get_x_host_a_example_com', {}, headers)).toBe('a')
          expect(await call('get_x_host_b_example_com', {}, headers)).toBe('b')
        }
        expect(postures.get_x_host_a_example_com?.constraints).toEqual({ host: 'a.example.com' })
      }
    })

    test('keeps callers of a host from routes that another router handles there', async () => {
      const app = new Application()
      app.use(hosted('a.example.com', 'a').routes() as Koa.Middleware)
      app.use(make().get('/x', answer('any')).routes() as Koa.Middleware)
      const { tools, call } = read(app)
      expect(tools).toEqual(['get_x_host_a_example_com', 'get_x'])
      expect(await call('get_x', {}, { host: 'c.example.com' })).toBe('any')
      expect(await call('get_x', {}, { host: 'a.example.com' })).toContain('GET /x (host a.example.com)')
    })

    test('has no effect on a router behind one without a host', () => {
      const app = new Application()
      app.use(make().get('/x', answer('any')).routes() as Koa.Middleware)
      app.use(hosted('a.example.com', 'a').routes() as Koa.Middleware)
      expect(read(app).tools).toEqual(['get_x'])
    })

    test('as a pattern must match the host that the caller uses', async () => {
      for (const proxy of [false, true]) {
        const app = new Application()
        app.proxy = proxy
        app.use(hosted(/^\w+\.example\.com$/, 'tenant').routes() as Koa.Middleware)
        app.use(make().get('/x', answer('any')).routes() as Koa.Middleware)
        const { tools, call } = read(app)
        const [tool = ''] = tools
        const at = (host: string) => (proxy ? { host: 'inner', 'x-forwarded-host': host } : { host })
        expect(await call(tool, {}, at('a.example.com'))).toBe('tenant')
        expect(await call(tool, {}, at('elsewhere.org'))).toMatch(/^refused: .*host/)
        expect(await call('get_x', {}, at('a.example.com'))).toMatch(/^refused/)
        expect(await call('get_x', {}, at('elsewhere.org'))).toBe('any')
      }
    })

    test.runIf(version === 15)('may be a list', async () => {
      const app = new Application()
      app.use(hosted(['a.example.com', 'b.example.com'], 'ab').routes() as Koa.Middleware)
      const { tools, call } = read(app)
      expect(await call(tools[0] ?? '', {}, { host: 'localhost' })).toBe('ab')
    })

    test('of a nested router has no effect, as in @koa/router', async () => {
      const app = new Application()
      const outer = make()
      outer.use('/in', hosted('a.example.com', 'nested').routes())
      app.use(outer.routes() as Koa.Middleware)
      expect(await read(app).call('get_in_x', {}, { host: 'localhost' })).toBe('nested')
    })
  })

  test("`strict` and `sensitive` don't bypass the route of a tool", async () => {
    const app = new Application()
    const table = make({ strict: true, sensitive: true, prefix: '/Api' })
    table.get('/tasks/', answer('with a slash'))
    table.get('/Users/:id', answer('Users'))
    table.get('/users/:id', answer('users'))
    app.use(table.routes() as Koa.Middleware)
    const { tools, call } = read(app)
    expect(await call(tools[0] ?? '')).toBe('with a slash')
    for (const tool of tools.slice(1)) {
      expect(await call(tool, { id: '7' })).toBe(tool.split('_')[2])
    }
    expect(tools.length).toBeGreaterThan(1)
  })

  test("`prefix` may have parameters: they become arguments, and the router's middleware is in front", async () => {
    const app = new Application()
    const table = make({ prefix: '/:tenant' })
    table.use(requireLogin)
    table.get('/tasks/:id', (ctx: Koa.Context) => {
      ctx.body = `${ctx.params.tenant} ${ctx.params.id} ${String(ctx.response.get('x-login'))}`
    })
    table.put('/', answer('index'))
    app.use(table.routes() as Koa.Middleware)
    const { tools, call, postures } = read(app)
    expect(tools).toEqual(['get_by_tenant_tasks_by_id', 'put_by_tenant'])
    expect(await call('get_by_tenant_tasks_by_id', { tenant: 'acme', id: '7' })).toBe('acme 7 seen')
    expect(await call('put_by_tenant', { tenant: 'acme' })).toBe('index')
    for (const tool of tools) {
      expect(postures[tool]).toMatchObject({ guards: ['requireLogin'], checksCaller: 'yes' })
    }
  })

  test('`methods` affects `allowedMethods()`, but not the routes', async () => {
    const app = new Application()
    const table = make({ methods: ['GET'] })
    table.post('/tasks', answer('added'))
    app.use(table.allowedMethods() as Koa.Middleware).use(table.routes() as Koa.Middleware)
    expect(await read(app).call('post_tasks')).toBe('added')
  })

  test('lists handlers for every method as guards if they call next()', async () => {
    const app = new Application()
    const everything = version === 15 ? '/admin{/*rest}' : '/admin/(.*)'
    const table = make()
    table.all(everything, requireLogin)
    table.delete('/admin/tasks/:id', answer('gone'))
    table.delete('/tasks/:id', answer('gone'))
    app.use(table.routes() as Koa.Middleware)
    const { postures } = read(app)
    expect(postures.delete_admin_tasks_by_id).toMatchObject({ guards: ['requireLogin'], checksCaller: 'yes' })
    expect(postures.delete_tasks_by_id).toMatchObject({ guards: [], checksCaller: 'no' })
  })

  test('lists no middleware as a guard that some values of a parameter bypass', () => {
    const app = new Application()
    const table = make()
    if (version < 14) table.use('/tasks/:id(\\D+)', requireLogin)
    else table.use('/tasks/~any~', requireLogin)
    table.delete('/tasks/:id', answer('gone'))
    app.use(table.routes() as Koa.Middleware)
    expect(read(app).postures.delete_tasks_by_id).toMatchObject({ guards: [], checksCaller: 'no' })
  })
})
