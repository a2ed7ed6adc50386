/** All places where middleware can be mounted. */

import type { Express } from 'express'
import { mcp } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { expectError, expectText } from '../../contract/expect.js'
import { router } from '../placed.js'
import { type ExpressModule, listening } from './host.js'

type Place = [
  what: string,
  place: (app: Express, express: ExpressModule) => void,
  served: string[],
  others: string[],
]

const places: Place[] = [
  ['app.use(mcp())', (app) => app.use(mcp(router())), ['/mcp', '/mcp/'], ['/', '/api/mcp', '/mcp/mcp']],
  [
    "app.use('/mcp', mcp())",
    (app) => app.use('/mcp', mcp(router())),
    ['/mcp', '/mcp/'],
    ['/mcp/else', '/', '/mcp/mcp'],
  ],
  [
    "app.use('/api', mcp())",
    (app) => app.use('/api', mcp(router())),
    ['/api/mcp', '/api/mcp/'],
    ['/api', '/mcp'],
  ],
  ["app.use('/api/mcp', mcp())", (app) => app.use('/api/mcp', mcp(router())), ['/api/mcp'], ['/api', '/mcp']],
  [
    "app.post('/x/mcp', mcp())",
    (app) => app.post('/x/mcp', mcp(router())),
    ['/x/mcp', '/x/mcp?a=1'],
    ['/x', '/mcp'],
  ],
  ["app.all('/x/mcp', mcp())", (app) => app.all('/x/mcp', mcp(router())), ['/x/mcp'], ['/x/mcp/y']],
  ["app.route('/x/mcp').post(mcp())", (app) => app.route('/x/mcp').post(mcp(router())), ['/x/mcp'], ['/x']],
  [
    'a nested Router',
    (app, express) => {
      const [outer, inner] = [express.Router(), express.Router()]
      inner.use(mcp(router()))
      outer.use('/v1', inner)
      app.use('/api', outer)
    },
    ['/api/v1/mcp'],
    ['/api/mcp', '/mcp', '/api/v1'],
  ],
  [
    'a nested Router with a parameter',
    (app, express) => app.use('/t/:tenant', express.Router().use('/mcp', mcp(router()))),
    ['/t/acme/mcp', '/t/a%20b/mcp'],
    ['/t/mcp', '/t/acme'],
  ],
  ['a sub-app', (app, express) => app.use('/sub', express().use(mcp(router()))), ['/sub/mcp'], ['/mcp']],
  [
    'a sub-app at /mcp',
    (app, express) => app.use('/mcp', express().use(mcp(router()))),
    ['/mcp'],
    ['/mcp/else'],
  ],
  ['a path of its own', (app) => app.use(mcp(router(), { path: '/ai' })), ['/ai'], ['/mcp']],
  [
    'a path of its own, mounted at it',
    (app) => app.use('/v2/ai', mcp(router(), { path: '/ai' })),
    ['/v2/ai'],
    ['/ai'],
  ],
  [
    'several paths',
    (app) => app.use('/api', mcp(router(), { path: ['/mcp', '/ai'] })),
    ['/api/mcp', '/api/ai'],
    ['/ai'],
  ],
  [
    'an array of mount points',
    (app) => app.use(['/a/mcp', '/b'], mcp(router())),
    ['/a/mcp', '/b/mcp'],
    ['/b', '/mcp'],
  ],
]

export function mounting(express: ExpressModule): void {
  it.each(places)('serves both eras at the right path: %s', async (_, place, served, others) => {
    const app = express()
    place(app, express)
    const { origin, errors } = await listening(app)
    for (const path of served) {
      for (const client of [await legacy(origin + path), modern(origin + path)]) {
        expect(expectText(await client.call('where', {}))).toBe(path)
      }
    }
    for (const path of others) expect((await post(origin + path, rpc('ping'))).status, path).toBe(404)
    expect(errors).toEqual([])
  })

  it('matches the case and slashes of paths as the app does', async () => {
    const app = express()
    app.use('/API', mcp(router()))
    app.use('/v1/mcp', mcp(router()))
    app.post('/x/mcp', mcp(router()))
    const { origin } = await listening(app)
    for (const path of ['/api/mcp', '/V1/MCP', '/X/MCP', '/x/mcp/']) {
      expect((await post(origin + path, rpc('ping'))).status, path).toBe(200)
    }
  })

  it('uses the proxy settings of the app above a sub-app', async () => {
    const app = express().set('trust proxy', true)
    app.use('/sub', express().use(mcp(router())))
    const { origin } = await listening(app)
    expect((await post(`${origin}/sub/mcp`, rpc('ping'), { Host: 'inner' })).status).toBe(200)
  })

  it('serves DELETE, and answers 405 if only POST was routed to it', async () => {
    const app = express()
    app.post('/x/mcp', mcp(router()))
    app.all('/y/mcp', mcp(router()))
    const { origin } = await listening(app)
    expect((await send(`${origin}/x/mcp`, { method: 'GET' })).status).toBe(404)
    expectError(await send(`${origin}/y/mcp`, { method: 'GET' }), 405, -32600)
  })

  it('keeps two routers in one app separate', async () => {
    const [first, second] = [router(), router()]
    first.tool('first', { description: 'x', handler: () => '1' })
    second.tool('second', { description: 'x', handler: () => '2' })
    const app = express().use('/one', mcp(first)).use('/two', mcp(second))
    const { origin } = await listening(app)
    expect(expectText(await modern(`${origin}/one/mcp`).call('first', {}))).toBe('1')
    expect(expectText(await modern(`${origin}/two/mcp`).call('second', {}))).toBe('2')
    expectError(await modern(`${origin}/two/mcp`).call('first', {}), 200, -32602, 1)
  })

  it('serves one router at two mounts, with one session', async () => {
    const one = router()
    const app = express().use('/a', mcp(one)).use('/b', mcp(one))
    const { origin } = await listening(app)
    const { sessionId } = await legacy(`${origin}/a/mcp`)
    const answer = await post(`${origin}/b/mcp`, rpc('ping'), { 'Mcp-Session-Id': sessionId })
    expect(answer.status).toBe(200)
  })

  it('works without a router: `app.use(mcp())` has the name and version of the app', async () => {
    const { origin } = await listening(express().use(mcp()))
    const { json } = await modern(`${origin}/mcp`).request('server/discover')
    const info = json.result._meta['io.modelcontextprotocol/serverInfo']
    expect(info).toMatchObject({ name: expect.any(String), version: expect.stringMatching(/^\d+\.\d+/) })
  })

  it('passes requests for other paths to next(), unchanged', async () => {
    const app = express()
    app.use((_req, res, next) => {
      res.locals.seen = true
      next()
    })
    app.use(mcp(router()))
    app.use((req, res) => {
      res.json({
        url: req.url,
        base: req.baseUrl,
        body: req.body ?? null,
        read: req.readableDidRead,
        seen: res.locals.seen,
      })
    })
    const { origin } = await listening(app)
    const { json } = await post(`${origin}/tasks?a=1`, { a: 1 })
    expect(json).toMatchObject({ url: '/tasks?a=1', base: '', read: false, seen: true })
  })

  it.each<[string, object]>([
    ['pathh', { pathh: '/x' }],
    ['path', { path: 'mcp' }],
    ['path', { path: [] }],
    ['user', { user: 'me' }],
    ['maxBodyBytes', { maxBodyBytes: '4mb' }],
    ['allowedOrigins', { allowedOrigins: ['not a url'] }],
    ['publicUrl', { publicUrl: 'api' }],
  ])('throws at once for a wrong `%s`', (name, options) => {
    expect(() => mcp(router(), options)).toThrow(name)
  })

  it("throws at once for a value that isn't a router", () => {
    expect(() => mcp({} as never)).toThrow(/McpRouter/)
  })
}
