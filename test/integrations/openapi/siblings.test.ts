/**
 * An operation of a document reaches the app's route with its method and path, and no other, hidden or excluded ones
 * included.
 */

import KoaRouter from '@koa/router'
import express, { type RequestHandler } from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import Koa from 'koa'
import type { McpRouter } from 'mcp-router'
import { asTool, mcp as expressMcp } from 'mcp-router/express'
import { mcp as fastifyMcp } from 'mcp-router/fastify'
import { asTool as asKoaTool, mcp as koaMcp } from 'mcp-router/koa'
import { addOpenApi } from 'mcp-router/openapi'
import { describe, expect, it, onTestFinished } from 'vitest'
import { documentOf, silentRouter } from './documents.js'

const routes = {
  exclude: ['/users/excluded', '/reports/**'],
  tools: { '/users/off': { hidden: true } },
  openapi: documentOf({ '/users/unlisted': { get: { 'x-mcp-hidden': true, responses: {} } } }),
}
const hidden = { hidden: true }
/** The routes in the order of their declaration. Each responds with its path. */
const paths = [
  '/users/keys',
  '/users/excluded',
  '/users/off',
  '/users/unlisted',
  '/users/:id',
  '/users/me',
  '/reports/:id',
  '/files/:dir/:name',
]
const hides = (path: string): boolean => path === '/users/keys' || path === '/files/:dir/:name'

type Prepare = (app: object) => Promise<unknown>

const inExpress = (create: typeof express) => async (router: McpRouter, prepare?: Prepare) => {
  const app = create()
  await prepare?.(app)
  app.use(expressMcp(router, { routes }) as unknown as RequestHandler)
  for (const path of paths) {
    const answer: RequestHandler = (_req, res) => void res.json(path)
    app.get(path, ...(hides(path) ? [asTool(hidden)] : []), answer)
  }
  return app
}

/** `prepare` runs before the router is mounted. */
const hosts: Record<string, (router: McpRouter, prepare?: Prepare) => Promise<object>> = {
  'Express 4': inExpress(express4 as unknown as typeof express),
  'Express 5': inExpress(express),
  async Koa(router, prepare) {
    const app = new Koa()
    await prepare?.(app)
    const api = new KoaRouter()
    app.use(koaMcp(router, { app, routes }) as Koa.Middleware)
    for (const path of paths) {
      const answer: Koa.Middleware = (ctx) => {
        ctx.body = JSON.stringify(path)
      }
      api.get(path, ...((hides(path) ? [asKoaTool(hidden)] : []) as never[]), answer as never)
    }
    return app.use(api.routes() as Koa.Middleware)
  },
  async Fastify(router, prepare) {
    const app = Fastify()
    onTestFinished(() => app.close())
    await prepare?.(app)
    await app.register(fastifyMcp, { router, routes } as never)
    for (const path of paths) {
      const config = (hides(path) ? { mcp: hidden } : {}) as object
      app.get(path, { config }, async (_request, reply) => reply.send(JSON.stringify(path)))
    }
    return app
  },
}

const get = (operationId: string, ...names: string[]) => ({
  get: {
    operationId,
    parameters: names.map((name) => ({ in: 'path', name, required: true, schema: { type: 'string' } })),
    responses: {},
  },
})

describe.each(Object.entries(hosts))('in %s', (_, start) => {
  it('refuses values that form the path of another route', async () => {
    const router = silentRouter()
    const app = await start(router)
    await addOpenApi(router, documentOf({ '/users/{user}': get('user', 'user') }), { app })
    const call = async (user: string) => {
      const { isError = false, content } = await router.call('user', { user })
      return { isError, text: (content[0] as { text: string }).text }
    }
    for (const user of ['keys', 'excluded', 'EXCLUDED', 'off', 'unlisted'])
      expect(await call(user)).toEqual({
        isError: true,
        text: expect.stringMatching(/is the address of another route/),
      })
    expect(await call('7')).toEqual({ isError: false, text: expect.stringContaining('/users/:id') })
  })

  it('does so from the first call on, if the router is mounted after the document is added', async () => {
    const router = silentRouter()
    const document = documentOf({
      '/users/{user}': get('user', 'user'),
      '/users/keys': get('keys'),
      '/reports/{id}': get('report', 'id'),
    })
    await start(router, (app) => addOpenApi(router, document, { app }))
    const { content } = await router.call('user', { user: 'excluded' })
    expect(content).toMatchObject([{ text: expect.stringMatching(/is the address of another route/) }])
    expect((await router.call('user', { user: '7' })).isError).toBeUndefined()
    await expect(router.call('keys')).rejects.toThrow(/keys/)
    await expect(router.call('report', { id: '1' })).rejects.toThrow(/report/)
  })

  it('makes no tool of an operation whose route is hidden or excluded', async () => {
    const router = silentRouter()
    const app = await start(router)
    const document = documentOf({
      '/users/keys': get('keys'),
      '/users/excluded': get('excluded'),
      '/users/off': get('off'),
      '/users/unlisted': get('unlisted'),
      '/reports/{id}': get('report', 'id'),
      '/users/me': get('me'),
    })
    const { skipped } = await addOpenApi(router, document, { app })
    expect(Object.fromEntries(skipped.map(({ operation, reason }) => [operation, reason]))).toMatchObject({
      'GET /users/keys': 'hidden',
      'GET /users/off': 'hidden',
      'GET /users/unlisted': 'hidden',
      'GET /users/excluded': 'excluded by "/users/excluded"',
      'GET /reports/{id}': 'excluded by "/reports/**"',
    })
  })

  it('keeps an operation without a route from reaching hidden routes', async () => {
    const router = silentRouter()
    const app = await start(router)
    const document = documentOf({ '/{area}/{dir}/{name}': get('any', 'area', 'dir', 'name') })
    await addOpenApi(router, document, { app })
    const { isError, content } = await router.call('any', { area: 'files', dir: 'a', name: 'b' })
    expect({ isError, content }).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('is the address of another route') }],
    })
  })
})

it("makes no tool of operations while the mount's own document is being read", async () => {
  const router = silentRouter()
  const app = express()
  let answer = (_document: object): void => {}
  const document = new Promise<object>((resolve) => {
    answer = resolve
  })
  app.get('/users/unlisted', (_req, res) => void res.json({}))
  await addOpenApi(router, documentOf({ '/users/unlisted': get('unlisted') }), { app })
  app.use(expressMcp(router, { app, routes: { openapi: () => document } } as never))
  expect(router.has('tool', 'unlisted')).toBe(false)
  answer(routes.openapi)
  await expect(router.call('unlisted')).rejects.toThrow(/unlisted/)
  expect(router.list().find(({ kind }) => kind === 'route')?.route?.reason).toBe('hidden')
})

it("refuses the path of an operation that the document's `exclude` names", async () => {
  const router = silentRouter()
  const app = express()
  app.get('/users/:id', (req, res) => void res.json(req.params.id))
  const document = documentOf({ '/users/{id}': get('user', 'id') })
  await addOpenApi(router, document, { app, exclude: ['/users/admin'] })
  expect((await router.call('user', { id: 'admin' })).isError).toBe(true)
  expect((await router.call('user', { id: 'ana' })).isError).toBeUndefined()
})

it.each([
  ['_method', '"_method" would change the method'],
  ['api_key', 'the parameter "api_key" is a credential'],
])('lets no object in a query hold %s, however it is spelled', async (name, reason) => {
  const router = silentRouter()
  const app = express()
  app.set('query parser', 'extended')
  const reached: unknown[] = []
  app.get('/x', (req, res) => {
    reached.push(req.query)
    res.json({})
  })
  const filter = { in: 'query', name: 'filter', schema: { type: 'object', additionalProperties: true } }
  const document = documentOf(
    { '/x': { get: { operationId: 'x', parameters: [filter], responses: {} } } },
    { components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } } },
  )
  await addOpenApi(router, document, { app })
  for (const key of [name, `${name}[]`, `[${name}]`, `[${name}][]`, `${name}.x`, `.${name}`, `[][${name}]`]) {
    const { isError, content } = await router.call('x', { filter: { [key]: 'v' } })
    expect({ key, isError, content }).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(reason) }],
    })
  }
  expect(reached).toEqual([])
  expect(
    (await router.call('x', { filter: { a: { [name]: 'v' }, [`my${name}`]: 'v' } })).isError,
  ).toBeUndefined()
})

describe.each([
  ['a neighbouring scope of the plugin', false],
  ['a route declared before the plugin', true],
])('%s in Fastify', (_, isEarly) => {
  it("may hide its route from tools, so operations with its path don't become tools", async () => {
    const router = silentRouter()
    const app = Fastify()
    const keys = () => 'SECRET'
    if (isEarly) app.get('/keys', { config: { mcp: hidden } }, keys)
    await app.register(async (scope) => {
      await scope.register(fastifyMcp, { router })
      scope.get('/open', () => 'open')
    })
    if (!isEarly) {
      await app.register(async (scope) => {
        scope.get('/keys', { config: { mcp: hidden } }, keys)
      })
    }
    await app.ready()
    onTestFinished(() => app.close())
    const get = { get: { responses: {} } }
    const { tools, skipped } = await addOpenApi(router, documentOf({ '/keys': get, '/open': get }), { app })
    expect(tools).toEqual(['get_open'])
    expect(skipped).toEqual([
      { operation: 'GET /keys', reason: expect.stringContaining('register the plugin in the root app') },
    ])
    await expect(router.call('get_keys')).rejects.toThrow('there is no tool "get_keys"')
  })
})
