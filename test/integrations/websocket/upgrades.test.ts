/** Access to WebSockets, and the handling of all other upgrades of the server. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import fastifyWebsocket from '@fastify/websocket'
import Fastify from 'fastify'
import Koa from 'koa'
import type { McpRouter } from 'mcp-router'
import mcpFastify from 'mcp-router/fastify'
import { mcp as mcpKoa } from 'mcp-router/koa'
import { attachWebSocket, type WebSocketRoute, webSocketRoute } from 'mcp-router/websocket'
import { expect, it, onTestFinished, vi } from 'vitest'
import WebSocket, { WebSocketServer } from 'ws'
import { latch } from '../../contract/fixtures.js'
import { routers } from '../../support/routers.js'
import { settled } from '../../support/time.js'
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

it('calls `user` and `context` once per connection', async () => {
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

it('accepts web pages of allowed origins, and of the same host', async () => {
  const address = await serve(whoami(), { allowedOrigins: ['https://app.example.com'] })
  for (const Origin of ['https://app.example.com', `http://${address}`])
    expect(await me(`ws://${address}/mcp`, { Origin })).toEqual({})
})

it('answers 401 without a token, and closes the connection when the token expires', async () => {
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
  // The machine was asleep, so its timers did not run.
  vi.setSystemTime(Date.now() + 7_200_000)
  vi.advanceTimersByTime(60_000)
  expect(await client.closed).toEqual([1008, 'The token has expired'])
})

it('answers 401 to anonymous callers if the router requires a user', async () => {
  const router = whoami({ requireUser: true })
  const options = { user: (req: { headers: Record<string, string> }) => req.headers['x-user'] }
  const address = await serve(router, options as object)
  expect((await refusalOf(`ws://${address}/mcp`)).status).toBe(401)
  expect(await me(`ws://${address}/mcp`, { 'X-User': 'ana' })).toEqual({ user: 'ana' })
})

it("answers 500 without details when the host's login fails", async () => {
  const options = {
    user: () => {
      throw new Error('secret')
    },
  }
  const refused = await refusalOf(`ws://${await serve(whoami(), options)}/mcp`)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([500, expect.not.stringContaining('secret')])
  expect(log.entries.some(({ message }) => message.includes('secret'))).toBe(true)
})

it('answers 503 while the router closes, and above `maxConnections`', async () => {
  const router = whoami()
  const address = await serve(router, { maxConnections: 1 })
  await connect(`ws://${address}/mcp`)
  expect((await refusalOf(`ws://${address}/mcp`)).status).toBe(503)
  await router.close({ drainMs: 0 })
  const refused = await refusalOf(`ws://${address}/mcp`)
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
})

/** The outcomes for several clients that connect at once: `open`, or the status of the refusal. */
const manyAt = (url: string, count: number): Promise<unknown>[] =>
  Array.from({ length: count }, () => {
    const socket = new WebSocket(url, 'mcp')
    onTestFinished(() => socket.on('error', () => {}).terminate())
    return new Promise((resolve) => {
      socket.on('open', () => resolve('open'))
      socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode))
    })
  })

it('limits connections to `maxConnections` when many clients connect at once', async () => {
  const [asked, found] = [latch(), latch<unknown>()]
  let waiting = 0
  const user = (): unknown => {
    waiting += 1
    if (waiting === 5) asked.open()
    return found.opened
  }
  const address = await serve(whoami(), { maxConnections: 2, user } as object)
  const ends = manyAt(`ws://${address}/mcp`, 5)
  await asked.opened
  found.open('ana')
  expect((await Promise.all(ends)).sort()).toEqual([503, 503, 503, 'open', 'open'])
})

it('limits each caller to `maxConnectionsPerCaller` connections, until one closes', async () => {
  const user = ({ headers }: { headers: Record<string, string> }): unknown =>
    headers['x-user'] && { id: headers['x-user'] }
  const address = await serve(whoami(), { maxConnectionsPerCaller: 2, user } as object)
  const url = `ws://${address}/mcp`
  const as = (id: string) => ({ headers: { 'X-User': id } })
  const [first] = [await connect(url, as('bob')), await connect(url, as('bob'))]
  const refused = await refusalOf(url, as('bob'))
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5'])
  expect(refused.body.error.message).toContain('maxConnectionsPerCaller')
  await connect(url, as('ann'))
  // Anonymous callers are counted by address.
  await connect(url)
  await connect(url)
  expect((await refusalOf(url)).status).toBe(429)
  first.socket.close()
  await first.closed
  await vi.waitFor(() => connect(url, as('bob')), { interval: 5 })
})

it("lets no anonymous caller lock out the others behind a proxy that isn't trusted", async () => {
  const router = whoami({ tasks: { maxRunning: 1 } })
  router.tool('wait', { description: 'd', task: 'required', handler: () => new Promise<string>(() => {}) })
  const url = `ws://${await serve(router, { maxConnectionsPerCaller: 1 } as object)}/mcp`
  const from = (ip: string) => connect(url, { headers: { 'X-Forwarded-For': ip } })
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const start = async (client: Awaited<ReturnType<typeof connect>>) =>
    (await client.modern('tools/call', { name: 'wait' }, capabilities)).result?.resultType
  for (const client of [await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')])
    expect(await start(client)).toBe('task')
  const direct = await connect(url)
  expect([await start(direct), await start(direct)]).toEqual(['task', undefined])
  expect((await refusalOf(url)).status).toBe(429)
})

it('counts calls of all connections of a caller, and refuses more than `maxCallsPerMinute`', async () => {
  const user = ({ headers }: { headers: Record<string, string> }): unknown => ({ id: headers['x-user'] })
  const url = `ws://${await serve(whoami({ maxCallsPerMinute: 6 }), { user } as object)}/mcp`
  const as = (id: string) => ({ headers: { 'X-User': id } })
  const [one, two] = [await connect(url, as('bob')), await connect(url, as('bob'))]
  const answers: unknown[] = []
  for (let call = 0; call < 4; call++) {
    for (const client of [one, two]) answers.push((await client.modern('tools/list')).error?.message)
  }
  expect(answers.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => undefined))
  for (const message of answers.slice(6))
    expect(message).toMatch(/`maxCallsPerMinute`\); try again in \d+ sec/)
  expect((await (await connect(url, as('ann'))).modern('tools/list')).error).toBeUndefined()
})

it('releases the place of a client that disconnected during the login', async () => {
  const [asked, found] = [latch(), latch<unknown>()]
  const user = ({ headers }: { headers: Record<string, string> }): unknown => {
    if (headers['x-user'] !== undefined) return headers['x-user']
    asked.open()
    return found.opened
  }
  const server = createServer()
  attachWebSocket(whoami() as McpRouter<object>, server, { maxConnections: 1, user } as object)
  const address = await listen(server)
  const came = once(server, 'connection')
  const gone = connectTcp(Number(address.split(':')[1]), '127.0.0.1')
  const lines = ['GET /mcp HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket']
  const key = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
  gone.write(`${[...lines, ...key].join('\r\n')}\r\n\r\n`)
  await asked.opened
  const [theirs] = await came
  gone.resetAndDestroy()
  if (!theirs.closed) await once(theirs, 'close').catch(() => {})
  found.open('ana')
  await settled()
  expect(await me(`ws://${address}/mcp`, { 'X-User': 'ben' })).toEqual({ user: 'ben' })
})

it('ignores upgrades once it is stopped', async () => {
  const router = whoami()
  const server = createServer((_, res) => res.end('"the app"'))
  const stop = attachWebSocket(router as McpRouter<object>, server)
  const other = attachWebSocket(router as McpRouter<object>, server, { path: '/other' })
  const address = await listen(server)
  const open = await connect(`ws://${address}/mcp`)
  stop()
  expect(await refusalOf(`ws://${address}/mcp`)).toMatchObject({ status: 200, body: 'the app' })
  expect(await me(`ws://${address}/other`)).toEqual({})
  other()
  expect(server.listenerCount('upgrade')).toBe(0)
  expect(await refusalOf(`ws://${address}/other`)).toMatchObject({ status: 200, body: 'the app' })
  expect((await open.ask('ping')).result).toEqual({})
  attachWebSocket(router as McpRouter<object>, server)
  expect(await me(`ws://${address}/mcp`)).toEqual({})
})

it('serves the root of the server if `path` says so, and leaves HTTP there to the app', async () => {
  const app = (_: IncomingMessage, res: ServerResponse): unknown => res.end('"the app"')
  const address = await serve(whoami(), { path: '/' }, app)
  for (const path of ['', '/', '/?x=1']) expect(await me(`ws://${address}${path}`)).toEqual({})
  expect(await (await fetch(`http://${address}/`)).text()).toBe('"the app"')
  for (const path of ['/mcp', '/other']) {
    expect(await refusalOf(`ws://${address}${path}`)).toMatchObject({ status: 200, body: 'the app' })
  }
  const both = await serve(whoami(), { path: ['/', '/mcp'] })
  for (const path of ['/', '/mcp']) expect(await me(`ws://${both}${path}`)).toEqual({})
  for (const path of ['', 'mcp', '//', '/?x', '//mcp']) {
    expect(() => attachWebSocket(whoami() as McpRouter<object>, createServer(), { path })).toThrow(/path/)
  }
})

it('leaves other WebSockets of the server to their own handlers', async () => {
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

async function echo(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let body = ''
  for await (const part of req) body += part
  res.end(`${req.method} ${req.url} ${req.headers.upgrade} ${body}`)
}

const own = (name: string): Buffer => readFileSync(new URL(`../node/tls/${name}`, import.meta.url))
const certificate = { key: own('key.pem'), cert: own('certificate.pem') }

it.each([
  ['http', () => createServer(echo), connectTcp],
  [
    'https',
    () => createHttpsServer(certificate, echo),
    (port: number, host: string) => connectTls({ port, host, rejectUnauthorized: false }),
  ],
  [
    'HTTP/2 that takes HTTP/1 too',
    () => createSecureServer({ ...certificate, allowHTTP1: true }, echo as never) as unknown as Server,
    (port: number, host: string) => connectTls({ port, host, rejectUnauthorized: false }),
  ],
])(
  'serves requests over %s that merely offer an upgrade as if nobody listened, bodies and all',
  async (...made) => {
    const [, create, connectTo] = made
    const server = create()
    attachWebSocket(whoami() as McpRouter<object>, server)
    const [host, port] = (await listen(server)).split(':') as [string, string]
    const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\n'
    const socket = connectTo(Number(port), host)
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
  },
)

it("works on Koa's server", async () => {
  const router = whoami()
  const app = new Koa()
  app.use(mcpKoa(router))
  const server = app.listen(0, '127.0.0.1')
  attachWebSocket(router as McpRouter<object>, server)
  expect(await me(`ws://${await listen(server)}/mcp`)).toEqual({})
})

it('works as a Fastify route with @fastify/websocket, behind its hooks, next to the mount', async () => {
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

/** Adds the route to a Fastify app, with changes that an app might make. */
async function onFastify(change: (route: WebSocketRoute) => object, options: object = {}): Promise<string> {
  const app = Fastify()
  onTestFinished(() => app.close())
  await app.register(fastifyWebsocket)
  app.route(change(webSocketRoute(whoami() as McpRouter<object>, options)) as never)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

it('accepts no connection on a Fastify route whose `preHandler` the app has removed', async () => {
  const address = await onFastify((route) => ({ ...route, preHandler: async () => {} }))
  const client = await connect(`ws://${address}/mcp/ws`)
  expect((await client.closed)[0]).toBe(1006)
  expect(client.received).toEqual([])
})

it('limits connections to `maxConnections` on a Fastify route when many clients connect at once', async () => {
  const [asked, found] = [latch(), latch<unknown>()]
  let waiting = 0
  const user = (): unknown => {
    waiting += 1
    if (waiting === 3) asked.open()
    return found.opened
  }
  const address = await onFastify((route) => route, { maxConnections: 1, user })
  const ends = manyAt(`ws://${address}/mcp/ws`, 3)
  await asked.opened
  found.open('ana')
  expect((await Promise.all(ends)).sort()).toEqual([503, 503, 'open'])
})

it('refuses a message of more than `maxBodyBytes` if the Fastify plugin accepts it, and continues', async () => {
  const address = await onFastify((route) => route, { maxBodyBytes: 200 })
  const client = await connect(`ws://${address}/mcp/ws`)
  client.socket.send('x'.repeat(201))
  const { error } = await client.find((message) => message.error !== undefined)
  expect([error.code, error.message]).toEqual([-32600, expect.stringContaining('`maxBodyBytes`')])
  expect((await client.ask('ping')).result).toEqual({})
})

it('throws at once if only a header could name the resource of tokens', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())
  const auth = {
    authorizationServers: ['https://login.example.com'],
    verify: () => Promise.reject(new Error('no')),
  }
  await expect(serve(whoami(), { auth } as object)).rejects.toThrow(/attachWebSocket\(\).*`publicUrl`/)
})
