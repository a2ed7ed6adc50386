/** Hostile values in real apps: a call reaches the route of its tool with these values, or no route at all. */

import { createRequire } from 'node:module'
import type KoaRouter from '@koa/router'
import type express from 'express'
import fc from 'fast-check'
import type fastify from 'fastify'
import type Koa from 'koa'
import { McpRouter } from 'mcp-router'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expressRoutes } from '../../integrations/express/routes-source.js'
import type { FastifyApp } from '../../integrations/fastify/routes-discovery.js'
import { fastifyRoutes, routeSource } from '../../integrations/fastify/routes-source.js'
import { koaRoutes } from '../../integrations/koa/routes-source.js'
import { connectRoutes } from '../../src/internal.js'
import { quiet } from '../contract/host.js'

const load = createRequire(import.meta.url)

/** The values that a handler received. */
interface Seen {
  readonly route: string
  readonly params: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
}

/** These are tools; the others must never be reached by one of them. */
const own = ['/u/:id', '/u/:id/posts/:post', '/r/:from-:to', '/f/:name.json']
const others = ['/u/admin', '/u/:id/posts/all', '/u/:id/keys', '/admin', '/', '/f/secret.json']
const routes = { include: own }

type Listen = (see: (seen: Seen) => void, router: McpRouter<object>) => Promise<void>

const listenExpress =
  (name: string): Listen =>
  async (see, router) => {
    const app = (load(name) as typeof express)()
    for (const route of [...others, ...own]) {
      app.get(route, (req, res) => {
        see({ route, params: { ...req.params }, headers: req.headers })
        res.json({})
      })
    }
    app.use((req, res) => {
      see({ route: 'nowhere', params: {}, headers: req.headers })
      res.status(404).json({})
    })
    connectRoutes(router, expressRoutes, { routes, app })
  }

const listenKoa =
  (name: string): Listen =>
  async (see, router) => {
    const app = new (load('koa') as typeof Koa)()
    const table = new (load(name) as typeof KoaRouter)()
    for (const route of [...others, ...own]) {
      table.get(route, (ctx: Koa.Context) => {
        see({ route, params: { ...ctx.params }, headers: ctx.headers })
        ctx.body = {}
      })
    }
    app.use(table.routes())
    app.use((ctx) => see({ route: 'nowhere', params: {}, headers: ctx.headers }))
    connectRoutes(router, koaRoutes, { routes, app })
  }

const listenFastify =
  (name: string): Listen =>
  async (see, router) => {
    const app = (load(name) as typeof fastify)()
    onTestFinished(() => app.close())
    const source = routeSource(app as unknown as FastifyApp)
    for (const route of [...others, ...own]) {
      app.get(route, async ({ params, headers }) => {
        see({ route, params: { ...(params as object) }, headers })
        return {}
      })
    }
    app.setNotFoundHandler(async ({ headers }) => see({ route: 'nowhere', params: {}, headers }))
    connectRoutes(router, fastifyRoutes(source), { routes, app })
    await app.ready()
  }

const hosts: readonly (readonly [string, Listen])[] = [
  ['Express 4.18', listenExpress('express418')],
  ['Express 4.22', listenExpress('express4')],
  ['Express 5', listenExpress('express')],
  ['Koa with @koa/router 12', listenKoa('koa-router12')],
  ['Koa with @koa/router 15', listenKoa('@koa/router')],
  ['Fastify 4', listenFastify('fastify4')],
  ['Fastify 5', listenFastify('fastify')],
]

const piece = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        '..',
        '.',
        '%2e%2e',
        '..%2f',
        '..\\',
        '//host',
        '/../admin',
        '/admin',
        '\r\nX-Evil: y',
        '\0',
        '%00',
        ';a=b',
        '?q=1',
        '#f',
      ],
      ...[
        '__proto__',
        'constructor',
        'admin',
        'ADMIN',
        '%61dmin',
        'all',
        'ALL',
        'secret',
        'keys',
        '\ud800',
        '\u0130',
        '\u212a',
        'ａdmin',
        '-',
        '.json',
        '/keys',
        '%2Fkeys',
        '+',
        ' ',
      ],
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 90, maxLength: 120 }) },
)
const value = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''))

const tools: Readonly<Record<string, readonly [route: string, params: readonly string[]]>> = {
  get_u_by_id: ['/u/:id', ['id']],
  get_u_by_id_posts_by_post: ['/u/:id/posts/:post', ['id', 'post']],
  get_r_by_from_by_to: ['/r/:from-:to', ['from', 'to']],
  get_f_by_name_json: ['/f/:name.json', ['name']],
}

describe.each(hosts)('%s', (_name, listen) => {
  test('reaches the route of the tool with the values of the call, or no route', async () => {
    const router = new McpRouter<object>({ logger: quiet })
    const seen: Seen[] = []
    await listen((one) => void seen.push(one), router)
    expect(
      router
        .list()
        .filter(({ kind }) => kind === 'tool')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.keys(tools).sort())
    let reached = 0
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(tools)), value, value, async (tool, first, second) => {
        seen.length = 0
        const [route, names] = tools[tool] as (typeof tools)[string]
        const args = Object.fromEntries(names.map((name, index) => [name, index === 0 ? first : second]))
        const result = await router.call(tool, args)
        const said = (result.content[0] as { text?: string } | undefined)?.text ?? ''
        const [one] = seen
        if (one === undefined) {
          expect(result.isError).toBe(true)
          expect(said).toMatch(/^Invalid (?:path|arguments)/)
          return
        }
        reached += 1
        expect({ route: one.route, params: one.params }).toEqual({ route, params: args })
        expect(Object.keys(one.headers).sort()).toEqual(['accept', 'host', 'mcp-router-loop', 'user-agent'])
      }),
      { numRuns: 700 },
    )
    expect(reached).toBeGreaterThan(100)
  })
})
