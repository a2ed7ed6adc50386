/** Routes of Fastify apps as tools: discovery, schemas, guards, and routes declared before the plugin. */

import { createRequire } from 'node:module'
import type fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { McpRouter } from 'mcp-router'
import { mcp as plugin } from 'mcp-router/fastify'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FastifyApp } from '../../../integrations/fastify/routes-discovery.js'
import { fastifyRoutes, routeSource } from '../../../integrations/fastify/routes-source.js'
import { type AnyRouteOptions, connectRoutes } from '../../../src/internal.js'
import { quiet } from '../../contract/host.js'

const load = createRequire(import.meta.url)
const hosts: readonly { name: string; create: typeof fastify }[] = [
  { name: 'Fastify 4', create: load('fastify4') },
  { name: 'Fastify 5', create: load('fastify') },
]

const ok = async (request: { url: string; params: unknown }) => ({ url: request.url, params: request.params })
/** Custom members of `config`. */
const mcp = (marker: unknown): object => ({ config: { mcp: marker } })

describe.each(hosts)('$name', ({ create }) => {
  const start = (): FastifyInstance => {
    const app = create({ exposeHeadRoutes: true })
    onTestFinished(() => app.close())
    return app
  }
  const read = (app: FastifyInstance, routes: AnyRouteOptions = { include: ['* /**'] }) => {
    const [warn, error] = [vi.fn(), vi.fn()]
    const router = new McpRouter<object>({ logger: { ...quiet, warn, error } })
    const source = routeSource(app as unknown as FastifyApp, { routes })
    connectRoutes(router, fastifyRoutes(source), { routes, app })
    const routesOf = () =>
      Object.fromEntries(
        router
          .list()
          .map(({ name, route }) => [`${route?.method} ${route?.path}`.trim(), { name, ...route }]),
      )
    return { router, routesOf, warn, error }
  }

  test('finds the routes of all scopes, whatever their paths look like', async () => {
    const app = start()
    const { routesOf } = read(app)
    app.get('/', ok)
    app.get('/n/:id(^\\d+$)', ok)
    app.get('/at/:hour(^\\d{2})h:minute(^\\d{2})m', ok)
    app.get('/name::verb', ok)
    app.route({ method: ['GET', 'POST'], url: '/both', handler: ok })
    app.register(
      async (scope) => {
        scope.get('/', ok)
        scope.get('/slash/', ok)
      },
      { prefix: '/v1' },
    )
    app.all('/all', ok)
    app.get('/files/*', ok)
    await app.ready()
    expect(Object.entries(routesOf()).map(([route, { reason }]) => [route, reason])).toEqual([
      ['GET /', undefined],
      ['GET /n/{id}', undefined],
      ['GET /at/{hour}h{minute}m', undefined],
      ['GET /name:verb', undefined],
      ['GET /both', undefined],
      ['POST /both', undefined],
      ['GET /v1', undefined],
      ['GET /v1/slash/', undefined],
      ['ALL /all', 'it handles every method; declare one route for each method that should be a tool'],
      ['GET /files/*', 'a catch-all'],
    ])
  })

  test('finds those of plugins that were not awaited, and of after()', async () => {
    const app = start()
    const { routesOf } = read(app)
    const late = Object.assign(async (scope: FastifyInstance) => void scope.get('/late', ok), {
      [Symbol.for('skip-override')]: true,
    })
    // Like @fastify/autoload: one plugin per folder, with the folder's name as its prefix.
    for (const prefix of ['/tasks', '/users']) {
      app.register(async (scope) => void scope.register(async (inner) => void inner.get('/:id', ok)), {
        prefix,
      })
    }
    app.register(late)
    app.after(() => void app.get('/after', ok))
    app.get('/at-once', ok)
    await app.ready()
    expect(Object.keys(routesOf()).sort()).toEqual([
      'GET /after',
      'GET /at-once',
      'GET /late',
      'GET /tasks/{id}',
      'GET /users/{id}',
    ])
  })

  test('calls them', async () => {
    const app = start()
    const { router, routesOf } = read(app)
    app.get('/at/:hour(^\\d{2})h:minute(^\\d{2})m', ok)
    app.get('/name::verb', ok)
    app.register(async (scope) => void scope.get('/', ok), { prefix: '/v1' })
    await app.ready()
    routesOf()
    const call = async (name: string, args = {}) => JSON.stringify((await router.call(name, args)).content)
    expect(await call('get_at_by_hour_h_by_minute_m', { hour: '12', minute: '30' })).toContain('/at/12h30m')
    expect(await call('get_at_by_hour_h_by_minute_m', { hour: '1', minute: '30' })).toContain('hour')
    expect(await call('get_name_verb')).toContain('/name:verb')
    expect(await call('get_v1')).toContain('"/v1')
  })

  test('uses the schema of the route, with the shared schemas of its own scope', async () => {
    const app = start()
    const { router } = read(app)
    app.addSchema({ $id: 'Name', type: 'string', minLength: 2 })
    app.register(async (scope) => {
      scope.addSchema({ $id: 'Size', type: 'integer', maximum: 9 })
      scope.post(
        '/boxes/:id',
        {
          schema: {
            summary: 'Packs a box',
            operationId: 'packBox',
            params: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
            body: {
              type: 'object',
              required: ['name'],
              properties: { name: { $ref: 'Name#' }, size: { $ref: 'Size#' } },
            },
          } as object,
        },
        ok,
      )
    })
    app.register(async (scope) => {
      scope.addSchema({ $id: 'Size', type: 'string' })
      scope.post(
        '/shirts',
        { schema: { body: { type: 'object', properties: { size: { $ref: 'Size#' } } } } },
        ok,
      )
    })
    await app.ready()
    router.list()
    expect(router.get('tool', 'packBox')).toMatchObject({
      description: 'Packs a box',
      inputSchema: {
        properties: {
          id: { type: 'integer' },
          name: { type: 'string', minLength: 2 },
          size: { type: 'integer', maximum: 9 },
        },
        required: expect.arrayContaining(['id', 'name']),
      },
      route: { schemaSource: 'fastify' },
    })
    expect(router.get('tool', 'post_shirts')?.inputSchema).toMatchObject({
      properties: { size: { type: 'string' } },
    })
  })

  test('reaches no other route through an argument that matches its pattern', async () => {
    const app = start()
    const { router } = read(app, { include: ['/users/:name'], exclude: ['/users/:x/no'] })
    const reached = vi.fn(ok)
    app.get('/users/:name', ok)
    app.post('/users/:id(^\\d+$)', ok)
    app.register(async (scope) => void scope.get('/:id(^\\d+$)', reached), { prefix: '/users' })
    await app.ready()
    router.list()
    const name = 'get_users_by_name'
    expect((await router.call(name, { name: '12' })).content).toMatchObject([
      { text: expect.stringContaining('another route') },
    ])
    expect((await router.call(name, { name: 'ana' })).isError).not.toBe(true)
    expect(reached).not.toHaveBeenCalled()
  })

  test('reaches no route that Fastify finds by case folding', async () => {
    const caseless = { caseSensitive: false }
    const app = create((create === hosts[0]?.create ? caseless : { routerOptions: caseless }) as object)
    onTestFinished(() => app.close())
    const { router } = read(app, { include: ['/users/:id'], exclude: ['/users/task-keys'] })
    const reached = vi.fn(async () => 'keys')
    app.get('/users/task-keys', reached)
    app.get('/users/sk', mcp({ hidden: true }), reached)
    app.get('/users/:id', async ({ params }) => (params as { id: string }).id)
    for (const id of ['Task-Keys', 'tas\u212A-\u212Aeys', 'ta\u017F\u212A-keys', 's\u212A', '\u017Fk']) {
      const { isError, content } = await router.call('get_users_by_id', { id })
      expect({ id, isError, content }).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/is the address of another route, GET \/users\//) }],
      })
    }
    expect(reached).not.toHaveBeenCalled()
    expect((await router.call('get_users_by_id', { id: 'stra\u00dfe' })).content).toMatchObject([
      { text: expect.stringMatching(/stra/) },
    ])
  })

  test('reads `config.mcp` as a marker, but not `schema.hide`', async () => {
    const app = start()
    const { routesOf, router } = read(app, {})
    app.get('/yes', mcp(true), ok)
    app.get('/options', mcp({ name: 'given', description: 'Said here' }), ok)
    app.get('/no', mcp(false), ok)
    app.get('/hidden', { ...mcp(true), schema: { hide: true } as object }, ok)
    app.get('/plain', ok)
    app.get('/wrong', mcp({ descripton: 'x' }), ok)
    await app.ready()
    const found = Object.values(routesOf()).map(({ name, reason }) => reason ?? name)
    expect(found).toEqual([
      'get_yes',
      'given',
      'hidden',
      'hidden',
      'neither marked nor included',
      'not read: config.mcp of /wrong: there is no option `descripton`; did you mean `description`?',
    ])
    expect(router.get('tool', 'given')?.description).toBe('Said here')
  })

  test('lists the hooks in front, of the route and of its scopes', async () => {
    const app = start()
    const { routesOf } = read(app)
    const hook = (name: string) => Object.defineProperty(async () => {}, 'name', { value: name })
    app.addHook('onRequest', hook('outer'))
    app.get('/open', ok)
    app.register(async (scope) => {
      scope.addHook('preHandler', hook('verifyJWT'))
      scope.get('/closed', { preHandler: [hook('own')] }, ok)
    })
    await app.ready()
    expect(routesOf()['GET /open']).toMatchObject({ guards: ['outer'], checksCaller: 'unknown' })
    expect(routesOf()['GET /closed']).toMatchObject({
      guards: ['outer', 'verifyJWT', 'own'],
      checksCaller: 'yes',
    })
  })

  test('fails at startup if routes were declared before it, and lists them', async () => {
    const app = start()
    app.get('/tasks', ok)
    app.get('/tasks/:id', ok)
    app.post('/o/:opt?', ok)
    read(app, { include: ['/**'] })
    app.get('/seen', ok)
    app.get('/seen/opts/:opt?', ok)
    app.get('/seen/:a-:b(^\\d+$)', ok)
    app.register(async (scope) => void scope.get('/', ok), { prefix: '/v1' })
    let message = ''
    try {
      await app.ready()
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toContain('declared before the plugin was loaded')
    for (const missed of ['GET /tasks', 'GET /tasks/:id', 'POST /o/:opt']) expect(message).toContain(missed)
    expect(message).not.toMatch(/seen|v1/)
  })

  test("doesn't report a route as missed because other routes name its parameters differently", async () => {
    const app = start()
    app.get('/early/:one', ok)
    read(app, { include: ['/**'] })
    app.get('/tasks/:id', ok)
    app.get('/tasks/:task/notes/:n(^a|b$)', ok)
    app.get('/tasks/:t/:part', ok)
    app.get('/tasks/:from-:to/all', ok)
    app.get('/tasks/:a-:b/each', ok)
    app.get('/early/:other/notes', ok)
    await expect(async () => await app.ready()).rejects.toThrow(/cannot become tools: GET \/early\/:one; /)
  })

  const mount = async (app: FastifyInstance, options: object = {}, tools: readonly string[] = []) => {
    const [info, warn] = [vi.fn(), vi.fn()]
    const router = new McpRouter<object>({ logger: { ...quiet, info, warn } })
    for (const name of tools) router.tool(name, { description: name, handler: () => name })
    await app.register(plugin, { router, ...options } as object)
    const said = (level: typeof warn) => level.mock.calls.map(([message]) => String(message)).join()
    return { router, info: () => said(info), warn: () => said(warn) }
  }

  test('fails in the same way if any route is marked', async () => {
    const marked = start()
    marked.get('/early', ok)
    await mount(marked)
    marked.get('/late', mcp(true), ok)
    await expect(async () => await marked.ready()).rejects.toThrow('GET /early')
  })

  test("warns if all marked routes were missed, because their markers can't be seen", async () => {
    const app = start()
    app.get('/early', mcp(true), ok)
    const { router, warn } = await mount(app)
    await app.ready()
    expect(warn()).toContain('GET /early')
    expect(router.list({ app }).map(({ name, route }) => [name, route?.reason])).toContainEqual([
      'GET /early',
      expect.stringContaining('declared before the plugin was loaded'),
    ])
    const own = start()
    own.get('/early', mcp(true), ok)
    const served = await mount(own, {}, ['own'])
    await own.ready()
    expect([served.warn(), served.info()]).toEqual(['', expect.stringContaining('GET /early')])
  })

  test("reports no routes that can't be tools or are excluded", async () => {
    const app = start()
    app.get('/files/*', ok)
    app.get('/health', ok)
    app.options('/health', ok)
    const { warn, info } = await mount(app, { routes: { include: ['/tasks'], exclude: ['/health'] } })
    app.get('/tasks', ok)
    await app.ready()
    expect([warn(), info()]).toEqual(['', ''])
  })

  test('ignores routes of other scopes, and reports those below its own prefix', async () => {
    const app = start()
    app.get('/outside', ok)
    app.register(async (scope) => void scope.get('/neighbour', ok), { prefix: '/b' })
    const mounts: Awaited<ReturnType<typeof mount>>[] = []
    const routes = { include: ['* /**'] }
    app.register(
      async (scope) => {
        scope.get('/early', ok)
        mounts.push(await mount(scope as unknown as FastifyInstance, { routes }))
        scope.get('/late', ok)
      },
      { prefix: '/a' },
    )
    app.register(async (scope) => {
      mounts.push(await mount(scope as unknown as FastifyInstance, { routes, path: '/other' }))
      scope.get('/here', ok)
    })
    await app.ready()
    const [below, beside] = mounts
    expect(below?.warn()).toContain('tools: GET /a/early;')
    expect(beside?.warn()).toBe('')
  })

  test('also warns in a scope without a prefix, if there is no tool at all', async () => {
    const app = start()
    const mounts: Awaited<ReturnType<typeof mount>>[] = []
    app.register(async (scope) => {
      scope.get('/early', mcp(true), ok)
      mounts.push(await mount(scope as unknown as FastifyInstance))
    })
    await app.ready()
    expect(mounts[0]?.warn()).toContain('GET /early')
  })

  test('names a neighbouring scope as the reason, and how to include it', async () => {
    const app = start()
    const mounts: Awaited<ReturnType<typeof mount>>[] = []
    app.register(async (scope) => {
      mounts.push(await mount(scope as unknown as FastifyInstance, { routes: { include: ['/**'] } }))
    })
    app.register(async (scope) => void scope.get('/beside', ok))
    await app.ready()
    const warned = mounts[0]?.warn() ?? ''
    expect(warned).toContain('GET /beside; either they belong to a neighbouring scope')
    expect(warned).not.toContain('these routes were declared before the plugin was loaded')
    // The pattern can't have meant the plugin's own endpoint.
    expect(warned).not.toMatch(/OPTIONS|ALL/)
  })

  test('shares the routes that one mount of an instance saw with the next one', async () => {
    const app = start()
    await mount(app)
    app.get('/between', mcp(true), ok)
    const { router } = await mount(app, { routes: { include: ['/late'] }, path: '/second' })
    app.get('/late', ok)
    await app.ready()
    expect(router.list({ app }).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['get_between', 'get_late']),
    )
  })
})
