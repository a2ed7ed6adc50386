/** Access to the explorer's page, and its protection. Its use is tested in test/browser. */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { McpRouter } from 'mcp-router'
import { type FetchHandler, mcp } from 'mcp-router/fetch'
import { addOpenApi } from 'mcp-router/openapi'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildExplorer } from '../../../scripts/explorer.mjs'
import { quiet } from '../../contract/host.js'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const files = ['index.html', 'app.js', 'app.css', 'frame.html']

beforeAll(buildExplorer, 60_000)
afterEach(() => vi.unstubAllEnvs())

interface Asking {
  readonly options?: object
  readonly url?: string
  readonly headers?: Record<string, string>
  readonly method?: string
  /** Default: this machine. */
  readonly peerAddress?: string
}

function ask({
  options = {},
  url = 'http://localhost/mcp',
  headers = { Accept: browser },
  method = 'GET',
  peerAddress = '127.0.0.1',
}: Asking = {}) {
  const router = new McpRouter<object>({ name: 'web', version: '1.0.0', logger: quiet })
  const handler = mcp(router, options) as FetchHandler<object>
  return handler(new Request(url, { method, headers }), { peerAddress })
}

describe('the page', () => {
  it('is served to browsers at the endpoint in development', async () => {
    const response = await ask()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('vary')).toBe('Accept')
    expect(await response.text()).toContain('src="mcp/explorer/app.js"')
  })

  it.each([
    ['everything', '*/*'],
    ['JSON', 'application/json'],
    ['a stream', 'text/event-stream'],
    ['all of it alike', 'text/html, application/json, text/event-stream'],
    ['a page least of all', 'application/json, text/html;q=0.5'],
    ['no page', 'text/html;q=0'],
  ])('is not served to a client that accepts %s', async (_, accept) => {
    expect((await ask({ headers: { Accept: accept } })).status).toBe(405)
  })

  it('is not served to requests of a session, whatever they accept', async () => {
    const response = await ask({ headers: { Accept: browser, 'Mcp-Session-Id': 'x' } })
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  it('links to its files by relative addresses, below any prefix', async () => {
    const page = async (asking: Asking) => (await ask(asking)).text()
    expect(await page({ options: { path: '/api/tools' }, url: 'http://localhost/api/tools?x=1' })).toContain(
      '"tools/explorer/app.js"',
    )
    expect(await page({ url: 'http://localhost/mcp/' })).toContain('"explorer/app.js"')
    const options = { publicUrl: 'https://example.com/ai/assistant' }
    expect(await page({ options })).toContain('"assistant/explorer/app.js"')
  })

  it.each([...files.slice(1)])('has the file %s', async (name) => {
    const response = await ask({ url: `http://localhost/mcp/explorer/${name}`, headers: {} })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await response.text()).length).toBeGreaterThan(100)
  })

  it('only runs its own files, and sends nothing to other servers', async () => {
    const policy = (await ask()).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("style-src 'self';")
    expect(policy).toContain("connect-src 'self';")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(await (await ask()).text()).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/i)
  })

  it('gives the pages of apps an opaque origin and no network', async () => {
    const { headers } = await ask({ url: 'http://localhost/mcp/explorer/frame.html' })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'/)
    expect(policy).not.toMatch(/allow-same-origin|connect-src|https?:|\*/)
  })
})

describe('where people sign in elsewhere', () => {
  const auth = {
    authorizationServers: ['https://login.example.com/tenant/one', 'http://localhost:4000'],
    verify: () => Promise.reject(new Error('no')),
  }
  const client = async (asking: Asking) => {
    const response = await ask({ options: { auth }, ...asking })
    return response.ok ? response.json() : response.status
  }

  it('sends requests to the authorization servers, and to no others', async () => {
    const policy = (await ask({ options: { auth } })).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("connect-src 'self' https://login.example.com http://localhost:4000;")
    expect(policy.replace(/connect-src[^;]*;/, '')).not.toMatch(/unsafe|https?:|\*/)
  })

  it('serves its client metadata at the address that is its client id', async () => {
    const named = await client({ url: 'http://localhost:3000/mcp/explorer/client.json', headers: {} })
    expect(named).toEqual({
      client_id: 'http://localhost:3000/mcp/explorer/client.json',
      client_name: 'Explorer of web',
      application_type: 'native',
      redirect_uris: ['http://localhost:3000/mcp'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    })
    const options = { auth, explorer: true, publicUrl: 'https://api.example.com/ai/mcp' }
    expect(await client({ url: 'http://localhost/mcp/explorer/client.json', options })).toMatchObject({
      client_id: 'https://api.example.com/ai/mcp/explorer/client.json',
      application_type: 'web',
      redirect_uris: ['https://api.example.com/ai/mcp'],
    })
    expect(await client({ url: 'http://localhost/mcp/explorer/client.json', options: {} })).toBe(404)
  })

  it('accepts tokens for the endpoint at all of its addresses', async () => {
    const resources: string[] = []
    const verify = (_token: string, { resource }: { resource: string }) => {
      resources.push(resource)
      return { subject: 'ana', scopes: [], claims: {} }
    }
    const options = { auth: { ...auth, verify, cacheMs: 0 } }
    const headers = { Authorization: 'Bearer x' }
    for (const path of ['/mcp/explorer/routes.json', '/mcp/activity'])
      expect((await ask({ options, headers, url: `http://localhost${path}` })).status).toBe(200)
    expect(resources).toEqual(['http://localhost/mcp', 'http://localhost/mcp'])
  })
})

describe('whether there is one', () => {
  const statuses = async (asking: Asking) => {
    const page = await ask(asking)
    const file = await ask({ ...asking, url: 'http://localhost/mcp/explorer/app.js' })
    return [page.status, file.status]
  }

  it('is served in production only if it is turned on', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    expect(await statuses({})).toEqual([405, 404])
    expect(await statuses({ options: { explorer: true } })).toEqual([200, 200])
  })

  it('is served in development unless it is turned off', async () => {
    vi.stubEnv('NODE_ENV', 'development')
    expect(await statuses({ peerAddress: '192.0.2.1' })).toEqual([200, 200])
    expect(await statuses({ options: { explorer: false } })).toEqual([405, 404])
  })

  it('is served without NODE_ENV only on this machine, and with the key', async () => {
    vi.stubEnv('NODE_ENV', '')
    expect(await statuses({})).toEqual([403, 404])
    expect(await statuses({ peerAddress: '192.0.2.1' })).toEqual([405, 404])
    const forwarded = { Accept: browser, 'X-Forwarded-For': '192.0.2.1' }
    expect(await statuses({ headers: forwarded })).toEqual([405, 404])
  })

  it('is not served to other sites and rebound names', async () => {
    expect((await ask({ headers: { Accept: browser, Host: 'evil.example' } })).status).toBe(403)
    expect((await ask({ headers: { Accept: browser, Origin: 'https://evil.example' } })).status).toBe(403)
  })

  it('needs no token, since people sign in there; its API needs one', async () => {
    const auth = {
      authorizationServers: ['https://login.example.com'],
      verify: () => Promise.reject(new Error('no')),
    }
    expect(await statuses({ options: { auth } })).toEqual([200, 200])
    expect((await ask({ options: { auth }, headers: { Accept: 'application/json' } })).status).toBe(401)
  })
})

it('weighs less than 400 KiB compressed', async () => {
  const folder = fileURLToPath(new URL('../../../dist/explorer/', import.meta.url))
  const sizes = await Promise.all(files.map(async (name) => gzipSync(await readFile(folder + name)).length))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(400 * 1024)
})

it('lists the routes of tools that are visible to the caller', async () => {
  const router = new McpRouter<object>({ name: 'web', version: '1.0.0', logger: quiet })
  const operation = (operationId: string) => ({
    get: { operationId, responses: { 200: { description: 'OK' } } },
  })
  const document = {
    openapi: '3.1.0',
    info: { title: 'Tasks', version: '1' },
    paths: { '/tasks/{id}': operation('task_get'), '/secrets': operation('secret_list') },
  }
  await addOpenApi(router, document, { baseUrl: 'http://127.0.0.1:1' })
  router.get('tool', 'secret_list')?.update({ visible: () => false })
  const handler = mcp(router) as FetchHandler<object>
  const answer = await handler(new Request('http://localhost/mcp/explorer/routes.json'), {
    peerAddress: '127.0.0.1',
  })
  expect(await answer.json()).toEqual({ task_get: { method: 'GET', path: '/tasks/{id}' } })
})

it('lists no routes and calls to anonymous callers if the router requires a user', async () => {
  const router = new McpRouter<object>({ logger: quiet, requireUser: true })
  const user = ({ headers }: Request) => headers.get('x-user') ?? undefined
  const handler = mcp(router, { user }) as FetchHandler<object>
  for (const path of ['explorer/routes.json', 'activity']) {
    const get = async (headers: Record<string, string>) =>
      (await handler(new Request(`http://localhost/mcp/${path}`, { headers }), { peerAddress: '127.0.0.1' }))
        .status
    expect([path, await get({}), await get({ 'X-User': 'ana' })]).toEqual([path, 401, 200])
  }
})

it('hides a route whose `visible` fails, and reports the error', async () => {
  const told: unknown[] = []
  const router = new McpRouter<object>({ logger: quiet, onError: (error) => told.push(error) })
  const paths = { '/tasks': { get: { operationId: 'task_list', responses: { 200: { description: 'OK' } } } } }
  await addOpenApi(
    router,
    { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths },
    { baseUrl: 'http://127.0.0.1:1' },
  )
  const handler = mcp(router) as FetchHandler<object>
  const routes = async () => {
    const request = new Request('http://localhost/mcp/explorer/routes.json')
    return (await handler(request, { peerAddress: '127.0.0.1' })).json()
  }
  router.get('tool', 'task_list')?.update({
    visible: () => {
      throw new Error('no policy')
    },
  })
  expect(await routes()).toEqual({})
  router.get('tool', 'task_list')?.update({ visible: (async () => true) as never })
  expect(await routes()).toEqual({})
  expect(told).toEqual([
    expect.objectContaining({ message: 'no policy' }),
    expect.objectContaining({ message: expect.stringContaining('expected true or false') }),
  ])
})
