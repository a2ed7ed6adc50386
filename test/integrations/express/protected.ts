/** OAuth in Express: under prefixes, behind its parsers and proxies, and together with a login of the app. */

import type { Express, Request } from 'express'
import { McpRouter } from 'mcp-router'
import { mcp, mcpMetadata } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { type Answer, type Json, post, send } from '../../contract/client.js'
import { modern, rpc } from '../../contract/clients.js'
import { expectText } from '../../contract/expect.js'
import { type ExpressModule, listening } from './host.js'

const wellKnown = '/.well-known/oauth-protected-resource'
const auth = {
  authorizationServers: ['https://login.example'],
  verify: (token: string, { resource }: { resource: string }) => ({
    subject: token,
    scopes: [],
    claims: { resource },
  }),
}
const bearer = { Authorization: 'Bearer ann' }
const get = (url: string) => send(url, { method: 'GET' })
const metadataOf = ({ headers }: Answer): string =>
  /resource_metadata="([^"]*)"/.exec(headers['www-authenticate'] ?? '')?.[1] ?? ''

function make(): { router: McpRouter<object>; warnings: string[] } {
  const warnings: string[] = []
  const logger = { info() {}, error() {}, warn: (message: string) => warnings.push(message) }
  const router = new McpRouter<object>({ name: 'protected', logger })
  router.tool('whoami', { description: 'd', handler: (_, ctx) => ({ user: ctx.user, auth: ctx.auth }) })
  return { router, warnings }
}

const whoami = async (url: string, headers = {}): Promise<Json> =>
  JSON.parse(expectText(await modern(url, { headers: { ...bearer, ...headers } }).call('whoami', {})))

export function protectedMounts(express: ExpressModule): void {
  const mounts: [string, (app: Express, handler: ReturnType<typeof mcp>) => unknown, string][] = [
    ['use("/mcp")', (app, handler) => app.use('/mcp', handler), '/mcp'],
    ['use("/ai")', (app, handler) => app.use('/ai', handler), '/ai/mcp'],
    ['a nested router', (app, handler) => app.use('/a', express.Router().use('/b', handler)), '/a/b/mcp'],
  ]

  it.each(mounts)('points to the metadata below the mount with %s', async (_, mount, path) => {
    const { router } = make()
    const app = express()
    mount(app, mcp(router, { auth }))
    const { origin } = await listening(app)
    const url = origin + path
    const at = metadataOf(await post(url, rpc('ping')))
    expect(at).toBe(`${url}${wellKnown}`)
    expect((await get(at)).json.resource).toBe(url)
    expect((await whoami(url)).auth.claims.resource).toBe(url)
  })

  it.each(mounts)('serves the root of the host with mcpMetadata() and %s', async (_, mount, path) => {
    const { router, warnings } = make()
    const app = express()
    app.use(mcpMetadata(router))
    mount(app, mcp(router, { auth }))
    const { origin } = await listening(app)
    const root = origin + wellKnown
    expect((await get(root + path)).json.resource).toBe(origin + path)
    expect((await get(`${root}/other`)).status).toBe(404)
    expect((await get(root)).status).toBe(404)
    expect((await post(origin + path, rpc('ping'))).status).toBe(401)
    expect((await get(root)).json.resource).toBe(origin + path)
    const page = { Origin: 'https://inspector.example' }
    const read = await send(root + path, { method: 'GET', headers: page })
    expect(read.headers['access-control-allow-origin']).toBe('*')
    expect(warnings).toEqual([])
  })

  it('lets no request influence which resource the next one gets', async () => {
    const { router } = make()
    const app = express().use(mcpMetadata(router)).use('/api', mcp(router, { auth }))
    const { origin } = await listening(app)
    const root = origin + wellKnown
    for (const headers of [{}, bearer]) {
      await post(`${origin}/API/mcp`, rpc('ping'), headers)
      await post(`${origin}/api/mcp`, rpc('ping'), headers)
      // Two names for one mount, and no option that selects one.
      expect((await get(root)).status).toBe(404)
      expect((await get(`${root}/api/mcp`)).json.resource).toBe(`${origin}/api/mcp`)
      expect(metadataOf(await post(`${origin}/api/mcp`, rpc('ping')))).toBe(`${origin}/api/mcp${wellKnown}`)
      expect((await whoami(`${origin}/api/mcp`)).auth.claims.resource).toBe(`${origin}/api/mcp`)
    }
  })

  it('uses `publicUrl` at the root of the host, whatever was requested before', async () => {
    const { router } = make()
    const publicUrl = 'https://api.example.com/api/mcp'
    const app = express().use(mcpMetadata(router)).use('/api', mcp(router, { auth, publicUrl }))
    const { origin } = await listening(app)
    await post(`${origin}/API/mcp`, rpc('ping'))
    expect((await get(origin + wellKnown)).json.resource).toBe(publicUrl)
  })

  it('distinguishes a mount at the root from one under a prefix, whichever is requested first', async () => {
    const { router } = make()
    const handler = mcp(router, { auth })
    const { origin } = await listening(express().use(handler).use('/api', handler))
    for (let i = 0; i < 2; i++) {
      expect((await get(origin + wellKnown)).json.resource).toBe(`${origin}/mcp`)
      await post(`${origin}/api/mcp`, rpc('ping'))
    }
  })

  it("warns once that the root of the host isn't served", async () => {
    const { router, warnings } = make()
    const app = express().use('/api', mcp(router, { auth }))
    const { origin } = await listening(app)
    for (let i = 0; i < 2; i++) await post(`${origin}/api/mcp`, rpc('ping'))
    expect(warnings).toEqual([expect.stringContaining('mcpMetadata(router)')])
  })

  it("doesn't warn about that at the root", async () => {
    const { router, warnings } = make()
    const { origin } = await listening(express().use(mcp(router, { auth })))
    await post(`${origin}/mcp`, rpc('ping'))
    expect(warnings).toEqual([])
  })

  it('serves the metadata of several mounts, each at its `publicUrl`, and the first one also without a path', async () => {
    const { router } = make()
    const app = express().use(mcpMetadata(router))
    for (const name of ['one', 'two'])
      app.use(`/${name}`, mcp(router, { auth, publicUrl: `https://${name}.example/x/${name}` }))
    const { origin } = await listening(app)
    expect((await get(`${origin}${wellKnown}/x/one`)).json.resource).toBe('https://one.example/x/one')
    expect((await get(`${origin}${wellKnown}/x/two`)).json.resource).toBe('https://two.example/x/two')
    expect((await get(origin + wellKnown)).json.resource).toBe('https://one.example/x/one')
    expect((await get(`${origin}${wellKnown}/two/mcp`)).status).toBe(404)
  })

  it('leaves other paths to the app, with mcpMetadata() too', async () => {
    const { router } = make()
    const app = express().use(mcpMetadata(router))
    app.use((_req, res) => void res.status(418).end())
    const { origin } = await listening(app)
    for (const path of ['/', wellKnown, `${wellKnown}/mcp`, '/.well-known/openid-configuration'])
      expect([path, (await get(origin + path)).status]).toEqual([path, 418])
  })

  it("asks for a token before it reports errors of the app's body parser", async () => {
    const { router } = make()
    const app = express().use(express.json(), mcp(router, { auth }))
    const { origin } = await listening(app)
    expect((await post(`${origin}/mcp`, '{')).status).toBe(401)
    expect((await post(`${origin}/mcp`, '{', bearer)).status).toBe(400)
  })

  it('keeps the user that a login of the app found', async () => {
    const { router } = make()
    const app = express()
    app.use((req, _res, next) => {
      ;(req as { user?: unknown }).user = { id: 'of the app' }
      next()
    })
    app.use(mcp(router, { auth }))
    const { origin } = await listening(app)
    expect(await whoami(`${origin}/mcp`)).toMatchObject({
      user: { id: 'of the app' },
      auth: { subject: 'ann' },
    })
  })

  it('passes the request and the principal to `user`', async () => {
    const { router } = make()
    const user = (req: Request, who: { subject: string } | undefined) =>
      `${who?.subject} from ${req.header('x-from')}`
    const { origin } = await listening(express().use(mcp(router, { auth, user })))
    expect((await whoami(`${origin}/mcp`, { 'X-From': 'here' })).user).toBe('ann from here')
  })

  it('trusts the proxies that the app trusts, one by one', async () => {
    const { router } = make()
    const app = express().set('trust proxy', (address: string) => address === '10.0.0.1')
    app.use(mcp(router, { auth, allowedHosts: ['127.0.0.1', 'evil.example'] }))
    const { origin } = await listening(app)
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' }
    const at = metadataOf(await send(`${origin}/mcp`, { body: rpc('ping'), headers }))
    expect(at).toBe(`http://127.0.0.1${wellKnown}/mcp`)
  })

  it('accepts no token for a host that an untrusted client names', async () => {
    const { router } = make()
    const app = express()
    // As if the request came from another machine.
    app.use((req, _res, next) => {
      Object.defineProperty(req.socket, 'remoteAddress', { value: '203.0.113.7', configurable: true })
      next()
    })
    app.use(mcp(router, { auth }))
    const { origin } = await listening(app)
    const answer = await post(`${origin}/mcp`, rpc('ping'), { ...bearer, Host: 'other.example' })
    expect([answer.status, answer.json.error.message]).toEqual([403, expect.stringContaining('`publicUrl`')])
  })
}
