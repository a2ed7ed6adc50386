/** Who may open a WebSocket, and what becomes of every other upgrade of the server. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import fastifyWebsocket from '@fastify/websocket'
import Fastify from 'fastify'
import Koa from 'koa'
import type { McpRouter } from 'mcp-router'
import mcpFastify from 'mcp-router/fastify'
import { mcp as mcpKoa } from 'mcp-router/koa'
import { attachWebSocket, webSocketRoute } from 'mcp-router/websocket'
import { expect, it, onTestFinished, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { routers } from '../../support/routers.js'
import { connect, listen, refusalOf, serve, textOf } from './socket.js'

const { log, make } = routers()

function whoami(options = {}): McpRouter {
  const router = make(options)
  router.tool('whoami', {
    description: 'd',
    handler: (_, ctx) =>
      JSON.stringify({ user: ctx.user, subject: ctx.auth?.subject, db: (ctx as { db?: unknown }).db }),
  })
  return router
}

const me = async (url: string, headers: Record<string, string> = {}): Promise<unknown> =>
  JSON.parse(textOf(await (await connect(url, { headers })).modern('tools/call', { name: 'whoami' })))

it('asks `user` and `context` once for a connection', async () => {
  let asked = 0
  const options = {
    user: async (req: { headers: Record<string, string> }) => {
      asked += 1
      return { id: req.headers['x-user'] }
    },
    context: () => ({ db: 7 }),
  }
  const address = await serve(whoami(), options as object)
  const client = await connect(`ws://${address}/mcp`, { headers: { 'X-User': 'ana' } })
  for (const _ of [1, 2]) {
    const answer = textOf(await client.modern('tools/call', { name: 'whoami' }))
    expect(JSON.parse(answer)).toEqual({ user: { id: 'ana' }, db: 7 })
  }
  expect(asked).toBe(1)
})

it.each([
  [{ Origin: 'https://evil.example' }, 'allowedOrigins'],
  [{ Origin: 'null' }, 'allowedOrigins'],
  [{ Host: 'evil.example' }, 'allowedHosts'],
])('answers 403 to %j', async (headers, named) => {
  const refused = await refusalOf(`ws://${await serve(whoami())}/mcp`, { headers })
  expect(refused.status).toBe(403)
  expect(refused.body.error.message).toContain(named)
})

it('lets pages of allowed origins in, and of the same host', async () => {
  const address = await serve(whoami(), { allowedOrigins: ['https://app.example.com'] })
  for (const Origin of ['https://app.example.com', `http://${address}`])
    expect(await me(`ws://${address}/mcp`, { Origin })).toEqual({})
})

it('answers 401 to who has no token, and closes the connection when the token ends', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const expiresAt = Date.now() / 1000 + 3_600
  const auth = {
    authorizationServers: ['https://login.example.com'],
    verify: (token: string) => {
      if (token !== 'good') throw Object.assign(new Error('no'), { status: 401 })
      return { subject: 'ana', scopes: ['read'], claims: {}, expiresAt }
    },
  }
  const router = whoami()
  router.tool('admin', { description: 'd', scopes: ['admin'], handler: () => '' })
  const address = await serve(router, { auth, publicUrl: 'https://api.example.com/mcp' } as object)
  for (const headers of [{}, { Authorization: 'Bearer bad' }] as Record<string, string>[]) {
    const refused = await refusalOf(`ws://${address}/mcp`, { headers })
    expect(refused.status).toBe(401)
    expect(refused.headers['www-authenticate']).toContain(
      'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"',
    )
  }
  const client = await connect(`ws://${address}/mcp`, { headers: { Authorization: 'Bearer good' } })
  expect(JSON.parse(textOf(await client.modern('tools/call', { name: 'whoami' })))).toEqual({
    subject: 'ana',
  })
  expect((await client.modern('tools/call', { name: 'admin' })).error.code).toBe(-31003)
  // The machine slept: its timers did not go on.
  vi.setSystemTime(Date.now() + 7_200_000)
  vi.advanceTimersByTime(60_000)
  expect(await client.closed).toEqual([1008, 'The token has expired'])
})

it('answers 401 to nobody where the router requires a user', async () => {
  const router = whoami({ requireUser: true })
  const options = { user: (req: { headers: Record<string, string> }) => req.headers['x-user'] }
  const address = await serve(router, options as object)
  expect((await refusalOf(`ws://${address}/mcp`)).status).toBe(401)
  expect(await me(`ws://${address}/mcp`, { 'X-User': 'ana' })).toEqual({ user: 'ana' })
})

it('answers 500 without a word when the login of the host fails', async () => {
  const options = {
    user: () => {
      throw new Error('secret')
    },
  }
  const refused = await refusalOf(`ws://${await serve(whoami(), options)}/mcp`)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([500, expect.not.stringContaining('secret')])
  expect(log.entries.some(({ message }) => message.includes('secret'))).toBe(true)
})

it('answers 503 while the router closes, and beyond `maxConnections`', async () => {
  const router = whoami()
  const address = await serve(router, { maxConnections: 1 })
  await connect(`ws://${address}/mcp`)
  expect((await refusalOf(`ws://${address}/mcp`)).status).toBe(503)
  await router.close({ drainMs: 0 })
  const refused = await refusalOf(`ws://${address}/mcp`)
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
})

it('leaves other WebSockets of the server to whoever serves them', async () => {
  const server = createServer()
  const chat = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (request.url !== '/chat') return
    chat.handleUpgrade(request, socket, head, (opened) => opened.send('{"chat":true}'))
  })
  const detach = attachWebSocket(whoami() as McpRouter<object>, server)
  attachWebSocket(whoami() as McpRouter<object>, server, { path: ['/other', '/more/'] })
  const address = await listen(server)
  const client = await connect(`ws://${address}/chat`)
  await client.find(({ chat: said }) => said)
  for (const path of ['/mcp', '/mcp?x=1', '/other', '/more'])
    expect(await me(`ws://${address}${path}`)).toEqual({})
  detach()
  expect(server.listenerCount('upgrade')).toBe(2)
})

it('serves requests that merely offer an upgrade as if nobody listened, bodies and all', async () => {
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const part of req) body += part
    res.end(`${req.method} ${req.url} ${req.headers.upgrade} ${body}`)
  })
  attachWebSocket(whoami() as McpRouter<object>, server)
  const [host, port] = (await listen(server)).split(':') as [string, string]
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\n'
  const socket = connectTcp(Number(port), host)
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  const until = async (wanted: string): Promise<void> => {
    while (!text.includes(wanted)) await once(socket, 'data')
  }
  socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${offer}Content-Length: 10\r\n\r\nhello`)
  socket.write('world')
  await until('POST /mcp undefined helloworld')
  socket.write(`GET /else HTTP/1.1\r\nHost: localhost\r\n${offer}\r\n`)
  await until('GET /else undefined ')
  socket.write('GET /sock HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await until('GET /sock undefined ')
})

it('serves the server of Koa', async () => {
  const router = whoami()
  const app = new Koa()
  app.use(mcpKoa(router))
  const server = app.listen(0, '127.0.0.1')
  attachWebSocket(router as McpRouter<object>, server)
  expect(await me(`ws://${await listen(server)}/mcp`)).toEqual({})
})

it('is a route of Fastify with @fastify/websocket, behind its hooks, beside the mount', async () => {
  const router = whoami()
  const app = Fastify()
  onTestFinished(() => app.close())
  await app.register(fastifyWebsocket)
  app.decorateRequest('user', undefined as never)
  app.addHook('onRequest', async (request, reply) => {
    const user = request.headers['x-user']
    if (user === undefined) return reply.code(401).send({ error: 'who?' })
    Object.assign(request, { user: { id: user } })
    return undefined
  })
  await app.register(mcpFastify, { router })
  app.route(webSocketRoute(router as McpRouter<object>, { context: () => ({ db: 7 }) } as object))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = `127.0.0.1:${(app.server.address() as AddressInfo).port}`
  expect(await me(`ws://${address}/mcp/ws`, { 'X-User': 'ana' })).toEqual({ user: { id: 'ana' }, db: 7 })
  expect(await refusalOf(`ws://${address}/mcp/ws`)).toMatchObject({ status: 401, body: { error: 'who?' } })
  const origin = { 'X-User': 'ana', Origin: 'https://evil.example' }
  expect((await refusalOf(`ws://${address}/mcp/ws`, { headers: origin })).status).toBe(403)
  const plain = await fetch(`http://${address}/mcp/ws`, { headers: { 'X-User': 'ana' } })
  expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket'])
  expect(() => webSocketRoute(router as McpRouter<object>, { path: ['/a', '/b'] })).toThrow(/one path/)
})
