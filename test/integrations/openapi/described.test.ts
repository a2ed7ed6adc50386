/** The option `routes.openapi`: a document for the routes of an app, on every mount that has routes. */

import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import swagger from '@fastify/swagger'
import Router from '@koa/router'
import express, { type RequestHandler } from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import Koa from 'koa'
import { McpRouter } from 'mcp-router'
import { mcp as expressMcp } from 'mcp-router/express'
import { mcp as fastifyMcp } from 'mcp-router/fastify'
import { mcp as koaMcp } from 'mcp-router/koa'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { modern } from '../../contract/clients.js'
import { expectResult } from '../../contract/expect.js'
import { quiet } from '../../contract/host.js'
import { passTime } from '../../support/time.js'
import { documentOf, type Json } from './documents.js'

const text = { type: 'string' }
const document = documentOf(
  {
    '/tasks/{taskId}': {
      get: {
        operationId: 'getTask',
        summary: 'One task',
        parameters: [
          { in: 'path', name: 'taskId', required: true, schema: { type: 'integer' } },
          { in: 'query', name: 'sesame', schema: text },
          { in: 'query', name: 'with', schema: { type: 'string', enum: ['notes'] } },
        ],
        responses: {
          200: {
            description: 'ok',
            content: { 'application/json': { schema: { type: 'object', properties: { id: text } } } },
          },
        },
      },
      delete: { operationId: 'dropTask', 'x-mcp': { description: 'Drops it' }, responses: {} },
    },
    '/tasks/keys': { get: { 'x-mcp-hidden': true, responses: {} } },
    '/tasks/gone': { get: { responses: {} } },
  },
  {
    servers: [{ url: 'https://elsewhere.example/api' }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'sesame' } } },
  },
)

type Routes = Json
interface Made {
  readonly router: McpRouter<object>
  readonly app: object
}
const routesOf = (openapi: unknown, more: Json = {}): Routes => ({ include: ['/api/**'], openapi, ...more })
const newRouter = (logger: object = {}) =>
  new McpRouter<object>({ name: 't', version: '1', logger: { ...quiet, ...logger } })

const onExpress = (make: typeof express) => (routes: Routes, router: McpRouter<object>) => {
  const app = make()
  app.use(expressMcp(router, { routes, app } as never) as unknown as RequestHandler)
  const answer: RequestHandler = (req, res) => void res.json({ id: `${req.params.id}` })
  for (const path of ['/api/tasks/keys', '/api/tasks/:id', '/api/other']) app.get(path, answer)
  app.delete('/api/tasks/:id', answer)
  return app
}

const frameworks: Record<
  string,
  (routes: Routes, router: McpRouter<object>) => object | PromiseLike<object>
> = {
  'Express 4': onExpress(express4 as unknown as typeof express),
  'Express 5': onExpress(express),
  Koa(routes, router) {
    const app = new Koa()
    app.use(koaMcp(router, { routes, app } as never))
    const api = new Router({ prefix: '/api' })
    const answer = (ctx: { readonly params: { readonly id?: string }; body: unknown }) => {
      ctx.body = { id: `${ctx.params.id}` }
    }
    for (const path of ['/tasks/keys', '/tasks/:id', '/other']) api.get(path, answer)
    api.delete('/tasks/:id', answer)
    app.use(api.routes())
    return app
  },
  async Fastify(routes, router) {
    const app = Fastify()
    onTestFinished(() => app.close())
    await app.register(fastifyMcp, { router, routes } as never)
    const answer = async ({ params }: { params: unknown }) => ({ id: `${(params as { id: string }).id}` })
    for (const path of ['/api/tasks/keys', '/api/tasks/:id', '/api/other']) app.get(path, answer)
    app.delete('/api/tasks/:id', answer)
    await app.ready()
    return app
  },
}

const start = async (openapi: unknown, more: Json = {}, logger: object = {}): Promise<Made> => {
  const router = newRouter(logger)
  const app = await onExpress(express)(routesOf(openapi, more), router)
  return { router, app }
}
const toolsOf = (router: McpRouter<object>) =>
  router.list().flatMap(({ kind, name }) => (kind === 'tool' ? [name] : []))

describe.each(Object.entries(frameworks))('on %s', (_, make) => {
  it('names, describes and hides the routes of the app, and marks those with `x-mcp`', async () => {
    const router = newRouter()
    const app = await make(routesOf(document), router)
    const listed = router.list({ app })
    const reasons = listed.flatMap(({ name, route }) => (route?.reason ? [[name, route.reason]] : []))
    expect(Object.fromEntries(reasons)).toMatchObject({ 'GET /api/tasks/keys': 'hidden' })
    expect(toolsOf(router).sort()).toEqual(['dropTask', 'getTask', 'get_api_other'])
    expect(router.get('tool', 'getTask')).toMatchObject({
      description: 'One task',
      inputSchema: { properties: { id: { type: 'integer' }, with: { enum: ['notes'] } }, required: ['id'] },
      outputSchema: { properties: { id: text } },
      route: { method: 'GET', path: '/api/tasks/{id}', schemaSource: expect.stringContaining('openapi') },
    })
    expect(router.get('tool', 'getTask')?.inputSchema).not.toHaveProperty('properties.sesame')
    expect(router.get('tool', 'dropTask')?.description).toBe('Drops it')
    expect(await router.call('getTask', { id: 7 })).toMatchObject({ structuredContent: { id: '7' } })
    expect(await router.call('getTask', { id: 'x' })).toMatchObject({ isError: true })
  })

  it('rejects a source that is recognizably not a document, when it is mounted', async () => {
    const attempt = async (openapi: unknown) => make(routesOf(openapi), newRouter())
    await expect(attempt({ swagger: '2.0' })).rejects.toThrow('routes.openapi: expected an OpenAPI 3.0')
    await expect(attempt('./nowhere.json')).rejects.toThrow(
      'routes.openapi: ./nowhere.json cannot be read: ENOENT',
    )
    await expect(attempt(7)).rejects.toThrow('expected `openapi` to be an OpenAPI document')
    await expect(attempt({ document, prefix: 'api/' })).rejects.toThrow(
      'expected `prefix` to be empty or a path',
    )
  })
})

describe('the document', () => {
  it('is a file, by its path or URL, in JSON or YAML', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-router-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [json, yaml] = [join(folder, 'api.json'), join(folder, 'api.yaml')]
    await writeFile(json, JSON.stringify(document))
    await writeFile(
      yaml,
      'openapi: 3.1.0\npaths:\n  /api/tasks/{id}:\n    get: { operationId: fromYaml, responses: {} }\n',
    )
    for (const [source, name] of [
      [json, 'getTask'],
      [pathToFileURL(json), 'getTask'],
      [yaml, 'fromYaml'],
    ] as const) {
      const { router } = await start(source)
      expect(toolsOf(router)).toContain(name)
    }
  })

  it('has its own prefix, or the given one', async () => {
    const paths = (document as { paths: Json }).paths
    const { router } = await start({ document: documentOf(paths), prefix: '/api' })
    expect(toolsOf(router)).toContain('getTask')
  })

  it('comes from a function, which is called once, when the document is needed', async () => {
    const ask = vi.fn(() => document)
    const { router } = await start(ask)
    expect(ask).not.toHaveBeenCalled()
    expect(toolsOf(router)).toContain('getTask')
    toolsOf(router)
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('may come from @fastify/swagger, generated from the routes themselves, once the app is ready', async () => {
    const app = Fastify()
    onTestFinished(() => app.close())
    await app.register(swagger, { openapi: { info: { title: 't', version: '1' } } })
    const router = newRouter()
    const routes = { include: ['/tasks/*'], openapi: () => app.swagger() }
    await app.register(fastifyMcp, { router, routes } as never)
    const schema = {
      operationId: 'readTask',
      params: { type: 'object', properties: { id: { type: 'integer' } } },
    }
    app.get('/tasks/:id', { schema } as object, async () => ({}))
    await app.ready()
    expect(toolsOf(router)).toEqual(['readTask'])
    expect(router.get('tool', 'readTask')?.inputSchema).toMatchObject({
      properties: { id: { type: 'integer' } },
    })
  })

  it('may come later: requests and `ready()` wait for it, and until then no route is a tool', async () => {
    let give: (value: object) => void = () => {}
    const { router, app } = await start(
      () =>
        new Promise<object>((resolve) => {
          give = resolve
        }),
    )
    const reasons = router.list({ app }).map(({ route }) => route?.reason)
    expect(new Set(reasons.filter((reason) => reason !== undefined))).toContainEqual(
      expect.stringContaining('is being read; `await router.ready()` waits for it'),
    )
    expect(toolsOf(router)).toEqual([])
    const server = createServer(app as never).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const client = modern(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
    const listing = client.request('tools/list')
    give(document)
    await router.ready()
    expect(expectResult(await listing).tools.map(({ name }: Json) => name)).toContain('getTask')
    expect(toolsOf(router)).toContain('getTask')
  })

  it('is awaited for a limited time, and counts as unreadable after that', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { router } = await start(() => new Promise<object>(() => {}))
    const ready = router.ready().catch((error: Error) => error.message)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await ready).toMatch(
      /document of `routes.openapi` cannot be read: the function did not return a document within \d+ ms/,
    )
    expect(toolsOf(router)).toEqual([])
  })

  it('hides all routes if it is not a document', async () => {
    const { router } = await start(() => ({ swagger: '2.0', paths: {} }))
    await expect(router.ready()).rejects.toThrow(/cannot be read: .*got Swagger 2\.0; convert it first/)
    expect(toolsOf(router)).toEqual([])
  })

  it('is fetched if it is a URL', async () => {
    const server = createServer((_, res) => void res.end(JSON.stringify(document))).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { router } = await start(`http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`)
    await router.ready()
    expect(toolsOf(router)).toContain('getTask')
  })

  it("hides all routes while it can't be read, logs that, and is tried again", async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const pass = passTime()
    const error = vi.fn()
    let broken = true
    const { router } = await start(
      () => {
        if (broken) throw new Error('not yet')
        return document
      },
      {},
      { error },
    )
    await expect(router.ready()).rejects.toThrow('the document of `routes.openapi` cannot be read: not yet')
    expect(toolsOf(router)).toEqual([])
    expect(error).toHaveBeenCalledTimes(1)
    broken = false
    // The machine's clock was set back meanwhile.
    vi.setSystemTime(0)
    pass(1_500)
    await router.ready()
    expect(toolsOf(router)).toContain('getTask')
  })

  it('warns about operations without a route, and about unreadable ones', async () => {
    const warn = vi.fn()
    const said = () => warn.mock.calls.join()
    const paths = (document as { paths: Json }).paths
    const broken = { get: { parameters: [{ in: 'path', name: 'id', style: 'form' }], responses: {} } }
    const hidden = { get: { ...broken.get, 'x-mcp-hidden': true } }
    const { router } = await start(
      documentOf({ ...paths, '/tasks/{id}/x': broken, '/other': hidden }, { servers: [{ url: '/api' }] }),
      {},
      { warn },
    )
    expect(toolsOf(router).sort()).toEqual(['dropTask', 'getTask'])
    expect(said()).toContain('GET /api/tasks/gone')
    expect(said()).toContain('GET /api/tasks/{id}/x of the document')
    const other = await start(documentOf(paths), {}, { warn })
    toolsOf(other.router)
    expect(said()).toContain('no operation of the document of `routes.openapi` matches a route of this app')
  })
})
