/** Routes with a regular expression as their path are not tools. Tool calls that they would match are rejected. */

import { createRequire } from 'node:module'
import type KoaRouter from '@koa/router'
import type { Router as ExpressRouter, RequestHandler } from 'express'
import type Koa from 'koa'
import { McpRouter } from 'mcp-router'
import { describe, expect, test, vi } from 'vitest'
import { asTool as asExpressTool } from '../../../integrations/express/as-tool.js'
import { expressRoutes } from '../../../integrations/express/routes-source.js'
import { asTool as asKoaTool } from '../../../integrations/koa/as-tool.js'
import { koaRoutes } from '../../../integrations/koa/routes-source.js'
import { connectRoutes } from '../../../src/internal.js'
import { quiet } from '../../contract/host.js'
import { expresses } from './express-versions.js'

const load = createRequire(import.meta.url)

/** In the order of their declaration. */
interface Row {
  readonly path: string | RegExp
  /** Default: `get`. */
  readonly method?: 'get' | 'post' | 'all'
  /** Passes on. */
  readonly passes?: boolean
  readonly hidden?: boolean
}

interface Host {
  readonly name: string
  /** A router of the rows at `prefix`; each answers its index. */
  app(rows: readonly Row[], router: McpRouter<object>, prefix?: string | RegExp): object
  /** How an expression for `/api/users` reads below the prefix `/api`; `undefined`: such a router takes none there. */
  readonly below: RegExp | undefined
}

const hidden = { hidden: true }

const inExpress = ({ name, express }: (typeof expresses)[number]): Host => ({
  name,
  below: /^\/users\/\d+$/,
  app(rows, router, prefix) {
    const app = express()
    const table: ExpressRouter = prefix === undefined ? (app as unknown as ExpressRouter) : express.Router()
    for (const [index, row] of rows.entries()) {
      const handler: RequestHandler = row.passes
        ? (_req, _res, next) => next()
        : (_req, res) => void res.json(index)
      table[row.method ?? 'get'](row.path, ...(row.hidden ? [asExpressTool(hidden)] : []), handler)
    }
    if (prefix !== undefined) app.use(prefix, table)
    connectRoutes(router, expressRoutes, { routes: { include: ['* /**'] }, app })
    return app
  },
})

const inKoa = (name: string, Application: typeof Koa, Router: typeof KoaRouter): Host => ({
  name,
  // Routers 12 and 13 break it, and throw.
  below: name.endsWith('15') ? /^\/api\/users\/\d+$/ : undefined,
  app(rows, router, prefix) {
    const app = new Application()
    const table = new Router()
    for (const [index, row] of rows.entries()) {
      const handler: Koa.Middleware = row.passes
        ? (_ctx, next) => next()
        : (ctx) => {
            ctx.body = String(index)
          }
      table[row.method ?? 'get'](
        row.path,
        ...(row.hidden ? [asKoaTool(hidden) as Koa.Middleware] : []),
        handler,
      )
    }
    const outer = new Router()
    if (prefix !== undefined) outer.use(String(prefix), table.routes())
    app.use((prefix === undefined ? table : outer).routes() as Koa.Middleware)
    connectRoutes(router, koaRoutes, { routes: { include: ['* /**'] }, app })
    return app
  },
})

const hosts: readonly Host[] = [
  ...expresses.map(inExpress),
  inKoa('@koa/router 12', load('koa2'), load('koa-router12')),
  inKoa('@koa/router 13', load('koa'), load('koa-router13')),
  inKoa('@koa/router 15', load('koa'), load('@koa/router')),
]

describe.each(hosts)('$name', ({ app, below }) => {
  function read(rows: readonly Row[], prefix?: string | RegExp) {
    const warn = vi.fn()
    const router = new McpRouter<object>({ logger: { ...quiet, warn } })
    app(rows, router, prefix)
    const list = router.list()
    const tools = list.filter(({ kind }) => kind === 'tool').map(({ name }) => name)
    const reasons = Object.fromEntries(list.map(({ name, route }) => [name, route?.reason]))
    const call = async (name: string, args: object = {}) => {
      const { content, isError } = await router.call(name, args)
      const [block] = content as { text: string }[]
      return isError === true ? `refused: ${block?.text}` : block?.text
    }
    return { tools, reasons, call, warn }
  }

  test('one in front matches first: requests that it matches are rejected', async () => {
    const { tools, call } = read([
      { path: /^\/users\/\d+$/ },
      { path: '/users/:id' },
      { path: /^\/users\/[a-c]$/ },
      { path: '/users/:id/tasks' },
    ])
    expect(tools).toEqual(['get_users_by_id', 'get_users_by_id_tasks'])
    expect(await call('get_users_by_id', { id: 'ana' })).toBe('1')
    expect(await call('get_users_by_id', { id: 'a' })).toBe('1')
    expect(await call('get_users_by_id', { id: '7' })).toContain('is the address of another route, GET /^')
    expect(await call('get_users_by_id_tasks', { id: '7' })).toBe('3')
  })

  test('one that matches all requests of another route keeps it from being a tool, with a reason', () => {
    const { tools, reasons, warn } = read([
      { path: /^\/users\/[^/]+$/ },
      { path: '/users/:id' },
      { path: '/users/me' },
      { path: '/tasks/:id' },
    ])
    expect(tools).toEqual(['get_tasks_by_id'])
    for (const route of ['GET /users/{id}', 'GET /users/me']) {
      expect(reasons[route]).toMatch(/^another route has its address, GET \/\^/)
      expect(warn.mock.calls.flat().join()).toContain(route)
    }
  })

  test('one of another method, one behind, and one that passes on, do not conflict', async () => {
    const { tools, call } = read([
      { path: /^\/users/, method: 'post' },
      { path: /^\/users/, method: 'all', passes: true },
      { path: /.*/, passes: true },
      { path: '/users/:id' },
      { path: /^\/users/ },
    ])
    expect(tools).toEqual(['get_users_by_id'])
    expect(await call('get_users_by_id', { id: '7' })).toBe('3')
  })

  test('one that is hidden conflicts with what it matches, whatever it does', () => {
    const { tools } = read([
      { path: /^\/users/, method: 'all', passes: true, hidden: true },
      { path: '/users/:id' },
    ])
    expect(tools).toEqual([])
  })

  test('one that handles every method conflicts', async () => {
    const { call } = read([{ path: /^\/users\/\d+$/, method: 'all' }, { path: '/users/:id' }])
    expect(await call('get_users_by_id', { id: '7' })).toMatch(/^refused/)
    expect(await call('get_users_by_id', { id: 'a' })).toBe('1')
  })

  test.runIf(below)('is found below a prefix too', async () => {
    const { tools, call } = read([{ path: below ?? '' }, { path: '/users/:id' }], '/api')
    expect(tools).toEqual(['get_api_users_by_id'])
    expect(await call('get_api_users_by_id', { id: '7' })).toMatch(/^refused/)
    expect(await call('get_api_users_by_id', { id: 'a' })).toBe('1')
  })

  test('one with a stateful expression is not disturbed', async () => {
    const path = /^\/users\/\d+$/g
    const { call } = read([{ path }, { path: '/users/:id' }])
    path.lastIndex = 0
    await call('get_users_by_id', { id: '7' })
    expect(path.lastIndex).toBe(0)
  })
})

describe.each(expresses)('$name', ({ express }) => {
  test('reads a router that is mounted at a pattern', async () => {
    const app = express()
    const inner = express.Router()
    inner.get('/tasks/7', (_req, res) => void res.json('inner'))
    app.use(/^\/(v1|v2)/, inner)
    app.get('/:version/tasks/:id', (_req, res) => void res.json('outer'))
    const router = new McpRouter<object>({ logger: quiet })
    connectRoutes(router, expressRoutes, { routes: { include: ['* /**'] }, app })
    router.list()
    const call = async (version: string, id: string) =>
      JSON.stringify((await router.call('get_by_version_tasks_by_id', { version, id })).content)
    expect(await call('v1', '8')).toContain('outer')
    expect(await call('v3', '7')).toContain('outer')
    expect(await call('v1', '7')).toContain('is the address of another route')
  })

  test('reads routers in the option `apps`', async () => {
    const sub = express()
    sub.get(/^\/tasks\/\d+$/, (_req, res) => void res.json('number'))
    sub.get('/tasks/:id', (_req, res) => void res.json('any'))
    const app = express()
    app.use('/sub', (req, res, next) => sub(req, res, next))
    const router = new McpRouter<object>({ logger: quiet })
    const routes = { include: ['* /**'], apps: [{ app: sub, prefix: '/sub' }] }
    connectRoutes(router, expressRoutes, { routes, app })
    router.list()
    const call = async (id: string) =>
      JSON.stringify((await router.call('get_sub_tasks_by_id', { id })).content)
    expect(await call('a')).toContain('any')
    expect(await call('7')).toContain('is the address of another route')
  })

  test('reports a preceding route for every method as a guard if it passes on', () => {
    const app = express()
    const requireLogin: RequestHandler = (_req, _res, next) => next()
    app.all(['/admin/tasks/:id', '/other'], requireLogin)
    app.delete('/admin/tasks/:id', (_req, res) => void res.json({}))
    app.delete('/tasks/:id', (_req, res) => void res.json({}))
    const router = new McpRouter<object>({ logger: quiet })
    connectRoutes(router, expressRoutes, { routes: { include: ['DELETE /**'] }, app })
    router.list()
    const postureOf = (name: string) => router.get('tool', name)?.route
    expect(postureOf('delete_admin_tasks_by_id')).toMatchObject({
      guards: ['requireLogin'],
      checksCaller: 'yes',
    })
    expect(postureOf('delete_tasks_by_id')).toMatchObject({ guards: [], checksCaller: 'no' })
  })
})
