/** Hooks, plugins, parsers and error handlers of the app around the mount. */

import { gzipSync } from 'node:zlib'
import { mcp } from 'mcp-router/fastify'
import { expect, it } from 'vitest'
import { type Json, open, post, send } from '../../contract/client.js'
import { initialize, modern, rpc } from '../../contract/clients.js'
import { expectError } from '../../contract/expect.js'
import { placed, stepping } from '../placed.js'
import { create, type FastifyModules, listening } from './host.js'

const { body, headers } = stepping

export function hooks(modules: FastifyModules): void {
  it('keeps the headers of helmet and cors on JSON and on streams', async () => {
    const { router, release } = placed()
    release.open()
    const app = create(modules)
    await app.register(modules.helmet)
    await app.register(modules.cors, { origin: 'http://localhost:1', exposedHeaders: 'Mcp-Session-Id' })
    await app.register(mcp, { router })
    const { origin } = await listening(app)
    const from = { Origin: 'http://localhost:1' }
    const stream = await open(`${origin}/mcp`, { body, headers: { ...headers, ...from } })
    await stream.rest()
    const json = await post(`${origin}/mcp`, initialize(), from)
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
    for (const answer of [stream, json]) {
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': 'http://localhost:1',
        'access-control-expose-headers': 'Mcp-Session-Id',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.any(String),
      })
    }
  })

  it('lets cors answer preflights itself, in front of a login of the route', async () => {
    const app = create(modules)
    await app.register(modules.cors)
    const onRequest = async (): Promise<never> => {
      throw Object.assign(new Error('who are you?'), { statusCode: 401 })
    }
    await app.register(mcp, { router: placed().router, onRequest })
    const { origin } = await listening(app)
    const preflight = { Origin: 'http://localhost:1', 'Access-Control-Request-Method': 'POST' }
    expect((await send(`${origin}/mcp`, { method: 'OPTIONS', headers: preflight })).status).toBe(204)
    expect((await post(`${origin}/mcp`, rpc('ping'))).status).toBe(401)
  })

  it('answers preflights of its own `cors` in front of a login of the route', async () => {
    const app = create(modules)
    const onRequest = async (): Promise<never> => {
      throw Object.assign(new Error('who are you?'), { statusCode: 401 })
    }
    await app.register(mcp, { router: placed().router, onRequest, cors: ['http://a.example'] })
    const { origin } = await listening(app)
    const preflight = { Origin: 'http://a.example', 'Access-Control-Request-Method': 'POST' }
    const answer = await send(`${origin}/mcp`, { method: 'OPTIONS', headers: preflight })
    expect(answer).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': 'http://a.example' },
    })
  })

  it.each([{}, { threshold: 0, customTypes: () => true }])(
    'sends pieces at once behind compression with %j, and compresses JSON',
    async (options) => {
      const { router, release } = placed()
      const app = create(modules)
      await app.register(modules.compress, options)
      await app.register(mcp, { router })
      const { origin } = await listening(app)
      const stream = await open(`${origin}/mcp`, { body, headers: { ...headers, 'Accept-Encoding': 'gzip' } })
      expect((await stream.next()).params.progress).toBe(1)
      expect(stream.headers['content-encoding']).toBeUndefined()
      release.open()
      expect(await stream.rest()).toHaveLength(2)
      const response = await fetch(`${origin}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' },
        body: JSON.stringify(rpc('tools/call', { name: 'steps', arguments: {} })),
      })
      expect(response.headers.get('content-encoding')).toBe('gzip')
      expect(await response.json()).toMatchObject({ result: { content: [{ text: 'x'.repeat(5000) }] } })
    },
  )

  it('runs onSend and onResponse once for JSON, for streams, and for responses without a body', async () => {
    const { router, release } = placed()
    release.open()
    const seen: unknown[] = []
    const app = create(modules)
    app.addHook('onSend', async (_request, reply, payload) => {
      seen.push([typeof payload, reply.getHeader('content-encoding')])
      reply.header('X-Sent', '1')
      return payload
    })
    const done = new Promise<number[]>((resolve) => {
      const statuses: number[] = []
      app.addHook('onResponse', async (_request, reply) => {
        if (statuses.push(reply.statusCode) === 3) resolve(statuses)
      })
    })
    await app.register(mcp, { router })
    const { origin } = await listening(app)
    const json = await post(`${origin}/mcp`, rpc('ping'))
    const none = await post(`${origin}/mcp`, { jsonrpc: '2.0', method: 'notifications/initialized' })
    const stream = await open(`${origin}/mcp`, { body, headers })
    await stream.rest()
    for (const answer of [json, none, stream]) expect(answer.headers['x-sent']).toBe('1')
    expect(await done).toEqual([200, 202, 200])
    expect(seen).toEqual([
      ['string', undefined],
      ['undefined', undefined],
      ['object', undefined],
    ])
  })

  it("isn't affected by a serializer of the app", async () => {
    const app = create(modules)
    app.setReplySerializer((payload) => JSON.stringify({ wrapped: payload }))
    app.addHook(
      'onRequest',
      async (_request, reply) => void reply.serializer((payload) => JSON.stringify({ payload })),
    )
    await app.register(mcp, { router: placed().router })
    const { origin } = await listening(app)
    expect((await post(`${origin}/mcp`, rpc('ping'))).json).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  it('answers parser errors itself, and leaves those of the app to its error handler', async () => {
    const app = create(modules)
    app.post('/own', async () => ({ own: true }))
    await app.register(mcp, { router: placed().router, maxBodyBytes: 2_000_000 })
    const { origin, errors } = await listening(app)
    expectError(await post(`${origin}/mcp`, '{"jsonrpc":'), 400, -32700)
    for (const type of ['text/plain', 'json', 'application/x-www-form-urlencoded', undefined])
      expectError(await post(`${origin}/mcp`, '{}', { 'Content-Type': type }), 415, -32600)
    const large = rpc('ping', { text: 'x'.repeat(1_500_000) })
    expect((await post(`${origin}/mcp`, large)).status).toBe(200)
    expectError(await post(`${origin}/mcp`, rpc('ping', { text: 'x'.repeat(2_000_000) })), 413, -32600)
    expect(errors).toEqual([])
    expect((await post(`${origin}/own`, '{"a":')).text).toContain('the page of the app')
    expect((await post(`${origin}/own`, large)).status).toBe(413)
    expect(errors).toHaveLength(2)
  })

  it("reads compressed bodies, and answers those that can't be decompressed", async () => {
    const app = create(modules)
    await app.register(modules.compress)
    await app.register(mcp, { router: placed().router, maxBodyBytes: 1000 })
    const { origin, errors } = await listening(app)
    const zipped = (text: string) => gzipSync(Buffer.from(text))
    const gzip = { 'Content-Encoding': 'gzip' }
    expect((await post(`${origin}/mcp`, zipped(JSON.stringify(rpc('ping'))), gzip)).json.result).toEqual({})
    expectError(await post(`${origin}/mcp`, 'no gzip', gzip), 400, -32700)
    expectError(await post(`${origin}/mcp`, 'x', { 'Content-Encoding': 'nonsense' }), 415, -32600)
    expectError(
      await post(`${origin}/mcp`, zipped(JSON.stringify(rpc('ping', { a: 'x'.repeat(5000) }))), gzip),
      413,
      -32600,
    )
    expect(errors).toEqual([])
  })

  it('passes errors of the app on to its error handler', async () => {
    const app = create(modules)
    app.addHook('onRequest', async (request) => {
      if (request.headers['x-fail'] !== undefined)
        throw Object.assign(new Error('not now'), { statusCode: 418 })
    })
    await app.register(mcp, { router: placed().router })
    const { origin, errors } = await listening(app)
    const answer = await post(`${origin}/mcp`, rpc('ping'), { 'X-Fail': '1' })
    expect(answer).toMatchObject({ status: 418, text: '<html>the page of the app</html>' })
    expect(errors).toMatchObject([{ message: 'not now' }])
  })

  it('leaves 404 to the app', async () => {
    const app = create(modules)
    app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ app: true }))
    await app.register(mcp, { router: placed().router })
    const { origin } = await listening(app)
    for (const path of ['/mcp/else', '/other']) {
      expect(await post(origin + path, rpc('ping'))).toMatchObject({ status: 404, json: { app: true } })
    }
  })

  it('needs no parser of the app, and passes the parsed body to its hooks', async () => {
    const bodies: Json[] = []
    const app = create(modules)
    app.removeAllContentTypeParsers()
    app.addHook('preHandler', async (request) => void bodies.push(request.body))
    await app.register(mcp, { router: placed().router })
    const { origin } = await listening(app)
    expect((await post(`${origin}/mcp`, rpc('ping'))).status).toBe(200)
    await post(`${origin}/mcp`, 'no json')
    expect(bodies).toEqual([rpc('ping'), 'no json'])
    expect((await modern(`${origin}/mcp`).call('where', {})).status).toBe(200)
  })
}
