/** Calls of a document's tools, through apps of all frameworks in this process, and to another server. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type RequestHandler } from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { McpRouter } from 'mcp-router'
import { addOpenApi } from 'mcp-router/openapi'
import { afterEach, describe, expect, it } from 'vitest'
import { documentOf, type Json, silentRouter } from './documents.js'

const text = { type: 'string' }
const document = documentOf(
  {
    '/tasks/{id}': {
      put: {
        operationId: 'updateTask',
        'x-mcp': { headers: ['X-Tenant'] },
        parameters: [
          { in: 'path', name: 'id', required: true, schema: { type: 'integer' } },
          { in: 'query', name: 'dry', schema: { type: 'boolean' } },
          { in: 'query', name: 'tags', explode: false, schema: { type: 'array', items: text } },
          { in: 'header', name: 'X-Tenant', schema: text },
        ],
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object', properties: { id: text, title: text } } },
          },
        },
        responses: {
          200: {
            description: 'ok',
            content: {
              'application/json': { schema: { type: 'object', properties: { id: text }, required: ['id'] } },
            },
          },
        },
      },
    },
  },
  { servers: [{ url: 'https://elsewhere.example/{stage}/', variables: { stage: { default: 'v1' } } }] },
)
const args = { id__path: 7, id: 'body', title: 'T', dry: true, tags: ['a', 'b'], 'X-Tenant': 't1' }
const expected = {
  id: '7',
  query: { dry: 'true', tags: 'a,b' },
  body: { id: 'body', title: 'T' },
  tenant: 't1',
  authorization: 'Bearer caller',
}

const caller = {
  request: {
    method: 'POST',
    url: '/mcp',
    headers: { authorization: 'Bearer caller', cookie: 'sid=1', host: 'me.example' },
    ip: '10.0.0.1',
    raw: undefined,
  },
}

const seen = (id: string, req: IncomingMessage, query: unknown, body: unknown): Json => ({
  id,
  query,
  body,
  tenant: req.headers['x-tenant'],
  authorization: req.headers.authorization,
})

const onExpress = (make: typeof express) => {
  const app = make()
  app.use(make.json())
  app.put(
    '/v1/tasks/:id',
    ((req, res) => void res.json(seen(String(req.params.id), req, req.query, req.body))) as RequestHandler,
  )
  return app
}

const apps: Record<string, () => object> = {
  'Express 4': () => onExpress(express4 as unknown as typeof express),
  'Express 5': () => onExpress(express),
  Koa: () => {
    const app = new Koa()
    app.use(bodyParser())
    app.use((ctx) => {
      ctx.body = seen(ctx.path.slice('/v1/tasks/'.length), ctx.req, { ...ctx.query }, ctx.request.body)
    })
    return app
  },
  Fastify: () => {
    const app = Fastify()
    app.put<{ Params: { id: string } }>('/v1/tasks/:id', async ({ params, raw, query, body }) =>
      seen(params.id, raw, query, body),
    )
    return app
  },
}

describe.each(Object.entries(apps))('in process over %s', (_, make) => {
  it('sends a call through the app, below the path of the first server, as the caller', async () => {
    const router = silentRouter()
    await addOpenApi(router, document, { app: make() })
    const result = await router.call('updateTask', args, caller)
    expect(result).toMatchObject({ structuredContent: expected })
  })
})

describe('in process', () => {
  it('has options for the prefix and for headers to pass on', async () => {
    const app = express()
    app.get('/api/x', (req, res) => void res.json({ plan: req.get('x-plan') }))
    const router = silentRouter()
    const { tools } = await addOpenApi(router, documentOf({ '/x': { get: { responses: {} } } }), {
      app,
      prefix: '/api',
      forwardHeaders: ['X-Plan'],
    })
    const { request } = caller
    const result = await router.call(
      tools[0] ?? '',
      {},
      { request: { ...request, headers: { 'x-plan': 'gold' } } },
    )
    expect(result).toMatchObject({ content: [{ text: '{"plan":"gold"}' }] })
  })

  it('never makes a forwarded header an argument', async () => {
    const app = express()
    app.get('/x', (req, res) => void res.json({ tenant: req.get('x-tenant') ?? 'none' }))
    const parameters = [{ in: 'header', name: 'X-Tenant', required: true, schema: text }]
    const router = silentRouter()
    const described = documentOf({ '/x': { get: { operationId: 'look', parameters, responses: {} } } })
    await addOpenApi(router, described, { app, forwardHeaders: ['X-Tenant'] })
    expect(router.get('tool', 'look')?.inputSchema).not.toHaveProperty('properties.X-Tenant')
    const { request } = caller
    const from = (headers: Record<string, string>) => ({ request: { ...request, headers } })
    expect(await router.call('look', {}, from({ 'x-tenant': 'mine' }))).toMatchObject({
      content: [{ text: '{"tenant":"mine"}' }],
    })
    for (const headers of [{}, { 'x-tenant': 'mine' }]) {
      const forged = await router.call('look', { 'X-Tenant': 'other' }, from(headers)).catch(String)
      expect(JSON.stringify(forged)).not.toContain('"tenant')
    }
  })

  it('reports a response that differs from the document as an error with the response', async () => {
    const app = express()
    app.put('/v1/tasks/:id', (_, res) => void res.json({ id: 1 }))
    const warnings: string[] = []
    const silent = () => {}
    const logger = {
      debug: silent,
      info: silent,
      error: silent,
      warn: (message: unknown) => warnings.push(String(message)),
    }
    const router = new McpRouter({ name: 't', version: '1', logger: logger as never })
    await addOpenApi(router, document, { app })
    expect(await router.call('updateTask', { id__path: 1 })).toMatchObject({ isError: true })
    expect(warnings.join()).toContain('id: expected string, got 1')
  })
})

describe('over HTTP', () => {
  const open: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of open.splice(0)) await close()
  })
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    open.push(() => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it("sends requests to the base URL, whatever the document's servers are, with the configured headers", async () => {
    const requests: IncomingMessage[] = []
    const url = await serve((req, res) => {
      requests.push(req)
      res.setHeader('content-type', 'application/json')
      res.end('{"id":"7"}')
    })
    const router = silentRouter()
    await addOpenApi(router, document, {
      baseUrl: `${url}/base/`,
      headers: (ctx) => ({
        authorization: `Key ${ctx.request?.headers.authorization}`,
        'x-nothing': undefined,
      }),
    })
    expect(await router.call('updateTask', args, caller)).toMatchObject({ structuredContent: { id: '7' } })
    expect(requests[0]).toMatchObject({ method: 'PUT', url: '/base/tasks/7?dry=true&tags=a,b' })
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Key Bearer caller',
      'x-tenant': 't1',
      host: new URL(url).host,
    })
    expect(requests[0]?.headers).not.toHaveProperty('cookie')
    expect(requests[0]?.headers).not.toHaveProperty('x-nothing')
  })

  it("doesn't identify the caller, unless configured to", async () => {
    let headers: Json = {}
    const url = await serve((req, res) => {
      headers = req.headers
      res.end('{}')
    })
    const router = silentRouter()
    await addOpenApi(router, document, { baseUrl: url })
    const { request } = caller
    const forwarded = {
      ...request.headers,
      'x-forwarded-for': '10.1.1.1',
      forwarded: 'for=1',
      'x-real-ip': '1.1.1.1',
    }
    await router.call('updateTask', { id__path: 1 }, { request: { ...request, headers: forwarded } })
    for (const name of ['authorization', 'cookie', 'x-forwarded-for', 'forwarded', 'x-real-ip']) {
      expect(headers).not.toHaveProperty(name)
    }
  })

  it('has no argument that identifies the caller, whatever the document calls it', async () => {
    const urls: (string | undefined)[] = []
    const heard: IncomingMessage['headers'][] = []
    const url = await serve((req, res) => {
      urls.push(req.url)
      heard.push(req.headers)
      res.end('{}')
    })
    const parameter = (place: string, name: string, schema: Json = text) => ({ in: place, name, schema })
    const described = documentOf(
      {
        '/x': {
          get: {
            operationId: 'look',
            parameters: [
              parameter('query', 'q'),
              parameter('query', 'sesame'),
              parameter('query', 'filter', { type: 'object', additionalProperties: text }),
              ...['x-sesame', 'Authorization', 'Cookie', 'X-Plan'].map((name) => parameter('header', name)),
              parameter('cookie', 'sid'),
            ],
            responses: {},
          },
        },
      },
      {
        components: {
          securitySchemes: {
            inHeader: { type: 'apiKey', in: 'header', name: 'X-Sesame' },
            inQuery: { type: 'apiKey', in: 'query', name: 'sesame' },
            inCookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
            bearer: { type: 'http', scheme: 'bearer' },
          },
        },
      },
    )
    const router = silentRouter()
    await addOpenApi(router, described, { baseUrl: url, headers: ['X-Plan', 'X-Sesame'] })
    const { inputSchema } = router.get('tool', 'look') ?? {}
    const { properties = {} } = inputSchema as { properties?: object }
    expect(Object.keys(properties)).toEqual(['q', 'filter', 'X-Plan'])
    for (const name of ['sesame', 'x-sesame', 'X-Sesame', 'Authorization', 'authorization', 'Cookie', 'sid'])
      await router.call('look', { [name]: 'forged' }).catch(String)
    for (const name of ['sesame', 'sesame[]', 'sesame[a]'])
      expect(await router.call('look', { filter: { [name]: 'forged' } })).toMatchObject({ isError: true })
    await router.call('look', { q: 'a', filter: { b: 'c' }, 'X-Plan': 'gold' })
    expect(urls).toEqual(['/x?q=a&b=c'])
    expect(heard[0]).not.toHaveProperty('x-sesame')
  })

  it('recognizes a call that comes back to it', async () => {
    const loops: unknown[] = []
    const url = await serve((req, res) => {
      loops.push(req.headers['mcp-router-loop'])
      res.end('{}')
    })
    const router = silentRouter()
    await addOpenApi(router, document, { baseUrl: url })
    const { request } = caller
    await router.call('updateTask', { id__path: 1 }, { request })
    const headers = { 'mcp-router-loop': `${loops[0]}` }
    const again = router.call('updateTask', { id__path: 1 }, { request: { ...request, headers } })
    await expect(again).rejects.toThrow('called, over HTTP, a tool of its own app')
    expect(loops).toHaveLength(1)
  })

  it('stops reading an endless response at the limit, and closes the connection', async () => {
    let written = 0
    let gone: () => void = () => {}
    const hungUp = new Promise<void>((resolve) => {
      gone = resolve
    })
    const url = await serve((_, res) => {
      res.writeHead(200, { 'content-type': 'text/plain' }).once('close', gone)
      const more = (): void => {
        if (res.destroyed) return
        written += 64 * 1024
        if (res.write(Buffer.alloc(64 * 1024, 'x'))) setImmediate(more)
        else res.once('drain', more)
      }
      more()
    })
    const router = silentRouter()
    await addOpenApi(router, document, { baseUrl: url, maxResultBytes: 1_000 })
    const result = await router.call('updateTask', { id__path: 1 })
    expect(JSON.stringify(result.content)).toContain('Only the first 1000 bytes are shown')
    await hungUp
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  it('follows no redirects, which would receive the credentials', async () => {
    const stolen: IncomingMessage[] = []
    const thief = await serve((req, res) => {
      stolen.push(req)
      res.end('{}')
    })
    const url = await serve((_, res) => res.writeHead(307, { location: `${thief}/take` }).end())
    const router = silentRouter()
    await addOpenApi(router, document, { baseUrl: url, headers: () => ({ authorization: 'secret' }) })
    const result = await router.call('updateTask', { id__path: 1 })
    expect(JSON.stringify(result)).toContain('/take')
    expect(stolen).toEqual([])
  })

  it.each(['../../admin', '..', '.', '%2e%2e', 'a/../b', '@evil.example', '//evil.example', '\\evil'])(
    'keeps %s a value of its own parameter',
    async (id) => {
      const urls: (string | undefined)[] = []
      const url = await serve((req, res) => {
        urls.push(req.url)
        res.end('{}')
      })
      const router = silentRouter()
      const get = { parameters: [{ in: 'path', name: 'id', required: true, schema: text }], responses: {} }
      const { tools } = await addOpenApi(router, documentOf({ '/u/{id}/x': { get } }), {
        baseUrl: `${url}/base`,
      })
      await router.call(tools[0] ?? '', { id })
      const expectedUrls = id === '.' || id === '..' ? [] : [`/base/u/${encodeURIComponent(id)}/x`]
      expect(urls).toEqual(expectedUrls)
    },
  )

  it('turns failures of the other server into errors that the model can read', async () => {
    const url = await serve((_, res) => {
      res.writeHead(422, { 'content-type': 'application/json' }).end('{"message":"title is too long"}')
    })
    const router = silentRouter()
    await addOpenApi(router, document, { baseUrl: url })
    const result = await router.call('updateTask', { id__path: 1 })
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('title is too long') }],
    })
  })

  it.each([401, 403])(
    'keeps the challenge of a %i of the other server from the MCP client',
    async (status) => {
      const url = await serve((_, res) => {
        res.writeHead(status, { 'www-authenticate': 'Bearer resource_metadata="https://evil.example"' }).end()
      })
      const router = silentRouter()
      await addOpenApi(router, document, { baseUrl: url })
      const result = await router.call('updateTask', { id__path: 1 })
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(`${status} `) }],
      })
      expect(JSON.stringify(result)).not.toContain('evil.example')
    },
  )

  it.each(['/../admin', '/a/../../admin', '/%2e%2e/admin', '/a/%2E%2e/%2e./admin'])(
    'sends nothing if a path of the document leaves the base URL: %s',
    async (path) => {
      const asked: unknown[] = []
      const url = await serve((req, res) => {
        asked.push(req.url)
        res.end('{}')
      })
      const router = silentRouter()
      const hostile = documentOf({ [path]: { get: { operationId: 'leave', responses: {} } } })
      await addOpenApi(router, hostile, { baseUrl: `${url}/v1` })
      const outcome = await router.call('leave', {}).catch((error: unknown) => error)
      expect(outcome).toMatchObject(outcome instanceof Error ? { code: -32603 } : { isError: true })
      expect(asked).toEqual([])
    },
  )

  it('truncates large responses', async () => {
    const url = await serve((_, res) => {
      res.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(100_000))
    })
    const router = silentRouter()
    const { tools } = await addOpenApi(router, documentOf({ '/x': { get: { responses: {} } } }), {
      baseUrl: url,
      maxResultBytes: 1_000,
    })
    expect(JSON.stringify(await router.call(tools[0] ?? '', {})).length).toBeLessThan(3_000)
  })
})

describe('the options', () => {
  it.each<[Json, string]>([
    [{}, 'expected `app` or `baseUrl`, got neither'],
    [{ app: express(), baseUrl: 'http://x' }, 'expected `app` or `baseUrl`, got both'],
    [{ app: {} }, 'expected `app` to be an Express, Koa or Fastify app'],
    [{ baseUrl: 'ftp://x' }, 'expected `baseUrl` to be an http or https URL'],
    [{ baseUrl: 'http://x', include: 'all' }, 'expected `include` to be an array'],
    [{ baseUrl: 'http://x', include: ['GET tasks/x'] }, 'expected a pattern such as'],
    [{ baseUrl: 'http://x', header: {} }, 'there is no option `header`; did you mean `headers`?'],
    [{ app: express(), prefix: 'api' }, 'expected `prefix` to be empty or a path with a slash at its start'],
    [{ app: express(), headers: () => ({}) }, 'expected `headers` to be an array of header names'],
    [{ app: express(), headers: 'if-match' }, 'expected `headers` to be an array of header names'],
    [{ baseUrl: 'http://x', headers: ['Cookie'] }, '"Cookie" identifies the caller'],
    [{ app: express(), forwardHeaders: ['host'] }, '`host` belongs to the MCP request itself'],
  ])('%j are refused', async (options, message) => {
    await expect(addOpenApi(silentRouter(), document, options as never)).rejects.toThrow(message)
  })
})
