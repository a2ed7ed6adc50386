/** If several routes match a request, a tool call reaches the route of its tool, or none. */

import { createRequire } from 'node:module'
import type KoaRouter from '@koa/router'
import type express from 'express'
import fc from 'fast-check'
import type fastify from 'fastify'
import type Koa from 'koa'
import { McpRouter } from 'mcp-router'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { asTool as asExpressTool } from '../../../integrations/express/as-tool.js'
import { expressRoutes } from '../../../integrations/express/routes-source.js'
import type { FastifyApp } from '../../../integrations/fastify/routes-discovery.js'
import { fastifyRoutes, routeSource } from '../../../integrations/fastify/routes-source.js'
import { asTool as asKoaTool } from '../../../integrations/koa/as-tool.js'
import { koaRoutes } from '../../../integrations/koa/routes-source.js'
import { connectRoutes } from '../../../src/internal.js'
import { quiet } from '../../contract/host.js'

const load = createRequire(import.meta.url)

interface Row {
  readonly path: string | RegExp
  readonly as: 'tool' | 'hidden' | 'plain'
  /** Default: GET, by a handler that answers. `guard`: for every method, and passes on. */
  readonly kind?: 'guard' | 'all'
}

/** Declares the routes in their order; `see` is told which of them a request has reached. Tools are described by it. */
type Make = (
  rows: readonly Row[],
  see: (index: number) => void,
  router: McpRouter<object>,
) => Promise<unknown>

interface Host {
  readonly name: string
  readonly make: Make
  /** The first route that fits wins, whatever it looks like. */
  readonly ordered: boolean
  readonly patterns: boolean
  readonly wildcard: string
}

const markerOf = (as: 'tool' | 'hidden', index: number) =>
  as === 'tool' ? { description: `${index}` } : { hidden: true }

const inExpress =
  (module: string): Make =>
  async (rows, see, router) => {
    const app = (load(module) as typeof express)()
    for (const [index, { path, as, kind }] of rows.entries()) {
      const marks = as === 'plain' ? [] : [asExpressTool(markerOf(as, index))]
      if (kind === 'guard') app.all(path, ...marks, (_req, _res, next) => next())
      else
        app[kind ?? 'get'](path, ...marks, (_req, res) => {
          see(index)
          res.json({})
        })
    }
    connectRoutes(router, expressRoutes, { app })
  }

const inKoa =
  (Application: typeof Koa, module: string): Make =>
  async (rows, see, router) => {
    const app = new Application()
    // Every other route in a router of its own.
    const tables = [0, 1].map(() => new (load(module) as typeof KoaRouter)())
    for (const [index, { path, as, kind }] of rows.entries()) {
      const marks = as === 'plain' ? [] : [asKoaTool(markerOf(as, index)) as Koa.Middleware]
      const table = tables[index * 2 < rows.length ? 0 : 1] as KoaRouter
      if (kind === 'guard') table.all(path, ...marks, (_ctx, next) => next())
      else
        table[kind ?? 'get'](path, ...marks, (ctx: Koa.Context) => {
          see(index)
          ctx.body = {}
        })
    }
    for (const table of tables) app.use(table.routes() as Koa.Middleware)
    connectRoutes(router, koaRoutes, { app })
  }

const inFastify =
  (module: string): Make =>
  async (rows, see, router) => {
    const app = (load(module) as typeof fastify)()
    onTestFinished(() => app.close())
    const source = routeSource(app as unknown as FastifyApp)
    const shapes = new Set<string>()
    for (const [index, { path, as }] of rows.entries()) {
      // Fastify itself takes no two routes of one shape.
      const shape = String(path)
        .replace(/:\w+(\(.*?\))?/g, ':$1')
        .replace(/\(.*?\)/g, '()')
      if (shapes.has(shape)) continue
      shapes.add(shape)
      const config = as === 'plain' ? {} : { mcp: markerOf(as, index) }
      app.get(String(path), { config }, async () => {
        see(index)
        return {}
      })
    }
    connectRoutes(router, fastifyRoutes(source), { app })
    await app.ready()
  }

const Koa2 = load('koa2') as typeof Koa
const Koa3 = load('koa') as typeof Koa
const hosts: readonly Host[] = [
  { name: 'Express 4.18', make: inExpress('express418'), ordered: true, patterns: true, wildcard: '*' },
  { name: 'Express 4.22', make: inExpress('express4'), ordered: true, patterns: true, wildcard: '*' },
  { name: 'Express 5.0', make: inExpress('express50'), ordered: true, patterns: false, wildcard: '*all' },
  { name: 'Express 5', make: inExpress('express'), ordered: true, patterns: false, wildcard: '*all' },
  { name: 'Koa 2', make: inKoa(Koa2, 'koa-router12'), ordered: true, patterns: true, wildcard: '(.*)' },
  { name: 'Koa 3', make: inKoa(Koa3, '@koa/router'), ordered: true, patterns: false, wildcard: '*all' },
  { name: 'Fastify 4', make: inFastify('fastify4'), ordered: false, patterns: true, wildcard: '*' },
  { name: 'Fastify 5', make: inFastify('fastify'), ordered: false, patterns: true, wildcard: '*' },
]

const quietRouter = (): McpRouter<object> => new McpRouter<object>({ logger: quiet })

describe.each(hosts)('$name', ({ make, ordered, patterns, wildcard }) => {
  async function read(rows: readonly Row[]) {
    const seen: number[] = []
    const warn = vi.fn()
    const router = new McpRouter<object>({ logger: { ...quiet, warn } })
    await make(rows, (index) => void seen.push(index), router)
    const entries = router.list()
    const tools = entries.filter(({ kind }) => kind === 'tool').map(({ name }) => name)
    const reasons = entries.flatMap(({ route }) => (route?.reason === undefined ? [] : [route.reason]))
    const reach = async (tool: string, args: object): Promise<(string | RegExp | undefined)[]> => {
      seen.length = 0
      await router.call(tool, args)
      return seen.map((index) => rows[index]?.path)
    }
    return { tools, reasons, reach, warn }
  }

  test.runIf(ordered)(
    'makes no tool of a route that another one of its shape stands in front of',
    async () => {
      const twins: readonly (readonly [Row['as'], string, string])[] = [
        ['hidden', '/users/:id', '/users/:name'],
        ['hidden', '/users/:id', '/users/:id'],
        ['plain', '/users/:id', '/users/:name'],
        ['plain', '/users/:id', '/users/:id'],
        ['hidden', '/users/:id', '/users/me'],
        ['plain', '/:kind/:id', '/users/:id'],
      ]
      for (const [as, first, second] of twins) {
        const { tools, reasons, warn } = await read([
          { path: first, as },
          { path: second, as: 'tool' },
        ])
        expect(tools, `${first} ${second}`).toEqual([])
        const label = `GET ${first.replace(/:(\w+)/g, '{$1}')}`
        expect(reasons).toContain(`another route has its address, ${label}`)
        expect(warn.mock.calls.flat().join()).toContain(label)
      }
    },
  )

  test.runIf(ordered)(
    'distinguishes guards for every method from routes that handle every method',
    async () => {
      for (const path of ['/users/:any', '/users/:id', `/users/${wildcard}`]) {
        const guarded = await read([
          { path, as: 'plain', kind: 'guard' },
          { path: '/users/:id', as: 'tool' },
        ])
        expect(await guarded.reach('get_users_by_id', { id: '7' })).toEqual(['/users/:id'])
        const answered = await read([
          { path, as: 'plain', kind: 'all' },
          { path: '/users/:id', as: 'tool' },
        ])
        expect(answered.tools).toEqual([])
      }
    },
  )

  test('keeps the first of two routes, and both if the second is more specific', async () => {
    const { tools, reach } = await read([
      { path: '/users/me', as: 'hidden' },
      { path: '/users/:id', as: 'tool' },
      ...(ordered ? [{ path: '/users/:name', as: 'tool' } as const] : []),
    ])
    expect(tools).toEqual(['get_users_by_id'])
    expect(await reach('get_users_by_id', { id: 'me' })).toEqual([])
    expect(await reach('get_users_by_id', { id: 'you' })).toEqual(['/users/:id'])
  })

  const parts = ['me', 'a', ':id', ':name', ':id', ...(patterns ? [':n(\\d+)', ':w(^[a-m]+$)'] : [])]
  const part = fc.constantFrom(
    ...parts.map((text) => (ordered ? text.replace('^', '').replace('$', '') : text)),
  )
  const path = fc
    .array(part, { minLength: 1, maxLength: 3 })
    .map((all) => all.filter((one, at) => !one.startsWith(':') || all.indexOf(one) === at))
    .map((all) => `/${all.join('/')}`)
  const expression = fc.constantFrom(/^\/\d+$/, /^\/[a-m]+/, /\/me$/i, /^\/a\/.*/, /^(\/\w+){2}$/)
  const row = fc.record({
    path: fc.oneof(
      { weight: 12, arbitrary: path },
      { weight: 1, arbitrary: fc.constant(`/a/${wildcard}`) },
      ...(ordered ? [{ weight: 2, arbitrary: expression }] : []),
    ),
    as: fc.constantFrom('tool' as const, 'tool' as const, 'hidden' as const, 'plain' as const),
  })
  const value = fc.constantFrom('me', 'ME', 'a', 'b', '7', '12', 'zz', '%6de', 'me/', 'a/b')

  test('reaches the route of the tool, or no route', async () => {
    let reached = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 2, maxLength: 7 }),
        fc.array(value, { minLength: 4, maxLength: 4 }),
        async (rows, [id, name, n, w]) => {
          const router = quietRouter()
          const seen: number[] = []
          await make(rows, (index) => void seen.push(index), router)
          const given = Object.entries({ id, name, n, w })
          for (const tool of router.list().filter(({ kind }) => kind === 'tool')) {
            seen.length = 0
            const args = given.filter(([key]) => tool.route?.path.includes(`{${key}}`))
            await router.call(tool.name, Object.fromEntries(args))
            expect(seen.map(String)).toEqual(seen.length === 0 ? [] : [tool.description])
            reached += seen.length
          }
        },
      ),
      { numRuns: 200 },
    )
    expect(reached).toBeGreaterThan(30)
    // Two hundred apps are more work than a test has.
  }, 60_000)
})
