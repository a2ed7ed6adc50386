/** Routes of Koa apps as tools: discovery and guards. */

import { createRequire } from 'node:module'
import type KoaRouter from '@koa/router'
import type Koa from 'koa'
import compose from 'koa-compose'
import mount from 'koa-mount'
import { McpRouter } from 'mcp-router'
import { describe, expect, test, vi } from 'vitest'
import { asTool } from '../../../integrations/koa/as-tool.js'
import { koaRoutes } from '../../../integrations/koa/routes-source.js'
import { type AnyRouteOptions, connectRoutes } from '../../../src/internal.js'
import { quiet } from '../../contract/host.js'

const load = createRequire(import.meta.url)

const hosts: readonly { name: string; Application: typeof Koa; Router: typeof KoaRouter; modern: boolean }[] =
  [
    {
      name: 'Koa 2 with @koa/router 12',
      Application: load('koa2'),
      Router: load('koa-router12'),
      modern: false,
    },
    {
      name: 'Koa 3 with @koa/router 13',
      Application: load('koa'),
      Router: load('koa-router13'),
      modern: false,
    },
    {
      name: 'Koa 3 with @koa/router 15',
      Application: load('koa'),
      Router: load('@koa/router'),
      modern: true,
    },
  ]

const pass: Koa.Middleware = (_ctx, next) => next()
const named = (name: string): Koa.Middleware =>
  Object.defineProperty((...args: Parameters<Koa.Middleware>) => pass(...args), 'name', { value: name })
const ok = (ctx: Koa.Context): void => {
  ctx.body = { url: ctx.originalUrl, params: ctx.params }
}
const marked = (options: object): Koa.Middleware => asTool(options) as Koa.Middleware

function read(app: Koa, routes: AnyRouteOptions = { include: ['* /**'] }) {
  const warn = vi.fn()
  const router = new McpRouter<object>({ logger: { ...quiet, warn } })
  connectRoutes(router, koaRoutes, { routes, app })
  const routesOf = () =>
    Object.fromEntries(
      router.list().map(({ name, route }) => [`${route?.method} ${route?.path}`.trim(), { name, ...route }]),
    )
  return { router, routesOf, warn }
}

describe.each(hosts)('$name', ({ Application, Router, modern }) => {
  test('finds the routes of nested routers under all their prefixes', () => {
    const app = new Application()
    const inner = new Router()
    inner.get('/', ok).get('/:id', ok)
    const outer = new Router({ prefix: '/v1' })
    outer.use('/orgs/:org', inner.routes())
    outer.use('/again', inner.routes())
    app.use(outer.routes())
    expect(Object.keys(read(app).routesOf())).toEqual([
      'GET /v1/orgs/{org}',
      'GET /v1/orgs/{org}/{id}',
      'GET /v1/again',
      'GET /v1/again/{id}',
    ])
  })

  test('reads apps behind koa-mount and koa-compose if they are in `apps`', async () => {
    const app = new Application()
    const admin = new Application()
    const inAdmin = new Router().get('/users/:id', ok)
    const hidden = new Router().get('/composed', ok)
    admin.use(inAdmin.routes())
    app.use(mount('/admin', admin))
    app.use(compose([named('some'), hidden.routes() as Koa.Middleware]))
    expect(Object.keys(read(app).routesOf())).toEqual([])
    const { router, routesOf } = read(app, {
      include: ['/**'],
      apps: [{ app: admin, prefix: '/admin' }, hidden],
    })
    expect(Object.keys(routesOf())).toEqual(['GET /admin/users/{id}', 'GET /composed'])
    expect(routesOf()['GET /admin/users/{id}']?.checksCaller).toBe('unknown')
    const called = await router.call('get_admin_users_by_id', { id: '7' })
    expect(called.content).toMatchObject([{ text: '{"url":"/admin/users/7","params":{"id":"7"}}' }])
  })

  test('reports values in `apps` that are neither an app nor a router, and reads duplicates once', async () => {
    const app = new Application()
    const hidden = new Router().get('/composed', ok)
    app.use(compose([named('some'), hidden.routes() as Koa.Middleware]))
    const { routesOf } = read(app, {
      include: ['/**'],
      apps: [hidden, hidden.routes(), {}, { app: {}, prefix: '/x' }],
    })
    const routes = Object.entries(routesOf())
    expect(routes.filter(([name]) => name.startsWith('GET '))).toHaveLength(1)
    const reasons = routes.map(([, { reason }]) => reason).filter((reason) => reason !== undefined)
    expect(reasons).toEqual([
      expect.stringContaining('expected a Koa app or a router in `routes.apps`'),
      expect.stringContaining('expected a Koa app or a router in `routes.apps`'),
    ])
  })

  test('lists the middleware in front, according to its path', () => {
    const app = new Application()
    const router = new Router({ prefix: '/v1' })
    app.use(named('logger'))
    router.get('/open', ok)
    router.use(named('everywhere'))
    router.use('/admin', named('requireAuth'))
    router.get('/admin/users', named('validate'), ok)
    router.get('/adminish', ok)
    app.use(router.routes())
    app.use(named('tooLate'))
    const { routesOf } = read(app)
    const guards = Object.entries(routesOf()).map(([route, found]) => [
      route,
      found.guards?.join(' '),
      found.checksCaller,
    ])
    expect(guards).toEqual([
      ['GET /v1/open', 'logger', 'no'],
      ['GET /v1/admin/users', 'logger everywhere requireAuth validate', 'yes'],
      ['GET /v1/adminish', 'logger everywhere', 'unknown'],
    ])
  })

  test('hides routes behind a hidden marker, and warns that other markers in front have no effect', () => {
    const app = new Application()
    const [router, open] = [new Router({ prefix: '/v1' }), new Router()]
    router.get('/before', ok)
    router.use('/admin', marked({ hidden: true }))
    router.get('/admin/users', ok)
    open.use(marked({ description: 'Everything.' }))
    open.get('/open', ok)
    app.use(router.routes()).use(open.routes())
    const { routesOf, warn } = read(app)
    expect(routesOf()).toMatchObject({
      'GET /v1/before': { tool: 'get_v1_before' },
      'GET /v1/admin/users': { reason: 'hidden' },
      'GET /open': { tool: 'get_open' },
    })
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringContaining('asTool() in front of GET /open marks no route'),
    ])
  })

  test("reports that a regular expression can't be read, and keeps all other routes", () => {
    const app = new Application()
    const router = new Router({ prefix: '/v1' })
    router.get('/before', ok).get(/^\/rx/, ok).get('/after', ok)
    app.use(router.routes())
    const { routesOf, warn } = read(app)
    const { 'GET /v1/before': before, 'GET /v1/after': after, ...others } = routesOf()
    expect([before?.tool, after?.tool]).toEqual(['get_v1_before', 'get_v1_after'])
    expect(Object.values(others)).toMatchObject([
      { reason: expect.stringContaining('is a regular expression') },
    ])
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('makes tools of marked routes, and notices those that are added later', () => {
    const app = new Application()
    const router = new Router()
    router.get('/tasks/:id', marked({ description: 'One task' }), ok)
    router.get('/plain', ok)
    app.use(router.routes())
    const { router: mcp } = read(app, {})
    const tools = () =>
      mcp
        .list()
        .filter(({ kind }) => kind === 'tool')
        .map(({ name, description }) => [name, description])
    expect(tools()).toEqual([['get_tasks_by_id', 'One task']])
    router.post('/tasks', marked({ name: 'task_add', description: 'Adds one' }), ok)
    expect(tools()).toEqual([
      ['get_tasks_by_id', 'One task'],
      ['task_add', 'Adds one'],
    ])
  })

  test('follows replaced routes, and reaches no hidden ones', async () => {
    const app = new Application()
    const router = new Router()
    const reached = vi.fn(ok)
    const { router: mcp } = read(app, { include: ['/**'] })
    const names = () => mcp.list().flatMap(({ kind, name }) => (kind === 'tool' ? [name] : []))
    app.use((ctx, next) => {
      ctx.path = ctx.path.replace('/api/', '/internal/')
      return next()
    })
    router.get('/old', ok)
    app.use(router.routes())
    expect(names()).toEqual(['get_old'])
    router.stack.pop()
    router.get('/internal/:id', marked({ hidden: true }), reached)
    router.get('/:kind/:id', ok)
    router.get('/report', ok)
    expect(names()).toEqual(['get_by_kind_by_id', 'get_report'])
    await expect(mcp.call('get_old')).rejects.toThrow(/there is no tool "get_old"/)
    router.stack.pop()
    router.get('/report', marked({ hidden: true }), reached)
    await expect(mcp.call('get_report')).rejects.toThrow('there is no tool "get_report"')
    expect(await mcp.call('get_by_kind_by_id', { kind: 'api', id: '1' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('not available to tools') }],
    })
    expect(reached).not.toHaveBeenCalled()
    expect(names()).toEqual(['get_by_kind_by_id'])
  })

  test.runIf(!modern)('keeps a pattern in the path, and makes no call that violates it', async () => {
    const app = new Application()
    const router = new Router()
    const reached = vi.fn(ok)
    router.get('/n/:id(\\d+)', ok)
    router.get('/n/:other', reached)
    app.use(router.routes())
    const { router: mcp } = read(app, { include: ['/n/:id'] })
    mcp.list()
    expect(mcp.get('tool', 'get_n_by_id')?.inputSchema).toMatchObject({
      properties: { id: { pattern: '^(?:\\d+)$' } },
    })
    expect((await mcp.call('get_n_by_id', { id: 'x' })).isError).toBe(true)
    expect(reached).not.toHaveBeenCalled()
  })
})

test("reads the inputs of koa-joi-router's routes", () => {
  const { Application } = hosts.at(-1) as (typeof hosts)[number]
  const app = new Application()
  const joiRouter = load('koa-joi-router')
  const router = joiRouter()
  router.get('/tasks/:id', { validate: { params: { id: joiRouter.Joi.number().integer() } } }, ok)
  app.use(router.middleware())
  const { router: mcp, routesOf } = read(app)
  expect(routesOf()['GET /tasks/{id}']?.schemaSource).toBe('koa-joi-router')
  expect(mcp.get('tool', 'get_tasks_by_id')?.inputSchema).toMatchObject({
    properties: { id: { type: 'integer' } },
  })
})
