/** Signing in for the explorer, and everything that authorization servers may do. */

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { UnauthorizedError } from 'mcp-router'
import type { TokenVerifier } from 'mcp-router/adapter'
import { describe, expect, it } from 'vitest'
import type { Host } from '../contract/host.js'
import { nodeHost, overHttp, overHttps } from '../integrations/node/host.js'
import { authorizationServer, letIn } from './explorer/authorization-server.js'
import { demo } from './explorer/fixtures.js'
import { isForToken } from './explorer/oauth-suite.js'
import { choose, explorerOn, hasChromium, press } from './explorer/page.js'

describe.skipIf(!hasChromium)('an authorization server', { timeout: 60_000 }, () => {
  const host = nodeHost(overHttp)
  const open = explorerOn(host)
  const at = ({ issuer }: { issuer: string }) => new URL(issuer).host

  it('gives the next token when one ends', async () => {
    const login = await authorizationServer({ lifetime: 5 })
    const { page } = await open({ ...demo(), host: login.inFrontOf(host), options: { auth: login.auth } })
    const forms: URLSearchParams[] = []
    const tokens = new Set<string>()
    page.on('request', (request) => {
      if (isForToken(request)) forms.push(new URLSearchParams(request.postData() ?? ''))
      const { authorization } = request.headers()
      if (authorization !== undefined) tokens.add(authorization.slice('Bearer '.length))
    })
    await press(page, `Sign in at ${at(login)}`)
    await letIn(page)
    await choose(page, 'task_list')
    await press(page, 'Call')
    await page.getByText(/^Done/).waitFor()
    // They end in less than what is kept in hand, so that each request brings the next one.
    expect(forms.at(-1)?.get('grant_type')).toBe('refresh_token')
    expect(forms.at(-1)?.get('resource')).toMatch(/\/mcp$/)
    expect(tokens.size).toBeGreaterThan(1)
  })

  it('is asked for another token when the server takes this one no longer', async () => {
    const login = await authorizationServer()
    const refused = new Set<string>()
    const seen = new Set<string>()
    const verify: TokenVerifier = (token, use) => {
      seen.add(token)
      if (refused.has(token)) throw new UnauthorizedError('revoked')
      return login.auth.verify(token, use)
    }
    const auth = { ...login.auth, verify, cacheMs: 0 }
    const { page } = await open({ ...demo(), host: login.inFrontOf(host), options: { auth } })
    await press(page, `Sign in at ${at(login)}`)
    await letIn(page)
    await choose(page, 'task_list')
    for (const token of seen) refused.add(token)
    await press(page, 'Call')
    await page.getByText(/^Done/).waitFor()
    expect(seen.size).toBe(2)
    await page.getByText(`Signed in at ${at(login)}`).waitFor()
    await page.getByText(`Signed in at ${at(login)}`).click()
    await press(page, 'Forget it')
    await page.getByText('The server wants to know who you are').waitFor()
  })

  it('is asked for more where a tool needs more', async () => {
    const login = await authorizationServer()
    const { router } = demo()
    router.tool('task_sweep', {
      description: 'Sweeps.',
      scopes: ['tasks:write'],
      handler: (_, { auth }) => `Swept with ${auth?.scopes.join(' and ')}`,
    })
    const { page } = await open({ router, host: login.inFrontOf(host), options: { auth: login.auth } })
    await press(page, `Sign in at ${at(login)}`)
    await letIn(page)
    await choose(page, 'task_sweep')
    await press(page, 'Call')
    await page.getByText(/^Refused/).waitFor()
    await page.getByText('tasks:write', { exact: true }).first().waitFor()
    await press(page, `Sign in at ${at(login)}`)
    await letIn(page)
    // It comes back to what it showed.
    await page.getByRole('heading', { name: 'task_sweep' }).waitFor()
    await press(page, 'Call')
    await page.getByText(/Swept with tasks:read and tasks:write/).waitFor()
  })

  it('may be gone to where nobody must', async () => {
    const login = await authorizationServer()
    const options = { auth: { ...login.auth, optional: true } }
    const { page, complaints } = await open({ ...demo(), host: login.inFrontOf(host), options })
    await page.getByRole('heading', { name: 'demo' }).waitFor()
    await page.getByText('Sign in', { exact: true }).click()
    await press(page, `Sign in at ${at(login)}`)
    await letIn(page)
    await page.getByText(`Signed in at ${at(login)}`).waitFor()
    await choose(page, 'task_list')
    await press(page, 'Call')
    await press(page, 'Raw request and answer')
    await page.getByText(/^POST[\s\S]*authorization: Bearer …/).waitFor()
    expect(complaints).toEqual([])
  })

  it('may let nobody in, in its own words, which are no markup', async () => {
    const login = await authorizationServer()
    const { page } = await open({ ...demo(), host: login.inFrontOf(host), options: { auth: login.auth } })
    login.way.back = (answer) => answer.set('error_description', '<img src=x onerror=alert(1)>')
    await press(page, `Sign in at ${at(login)}`)
    await letIn(page, 'Deny')
    await page.getByText('access_denied: <img src=x onerror=alert(1)>').waitFor()
  })

  it('that registers nobody has given out an id', async () => {
    const login = await authorizationServer({ registers: false })
    const { page, origin } = await open({
      ...demo(),
      host: login.inFrontOf(host),
      options: { auth: login.auth },
    })
    await press(page, `Sign in at ${at(login)}`)
    await page
      .getByRole('alert')
      .getByText(`${at(login)} does not support dynamic client registration`)
      .getByText(`${origin}/mcp`)
      .waitFor()
    await page.getByLabel('Client id').fill('given')
    await press(page, `Sign in at ${at(login)}`)
    await letIn(page)
    await page.getByText(`Signed in at ${at(login)}`).waitFor()
  })

  it('that no page may read is said to be so', async () => {
    const login = await authorizationServer({ cors: 'nowhere' })
    const { page, picture } = await open({
      ...demo(),
      host: login.inFrontOf(host),
      options: { auth: login.auth },
    })
    await press(page, `Sign in at ${at(login)}`)
    await page.getByText(`${at(login)} does not allow pages of`).waitFor()
    await picture('no page')
  })

  it('that is not there is said to be so', async () => {
    const { verify } = (await authorizationServer()).auth
    const auth = { authorizationServers: ['http://127.0.0.1:1'], verify }
    const { page } = await open({ ...demo(), options: { auth } })
    await press(page, 'Sign in at 127.0.0.1:1')
    await page.getByText('127.0.0.1:1 does not respond').waitFor()
  })

  it('knows the page by its address, where that is public', async () => {
    const port = await freePort()
    const tls = nodeHost((listener) => {
      const server = overHttps(listener)
      const listen = server.listen.bind(server) as (...given: unknown[]) => typeof server
      return Object.assign(server, { listen: (_: number, ...more: unknown[]) => listen(port, ...more) })
    })
    const named: Host = {
      ...tls,
      async start(setup) {
        const running = await tls.start(setup)
        return { ...running, origin: running.origin.replace('127.0.0.1', 'explorer.test') }
      },
    }
    const login = await authorizationServer({ registers: false, fetch: fetchNearby })
    const options = { auth: login.auth, allowedHosts: [`explorer.test:${port}`] }
    const clients: unknown[] = []
    const { router } = demo()
    router.tool('who', { description: 'Who?', handler: (_, { auth }) => void clients.push(auth?.clientId) })
    const { page, origin } = await open({ router, host: login.inFrontOf(named), options })
    await press(page, `Sign in at ${at(login)}`)
    await page.getByLabel('Password').waitFor()
    await letIn(page)
    await choose(page, 'who')
    await press(page, 'Call')
    await page.getByText(/^Done/).waitFor()
    expect(clients).toEqual([`${origin}/mcp/explorer/client.json`])
  })

  it('is not gone to from elsewhere than what tokens are for', async () => {
    const login = await authorizationServer()
    const options = { auth: login.auth, publicUrl: 'https://api.example.com/mcp', explorer: true }
    const { page } = await open({ ...demo(), host: login.inFrontOf(host), options })
    await page.getByText('The server says that it is https://api.example.com/mcp').waitFor()
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** As an authorization server on the web fetches documents, but for names and certificates of this machine. */
const fetchNearby: typeof fetch = async (address) => {
  const url = new URL(String(address))
  const options = { hostname: '127.0.0.1', rejectUnauthorized: false, headers: { Host: url.host } }
  const [answer] = (await once(get(url, options), 'response')) as [IncomingMessage]
  return new Response(await text(answer), {
    status: answer.statusCode ?? 500,
    headers: { 'Content-Type': answer.headers['content-type'] ?? '' },
  })
}
