/** Routes of Express apps as tools: discovery, guards and calls. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { NextFunction, Request, Response } from 'express'
import { McpRouter } from 'mcp-router'
import { asTool, mcp } from 'mcp-router/express'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { modern } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'
import { expresses } from '../../routes/discovery/express-versions.js'
import { type ExpressModule, listening } from './host.js'

type Step = (req: Request, res: Response, next: NextFunction) => void

const pass: Step = (_req, _res, next) => next()
/** Creates a middleware with this name. */
const named = (name: string, step: Step = pass): Step =>
  Object.defineProperty((...args: Parameters<Step>) => step(...args), 'name', { value: name })
const ok: Step = (req, res) =>
  void res.json({ url: req.originalUrl, user: (req as { user?: unknown }).user ?? null })

/** The app's login. */
function signIn(userOf: (req: Request) => unknown): Step {
  return (req, _res, next) => {
    Object.assign(req, { user: userOf(req) })
    next()
  }
}

type Table = unknown[]

/** Returns the layers of an app or router, in Express 4 or 5, for tests that replace routes. */
function tableOf(table: unknown): Table {
  const app = table as { _router?: { stack: Table }; lazyrouter?: unknown; router: { stack: Table } }
  const { stack } = table as { stack?: Table }
  return stack ?? (app.lazyrouter === undefined ? app.router : app._router)?.stack ?? []
}

function quietRouter(): {
  router: McpRouter<object>
  warn: ReturnType<typeof vi.fn>
  error: ReturnType<typeof vi.fn>
} {
  const [warn, error] = [vi.fn(), vi.fn()]
  return { router: new McpRouter<object>({ logger: { ...quiet, warn, error } }), warn, error }
}

const said = (log: ReturnType<typeof vi.fn>): string =>
  log.mock.calls.map(([message]) => String(message)).join('\n')

describe.each(expresses)('$name', ({ express, major }) => {
  const setUp = (routes: object = { include: ['* /**'] }) => {
    const made = quietRouter()
    const app = express()
    app.use(mcp(made.router, { routes }))
    const routesOf = () =>
      Object.fromEntries(
        made.router
          .list({ app })
          .map(({ name, route }) => [`${route?.method} ${route?.path}`.trim(), { name, ...route }]),
      )
    return { ...made, app, routesOf }
  }

  test("lists routes that aren't tools, which can be neither changed nor removed", () => {
    const { app, router } = setUp({ include: [] })
    app.get('/plain', ok)
    const [plain] = router.list({ app })
    expect(plain).toMatchObject({ kind: 'route', route: { reason: expect.any(String) } })
    expect(() => plain?.update({ description: 'x' })).toThrow(
      /GET \/plain is not a tool and cannot be updated: /,
    )
    expect(plain?.remove()).toBe(false)
    expect(router.list({ app })).toHaveLength(1)
  })

  test('follows replaced routes, however many there are', async () => {
    const { app, router } = setUp()
    const names = () =>
      router
        .list({ app })
        .flatMap(({ kind, name }) => (kind === 'tool' ? [name] : []))
        .sort()
    const inner = express.Router()
    app.use('/in', inner)
    app.get('/old', ok)
    inner.get('/old', ok)
    expect(names()).toEqual(['get_in_old', 'get_old'])
    tableOf(app).pop()
    app.get('/new', ok)
    expect(names()).toEqual(['get_in_old', 'get_new'])
    tableOf(inner).pop()
    inner.get('/new', ok)
    expect(names()).toEqual(['get_in_new', 'get_new'])
    await expect(router.call('get_old')).rejects.toThrow(/there is no tool "get_old"/)
    tableOf(app).pop()
    app.get('/new', asTool({ hidden: true }), ok)
    expect(names()).toEqual(['get_in_new'])
  })

  test('never reaches hidden routes, in any way', async () => {
    const { app, router } = setUp({ include: ['/:kind/:id', '/report'] })
    const reached = vi.fn(ok)
    const keepOut = asTool({ hidden: true })
    app.use((req, _res, next) => {
      req.url = req.url.replace(/^\/api\/keys/, '/internal/keys')
      next()
    })
    app.use('/mounted/export', keepOut, reached)
    app.get('/internal/keys', keepOut, reached)
    app.get('/report', ok)
    app.get('/:kind/:id', ok)
    router.list({ app })
    tableOf(app).splice(-2, 1)
    app.get('/report', keepOut, reached)
    const calls = [
      ['get_by_kind_by_id', { kind: 'mounted', id: 'export' }],
      ['get_by_kind_by_id', { kind: 'MOUNTED', id: 'export' }],
      ['get_by_kind_by_id', { kind: 'api', id: 'keys' }],
    ] as const
    for (const [name, args] of calls) {
      const { isError, content } = await router.call(name, args)
      expect({ args, isError, content }).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('not available to tools') }],
      })
    }
    await expect(router.call('get_report')).rejects.toThrow('there is no tool "get_report"')
    expect(reached).not.toHaveBeenCalled()
    const { origin } = await listening(app)
    for (const path of ['/mounted/export', '/internal/keys', '/report'])
      expect((await fetch(origin + path)).status).toBe(200)
    expect(reached).toHaveBeenCalledTimes(3)
  })

  test('calls a route whose complete path is optional', async () => {
    const { app, router } = setUp()
    const answer: Step = (req, res) => void res.json({ lang: req.params.lang ?? null })
    app.get(major === 4 ? '/:lang?' : '{/:lang}', asTool({ name: 'home', description: 'x' }), answer)
    router.list({ app })
    const said = async (args: object) => (await router.call('home', args)).content
    expect(await said({})).toEqual([{ type: 'text', text: '{"lang":null}' }])
    expect(await said({ lang: 'de' })).toEqual([{ type: 'text', text: '{"lang":"de"}' }])
  })

  test('reads a router that is mounted below itself, and reports invalid values in `apps`', async () => {
    const { app, routesOf } = setUp({ include: ['* /**'], apps: [{}, { app: {}, prefix: '/x' }] })
    const loop = express.Router()
    loop.get('/here', ok)
    loop.use('/again', loop)
    app.use('/loop', loop)
    const routes = routesOf()
    expect(routes).toMatchObject({ 'GET /loop/here': { tool: 'get_loop_here' } })
    const reasons = Object.values(routes).map(({ reason }) => reason)
    expect(reasons.filter((reason) => /expected an Express app or router/.test(reason ?? ''))).toHaveLength(2)
  })

  test('hides routes behind a hidden marker, and warns that other markers in front have no effect', () => {
    const { app, routesOf, warn } = setUp()
    const [admin, open] = [express.Router(), express.Router()]
    admin.get('/before', ok)
    admin.use(asTool({ hidden: true }))
    admin.get('/users/:id', ok)
    app.use('/admin', admin)
    app.use('/secret', asTool({ hidden: true }), express.Router().get('/keys', ok))
    app.use('/open', asTool({ description: 'Everything.' }), open.get('/x', ok).get('/y', ok))
    expect(routesOf()).toMatchObject({
      'GET /admin/before': { tool: 'get_admin_before' },
      'GET /admin/users/{id}': { reason: 'hidden' },
      'GET /secret/keys': { reason: 'hidden' },
      'GET /open/x': { tool: 'get_open_x' },
    })
    expect(said(warn)).toMatch(/asTool\(\) in front of GET \/open\/x marks no route/)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('finds the routes of routers, wherever they are mounted', () => {
    const { app, routesOf } = setUp()
    const inner = express.Router()
    inner.get('/x/:id', ok)
    const middle = express.Router()
    middle.use('/inner', inner)
    app.use('/plain', inner)
    app.use('/with.dots-and-dashes', inner)
    app.use('/orgs/:org', inner)
    app.use(['/one', '/two/:two'], inner)
    app.use('/nested/:a', middle)
    app.use('/glued-:name.v1', inner)
    app.use(major === 4 ? '/optional/:opt?' : '/optional{/:opt}', inner)
    app.use(inner)
    expect(Object.keys(routesOf())).toEqual([
      'GET /plain/x/{id}',
      'GET /with.dots-and-dashes/x/{id}',
      'GET /orgs/{org}/x/{id}',
      'GET /one/x/{id}',
      'GET /two/{two}/x/{id}',
      'GET /nested/{a}/inner/x/{id}',
      'GET /glued-{name}.v1/x/{id}',
      'GET /optional/{opt}/x/{id}',
      'GET /x/{id}',
    ])
  })

  test('requires the optional parameter of a mount, which Express never leaves out there', async () => {
    const { app, router, routesOf } = setUp()
    const inner = express.Router()
    inner.get('/x/:id', ok)
    app.use('/glued-:name.v1', inner)
    app.use(major === 4 ? '/optional/:opt?' : '/optional{/:opt}', inner)
    routesOf()
    const call = async (name: string, args: object) => (await router.call(name, args)).content[0]
    expect(await call('get_glued_by_name_v1_x_by_id', { name: 'n', id: '1' })).toMatchObject({
      text: expect.stringContaining('"/glued-n.v1/x/1"'),
    })
    expect(await call('get_optional_by_opt_x_by_id', { id: '1' })).toMatchObject({
      text: expect.stringContaining('opt'),
    })
    expect(await call('get_optional_by_opt_x_by_id', { opt: 'o', id: '1' })).toMatchObject({
      text: expect.stringContaining('"/optional/o/x/1"'),
    })
  })

  test("reports routes that it can't read, and keeps all others", () => {
    const { app, routesOf, warn } = setUp()
    const inner = express.Router()
    inner.get('/x', ok)
    app.get('/before', ok)
    app.use(/^\/rx/, inner)
    app.get([/^\/pattern$/, '/string'], ok)
    app.use('/sub', express())
    app.get('/after', ok)
    const routes = routesOf()
    expect(Object.keys(routes).sort()).toEqual(
      ['/^\\/pattern$/', '/^\\/rx/', '/sub', 'GET /after', 'GET /before', 'GET /string'].sort(),
    )
    expect(routes['/sub']?.reason).toContain('routes: { apps: [sub] }')
    expect(said(warn)).toContain('/^\\/rx/ is not read')
  })

  test('reads a sub-app of `apps` at its mount path, behind the guards in front of it', () => {
    const sub = express()
    const { app, routesOf } = setUp({ include: ['/**'], apps: [sub] })
    sub.use(named('inSub'))
    sub.get('/y/:id', ok)
    app.use(named('inRoot'))
    app.use('/sub/:tenant', sub)
    app.use(named('late'))
    expect(routesOf()['GET /sub/{tenant}/y/{id}']).toMatchObject({
      name: 'get_sub_by_tenant_y_by_id',
      guards: ['inRoot', 'inSub'],
    })
  })

  test('goes from a sub-app up to the root, and calls through all apps', async () => {
    const { router } = quietRouter()
    const app = express()
    const sub = express()
    app.use(
      named(
        'login',
        signIn(() => 'ana'),
      ),
    )
    app.use('/sub', sub)
    sub.use(mcp(router, { routes: { include: ['/**'] } }))
    sub.get('/here', ok)
    app.get('/there', ok)
    const { origin } = await listening(app)
    const listed = await modern(`${origin}/sub/mcp`).request('tools/list')
    expect(listed.json.result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'get_sub_here',
      'get_there',
    ])
    const called = await modern(`${origin}/sub/mcp`).call('get_sub_here')
    expect(called.json.result.content[0].text).toBe('{"url":"/sub/here","user":"ana"}')
  })

  test('lists the middleware in front, according to the paths of its mounts', () => {
    const { app, routesOf } = setUp({ include: ['* /**'], guards: ['ourOwnCheck'] })
    const admin = express.Router()
    app.use(named('jsonParser'))
    app.get('/open', ok)
    app.use('/admin', named('requireAuth'))
    admin.use(named('audit'))
    admin.delete('/users/:id', named('ourOwnCheck'), named('validate'), ok)
    app.use('/admin', admin)
    app.get('/adminish', ok)
    app.use('/tasks/:id', named('loadTask'))
    app.get('/tasks', ok)
    app.route('/tasks/:id').all(named('everyMethod')).get(named('onlyGet'), ok).put(ok)
    app.use((_req, _res, next) => next())
    app.get('/last', ok)
    app.use(named('tooLate'))
    const posture = (route: string) => {
      const found = routesOf()[route]
      return [found?.guards?.join(' '), found?.checksCaller]
    }
    expect(posture('GET /open')).toEqual(['jsonParser', 'no'])
    expect(posture('DELETE /admin/users/{id}')).toEqual([
      'jsonParser requireAuth audit ourOwnCheck validate',
      'yes',
    ])
    expect(posture('GET /adminish')).toEqual(['jsonParser', 'no'])
    expect(posture('GET /tasks')).toEqual(['jsonParser', 'no'])
    expect(posture('GET /tasks/{id}')).toEqual(['jsonParser loadTask everyMethod onlyGet', 'unknown'])
    expect(posture('PUT /tasks/{id}')).toEqual(['jsonParser loadTask everyMethod', 'unknown'])
    expect(posture('GET /last')).toEqual(['jsonParser (anonymous)', 'unknown'])
  })

  test('restores RegExp.prototype.exec, whatever it finds', () => {
    const before = Object.getOwnPropertyDescriptor(RegExp.prototype, 'exec')
    const { app, routesOf } = setUp()
    const inner = express.Router()
    inner.get('/x', ok)
    app.use('/orgs/:org', inner)
    app.use(/^\/rx/, inner)
    routesOf()
    expect(Object.getOwnPropertyDescriptor(RegExp.prototype, 'exec')).toEqual(before)
  })

  test('makes a tool of a marked route, without a change for its HTTP callers', async () => {
    const { router } = quietRouter()
    const app = express()
    app.use(mcp(router))
    app.use(
      named(
        'login',
        signIn((req) => req.headers.authorization),
      ),
    )
    app.get('/unmarked', ok)
    app.get('/tasks/:id', asTool({ description: 'One task', annotations: { readOnly: false } }), ok)
    const { origin } = await listening(app)
    const as = { headers: { authorization: 'Bearer ana' } }
    const plain = await fetch(`${origin}/tasks/7`, as)
    expect(await plain.json()).toEqual({ url: '/tasks/7', user: 'Bearer ana' })
    const listed = await modern(`${origin}/mcp`).request('tools/list')
    expect(listed.json.result.tools).toMatchObject([
      { name: 'get_tasks_by_id', description: 'One task', annotations: { readOnlyHint: false } },
    ])
    const called = await modern(`${origin}/mcp`, { headers: { Authorization: 'Bearer ana' } }).call(
      'get_tasks_by_id',
      {
        id: '7',
      },
    )
    expect(called.json.result.content[0].text).toBe('{"url":"/tasks/7","user":"Bearer ana"}')
  })

  test('notices routes that are added later or removed', async () => {
    const { app, router } = setUp()
    app.get('/first', ok)
    const late = express.Router()
    app.use('/late', late)
    const { origin } = await listening(app)
    const names = async () =>
      (await modern(`${origin}/mcp`).request('tools/list')).json.result.tools.map(
        ({ name }: { name: string }) => name,
      )
    expect(await names()).toEqual(['get_first'])
    late.get('/x', ok)
    expect(await names()).toEqual(['get_first', 'get_late_x'])
    expect(router.get('tool', 'get_late_x')?.remove()).toBe(true)
    late.get('/y', ok)
    expect(await names()).toEqual(['get_first', 'get_late_y'])
    late.stack.length = 0
    expect(await names()).toEqual(['get_first'])
  })

  test('reports both routes of the same name, and serves all others', async () => {
    const { app, routesOf, router, error } = setUp()
    app.get('/a-b', ok)
    app.get('/a_b', ok)
    app.get('/c', ok)
    const routes = routesOf()
    const both = /two tools are called "get_a_b": one defined at GET \/a-b, the other at GET \/a_b/
    expect(routes['GET /a_b']?.reason).toMatch(both)
    expect(said(error)).toMatch(both)
    expect(router.has('tool', 'get_c')).toBe(true)
    await expect(router.ready()).rejects.toThrow(both)
  })

  test('never makes a tool of its own endpoint', async () => {
    const { router } = quietRouter()
    const app = express()
    app.post('/api/mcp', mcp(router, { routes: { include: ['* /**'] } }))
    app.get('/x', ok)
    const { origin } = await listening(app)
    await modern(`${origin}/api/mcp`).request('tools/list')
    const routes = router.list().map(({ name, route }) => [name, route?.reason])
    expect(routes).toEqual([
      ['get_x', undefined],
      ['POST /api/mcp', 'our own endpoint'],
    ])
  })

  test('warns about a pattern that matches nothing, with a suggestion', () => {
    const include = ['/task', '/pay', 'PUT /**', 'put, PATCH /pay']
    const { app, routesOf, warn } = setUp({ include, exclude: ['/nothing/here'] })
    app.get('/tasks', ok)
    app.post('/pay', ok)
    routesOf()
    routesOf()
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      'routes: the pattern "/task" matches no route; the nearest path is /tasks',
      'routes: the pattern "/pay" matches no route; its path has routes for POST; a pattern without a method means GET',
      'routes: the pattern "PUT /**" matches no route; its path has routes for GET, POST, not for PUT',
      'routes: the pattern "put, PATCH /pay" matches no route; its path has routes for POST, not for PUT, PATCH',
      'routes: the pattern "/nothing/here" matches no route; the nearest path is /tasks',
    ])
  })

  test('warns if it finds no routes: an app may have a router of its own', () => {
    const { app, routesOf, warn } = setUp({ include: ['/**'] })
    app.use(named('ownRouter', (_req, res) => void res.json({})))
    routesOf()
    expect(said(warn)).toContain('the pattern "/**" matches no route; the app shows no routes')
    expect(said(warn)).toContain('addOpenApi')
  })

  test('logs nothing about apps without options for routes', () => {
    const { router, warn } = quietRouter()
    const app = express()
    app.use(mcp(router))
    app.use(/^\/rx/, express.Router())
    app.get('/x', ok)
    expect(router.list({ app }).map(({ kind }) => kind)).toEqual(['route', 'route'])
    expect(warn).not.toHaveBeenCalled()
  })

  test('lets `prepare` set the user that the route reads', async () => {
    const prepare = (req: { user?: unknown }, ctx: { user?: unknown }) => {
      req.user = ctx.user
    }
    const { app, router, routesOf } = setUp({ include: ['/x'], prepare })
    app.get('/x', ok)
    routesOf()
    const called = await router.call('get_x', {}, { user: 'ana' })
    expect(called.content).toEqual([{ type: 'text', text: '{"url":"/x","user":"ana"}' }])
  })

  test("does nothing that the user has to confirm if the client can't be asked", async () => {
    const { app, router, routesOf } = setUp({})
    const reached = vi.fn(ok)
    app.delete('/all', asTool({ confirm: true }), reached)
    routesOf()
    await expect(router.call('delete_all')).rejects.toMatchObject({
      data: { requiredCapabilities: { elicitation: {} } },
    })
    expect(reached).not.toHaveBeenCalled()
  })

  test('reaches no other route through an argument', async () => {
    const { app, router, routesOf } = setUp({ include: ['/tasks/:id', '/:page'] })
    const reached = vi.fn(ok)
    app.get('/tasks/export', reached)
    app.use('/closed', express().use(reached))
    app.get('/tasks/:id', ok)
    app.get('/:page', ok)
    routesOf()
    for (const id of ['export', 'EXPORT', '../tasks/export', '..', 'export?', '']) {
      await router.call('get_tasks_by_id', { id })
    }
    await router.call('get_by_page', { page: 'closed' })
    expect(reached).not.toHaveBeenCalled()
    expect((await router.call('get_tasks_by_id', { id: '../tasks/export' })).isError).not.toBe(true)
  })
})

test('asTool() rejects unknown and invalid options', () => {
  expect(() => asTool({ descripton: 'x' } as object)).toThrow(
    'asTool(): there is no option `descripton`; did you mean `description`?',
  )
  expect(() => asTool({ confirm: 'yes' } as object)).toThrow(
    'asTool(): expected `confirm` to be true or false',
  )
  expect(() => asTool({ consumes: 'multipart' })).toThrow(
    'asTool(): expected `consumes` to be a media type such as "multipart/form-data"; got "multipart"',
  )
  expect(() => mcp(new McpRouter(), { routes: { include: ['tasks'] } } as object)).toThrow(
    'expected a pattern such as',
  )
  expect(() => mcp(new McpRouter(), { routes: { forwardHeaders: ['host'] } } as object)).toThrow(
    'never passed on',
  )
})

test('warns about more than forty tools, with a remedy', () => {
  const { router, warn } = quietRouter()
  const { express } = expresses.at(-1) as { express: ExpressModule }
  const app = express()
  app.use(mcp(router, { routes: { include: ['/**'] } }))
  for (let i = 0; i < 41; i++) app.get(`/r${i}`, ok)
  router.list({ app })
  expect(said(warn)).toContain('41 routes are tools')
  expect(said(warn)).toContain('toolSearch: true')
})

test('warns about that in production too, without a logger', () => {
  vi.stubEnv('NODE_ENV', 'production')
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => {
    vi.unstubAllEnvs()
    warn.mockRestore()
  })
  const { express } = expresses.at(-1) as { express: ExpressModule }
  const router = new McpRouter<object>({ name: 'many', version: '1.0.0', secret: 's'.repeat(32) })
  const app = express()
  app.use(mcp(router, { routes: { include: ['/**'] } }))
  for (let i = 0; i < 41; i++) app.get(`/r${i}`, ok)
  router.list({ app })
  expect(warn.mock.calls.join()).toContain('41 routes are tools')
})

test('works if the handler runs outside of any Express app', async () => {
  const { router } = quietRouter()
  router.tool('t', { description: 'd', handler: () => 'ok' })
  const [handle] = mcp(router) as unknown as [(req: unknown, res: unknown, next: () => void) => void]
  const server = createServer((req, res) => {
    Object.assign(req, { app: { get: () => undefined }, path: req.url, originalUrl: req.url })
    handle(req, res, () => res.end('next'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const called = await modern(`http://127.0.0.1:${port}/mcp`).call('t')
  expect(called.json.result.content).toEqual([{ type: 'text', text: 'ok' }])
  expect(() => mcp(router, { app: {} })).toThrow('expected an app')
})
