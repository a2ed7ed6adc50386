/** Every Node server and connect-style app: where the mount is reached, and which requests it passes on. */

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/node'
import { createServer as createVite } from 'vite'
import { expect, it, onTestFinished } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { expectResult, expectText } from '../../contract/expect.js'
import { quiet } from '../../contract/host.js'
import { listening, selfSigned } from './host.js'

function router(): McpRouter<object> {
  const made = new McpRouter<object>({ name: 'placed', logger: quiet })
  made.tool('where', {
    description: 'Where it was reached, and over which HTTP',
    handler: (_, { request }) => `${request?.url} ${request?.raw.httpVersion}`,
  })
  return made
}

const servers = [
  ['http.createServer', '1.1', () => http.createServer(mcp(router()))],
  ['https.createServer', '1.1', () => https.createServer(selfSigned, mcp(router()))],
  ['http2.createSecureServer', '2.0', () => http2.createSecureServer(selfSigned, mcp(router()))],
  [
    'http2.createSecureServer with HTTP/1',
    '2.0',
    () => http2.createSecureServer({ ...selfSigned, allowHTTP1: true }, mcp(router())),
  ],
] as const

it.each(servers)('serves both eras as the listener of %s, over HTTP/%s', async (_, version, create) => {
  const { origin } = await listening(create())
  for (const client of [await legacy(`${origin}/mcp`), modern(`${origin}/mcp`)])
    expect(expectText(await client.call('where', {}))).toBe(`/mcp ${version}`)
})

it('serves HTTP/2 without TLS', async () => {
  const server = http2.createServer(mcp(router()))
  const { origin } = await listening(server)
  const session = http2.connect(origin.replace('https:', 'http:'))
  onTestFinished(() => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': '/mcp',
    'content-type': 'application/json',
  })
  stream.end(JSON.stringify(rpc('tools/call', { name: 'where' })))
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  expect(JSON.parse(text).result.content[0].text).toBe('/mcp 2.0')
})

it.each(servers)(
  'answers 404 to what is not ours where nobody comes after it: %s',
  async (_, _version, create) => {
    const { origin } = await listening(create())
    for (const method of ['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS']) {
      const answer = await send(`${origin}/other`, { method })
      expect(answer.status).toBe(404)
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(answer.text).toBe(method === 'HEAD' ? '' : 'Not found\n')
    }
    expect((await post(`${origin}/other`, 'x'.repeat(100_000))).status).toBe(404)
    expectResult(await post(`${origin}/mcp`, rpc('ping')))
  },
)

it('passes requests for other paths to next(), unchanged', async () => {
  const handle = mcp(router())
  const server = http.createServer((req, res) =>
    handle(req, res, (error) => {
      res.end(JSON.stringify([error, req.url, req.readableDidRead, res.getHeaderNames()]))
    }),
  )
  const { origin } = await listening(server)
  expect((await post(`${origin}/tasks?a=1`, { a: 1 })).json).toEqual([null, '/tasks?a=1', false, []])
})

type Use = (mount: ReturnType<typeof mcp>, app: Connect) => void
type Connect = Awaited<ReturnType<typeof createVite>>['middlewares']

const places: [what: string, use: Use, served: string[], others: string[]][] = [
  [
    'use(mcp())',
    (mount, app) => app.use(mount),
    ['/mcp', '/mcp/', '/mcp?a=1'],
    ['/', '/api/mcp', '/MCP', '//mcp'],
  ],
  [
    "use('/mcp', mcp())",
    (mount, app) => app.use('/mcp', mount),
    ['/mcp', '/mcp/', '/MCP', '/mcp?a=1'],
    ['/mcp/else', '/mcp//', '/mcp/mcp', '/'],
  ],
  [
    "use('/api', mcp())",
    (mount, app) => app.use('/api', mount),
    ['/api/mcp', '/API/mcp/', '/api/mcp?a=/api'],
    ['/api', '/mcp', '/api//mcp', '/api/MCP'],
  ],
  [
    "use('/v1/mcp/', mcp())",
    (mount, app) => app.use('/v1/mcp/', mount),
    ['/v1/mcp', '/v1/mcp/'],
    ['/v1', '/mcp'],
  ],
]

it.each(places)('serves below the mount point of a connect app: %s', async (_, use, served, others) => {
  const vite = await createVite({
    configFile: false,
    appType: 'custom',
    logLevel: 'silent',
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, ws: false, watch: null },
  })
  onTestFinished(() => vite.close())
  use(mcp(router()), vite.middlewares)
  vite.middlewares.use((req: IncomingMessage, res: ServerResponse) => {
    res.statusCode = 404
    res.end(`the app at ${req.url}`)
  })
  const { origin } = await listening(http.createServer(vite.middlewares))
  for (const path of served) {
    const answer = await post(origin + path, rpc('tools/call', { name: 'where' }))
    expect(expectText(answer), path).toBe(`${path} 1.1`)
  }
  for (const path of others) {
    const answer = await post(origin + path, rpc('ping'))
    expect([path, answer.status, answer.text]).toEqual([path, 404, `the app at ${path}`])
  }
})

it('has the user that a login in front set on the request, or the result of `user`', async () => {
  const made = router()
  made.tool('me', { description: 'x', requireUser: true, handler: (_, { user }) => JSON.stringify(user) })
  const login = (req: IncomingMessage): void => void Object.assign(req, { user: 'ann' })
  const [usual, own] = [mcp(made), mcp(made, { user: (req) => req.headers.authorization, path: '/own' })]
  const server = http.createServer((req, res) => {
    login(req)
    usual(req, res, () => own(req, res))
  })
  const { origin } = await listening(server)
  const me = rpc('tools/call', { name: 'me' })
  expect(expectText(await post(`${origin}/mcp`, me))).toBe('"ann"')
  expect(expectText(await post(`${origin}/own`, me, { Authorization: 'ben' }))).toBe('"ben"')
  expect((await post(`${origin}/own`, me)).status).toBe(401)
})

it('works without a router: `mcp()` has the name and version of the app', async () => {
  const { origin } = await listening(http.createServer(mcp()))
  const { json } = await modern(`${origin}/mcp`).request('server/discover')
  const info = json.result._meta['io.modelcontextprotocol/serverInfo']
  expect(info).toMatchObject({ name: expect.any(String), version: expect.stringMatching(/^\d+\.\d+/) })
})

it('logs once where the endpoint is when a client posts to the mount point', async () => {
  const warned: unknown[] = []
  const made = new McpRouter<object>({
    logger: { ...quiet, warn: (...line: unknown[]) => warned.push(line) },
  })
  const handle = mcp(made)
  const server = http.createServer((req, res) => {
    Object.assign(req, { originalUrl: '/api' })
    req.url = '/'
    handle(req, res)
  })
  const { origin } = await listening(server)
  for (const _ of [1, 2]) expect((await post(`${origin}/api`, rpc('ping'))).status).toBe(404)
  expect(warned).toHaveLength(1)
  expect(String(warned[0])).toContain('/api/mcp')
})

it.each<[string, object]>([
  ['pathh', { pathh: '/x' }],
  ['path', { path: 'mcp' }],
  ['user', { user: 'me' }],
  ['routes', { routes: { include: ['/tasks'] } }],
  ['app', { app: () => {} }],
])('throws at once for a wrong `%s`', (name, options) => {
  expect(() => mcp(router(), options)).toThrow(name)
  expect(() => mcp({} as never)).toThrow(/McpRouter/)
})
