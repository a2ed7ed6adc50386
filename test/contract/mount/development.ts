/** Where NODE_ENV is unset: what callers see of faults, of the explorer and of each other's calls. */

import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { type Answer, type Headers, post, send } from '../client.js'
import { rpc } from '../clients.js'
import { expectText } from '../expect.js'
import { type Host, type Served, serve, type Wanted } from '../host.js'

const browser = { Accept: 'text/html,application/xhtml+xml' }
const forwarded = [
  { 'X-Forwarded-For': '192.0.2.1' },
  { Forwarded: 'for=192.0.2.1' },
  { 'X-Real-IP': '192.0.2.1' },
  { 'X-Forwarded-Host': 'api.example.com' },
  { 'X-Forwarded-Proto': 'https' },
  { Via: '1.1 proxy' },
]

interface Unset extends Served {
  readonly lines: string[]
}

async function serveUnset(host: Host, wanted: Wanted = {}): Promise<Unset> {
  const lines: string[] = []
  const write = (message: string): unknown => lines.push(message)
  const logger = { info: write, warn: write, error: write }
  const served = await serve(host, { ...wanted, server: { logger, ...wanted.server } })
  served.router.tool('fail', {
    description: 'Fails',
    handler: () => {
      throw new Error('ECONNREFUSED postgres://app:hunter2@10.0.0.5')
    },
  })
  return { ...served, lines }
}

const get = (url: string, headers: Headers = {}): Promise<Answer> => send(url, { method: 'GET', headers })

/** The link of the log, after a first request. */
async function linkOf({ url, lines }: Unset): Promise<string> {
  await post(url, rpc('ping'))
  const links = lines.filter((line) => line.startsWith('explorer: '))
  expect(links).toEqual([expect.stringContaining(`${url}?key=`)])
  return /http\S+/.exec(links[0] as string)?.[0] as string
}

/** The cookie that takes the place of the key. */
async function cookieOf(served: Unset): Promise<Headers> {
  const { status, headers } = await get(await linkOf(served), browser)
  expect(status).toBe(302)
  expect(headers.location).toBe('./mcp')
  const [cookie = ''] = [headers['set-cookie']].flat()
  expect(cookie).toMatch(/^[\w-]+=[\w-]{32}; Path=\/mcp; HttpOnly; SameSite=Lax$/)
  return { Cookie: cookie.split(';')[0] }
}

export function development(host: Host): void {
  // An app in another process has an environment of its own.
  const test = it.skipIf(host.serve !== undefined)

  beforeEach(() => {
    vi.stubEnv('NODE_ENV', '')
    onTestFinished(() => void vi.unstubAllEnvs())
  })

  test('masks faults, even for callers on this machine', async () => {
    const { url, lines } = await serveUnset(host)
    const { text } = await post(url, rpc('tools/call', { name: 'fail' }))
    const reference = /Internal error\. Reference: ([\w-]+)/.exec(text)?.[1]
    expect(reference).toBeDefined()
    expect(text).not.toContain('hunter2')
    expect(lines.join()).toContain(`reference ${reference}): ECONNREFUSED`)
  })

  test('shows faults where NODE_ENV says development', async () => {
    vi.stubEnv('NODE_ENV', 'development')
    const { url, lines } = await serveUnset(host)
    expect((await post(url, rpc('tools/call', { name: 'fail' }))).text).toContain('ECONNREFUSED')
    expect(lines.join()).not.toContain('explorer:')
  })

  test('opens the explorer to who has the key from the link in the log, and then to a cookie', async () => {
    const served = await serveUnset(host)
    const { url } = served
    const locked = await get(url, browser)
    expect(locked.status).toBe(403)
    expect(locked.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(locked.headers['content-security-policy']).toContain("default-src 'none'")
    expect(locked.text).toContain('NODE_ENV=development')
    expect((await get(`${url}/activity`)).status).toBe(404)
    expect((await get(`${url}/explorer/routes.json`)).status).toBe(404)
    const cookie = await cookieOf(served)
    expect((await get(`${url}/activity`, cookie)).status).toBe(200)
    expect((await get(`${url}/explorer/routes.json`, cookie)).status).toBe(200)
    const other = { Cookie: cookie.Cookie?.replace(/=.*/, '=guessed') }
    expect((await get(`${url}/activity`, other)).status).toBe(404)
    expect((await get(`${url}?key=guessed`, browser)).status).toBe(403)
  })

  test.each(forwarded)(
    'opens nothing to a request that was passed on with %j, key or not',
    async (header) => {
      const served = await serveUnset(host)
      const link = await linkOf(served)
      expect((await get(served.url, { ...browser, ...header })).status).toBe(405)
      expect((await get(link, { ...browser, ...header })).status).toBe(405)
      expect((await get(link.replace('?', '/activity?'), header)).status).toBe(404)
    },
  )

  test('logs no link for a host that leads elsewhere', async () => {
    const { url, lines } = await serveUnset(host, { options: { allowedHosts: ['evil.example'] } })
    for (const name of ['evil.example', 'evil.example/?.localhost', 'evil.example#@x.localhost'])
      await post(url, rpc('ping'), { Host: name }).catch(() => {})
    expect(lines.join()).not.toContain('?key=')
  })

  test('shows each caller their own calls, whatever they are let see', async () => {
    const people: Record<string, unknown> = {
      ann: { id: 7, tenant: 'acme' },
      bob: { id: 7, tenant: 'globex' },
      cid: { id: 7, tenantId: { id: 'acme' } },
    }
    const served = await serveUnset(host, { login: ({ 'x-user': who }) => people[who ?? ''] })
    const { url } = served
    const cookie = await cookieOf(served)
    const call = (text: string, headers: Headers) =>
      post(url, rpc('tools/call', { name: 'echo', arguments: { text } }), headers)
    expectText(await call('of ann', { 'X-User': 'ann' }))
    expectText(await call('of bob', { 'X-User': 'bob' }))
    expectText(await call('of nobody', {}))
    expectText(await call('of the key', cookie))
    const seen = async (headers: Headers) => {
      const { json } = await get(`${url}/activity`, { ...cookie, ...headers })
      expect(json.everybody).toBe(false)
      return json.calls.map((one: { params: { arguments: object } }) => one.params.arguments)
    }
    expect(await seen({ 'X-User': 'ann' })).toEqual([{ text: 'of ann' }])
    expect(await seen({ 'X-User': 'bob' })).toEqual([{ text: 'of bob' }])
    expect(await seen({ 'X-User': 'cid' })).toEqual([{ text: 'of ann' }])
    expect(await seen({})).toEqual([{ text: 'of the key' }])
  })
}
