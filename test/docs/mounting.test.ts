/** What docs/mounting.md promises. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type Express } from 'express'
import { McpRouter, type RouterOptions } from 'mcp-router'
import { guard, mcp } from 'mcp-router/express'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { initialize, type Json, legacy, listen, modern, post } from './client.js'
import { eventsOf, nextMessage, openGet } from './events.js'
import { app } from './preludes/mounting.js'
import { load, mountingPage } from './programs.js'

const quiet = { info() {}, warn() {}, error() {} }
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
let base: string

beforeAll(async () => {
  await load(mountingPage)
  base = await listen(app)
})

function make(options: RouterOptions = {}): McpRouter<object> {
  const router = new McpRouter<object>({ name: 'reports', version: '1.0.0', logger: quiet, ...options })
  router.tool('t', { description: 'd', handler: () => 'x' })
  return router
}

describe('the page', () => {
  it('serves below the prefix, with health, a locale and a guard', async () => {
    const health = await fetch(`${base}/api/mcp/health`)
    expect(await health.json()).toMatchObject({ status: 'ok', server: 'reports', version: '1.0.0' })
    const call = async () => {
      const headers = { 'Accept-Language': 'pt' }
      const { messages } = await modern(`${base}/api/mcp`, 'tools/call', { name: 'report' }, { headers })
      return messages[0].result
    }
    expect(await call()).toMatchObject({ content: [{ text: 'report in pt' }] })
    expect(await call()).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/Try again in \d+ seconds/) }],
    })
    for (const user of ['ana', 'eva']) {
      const headers = { 'Accept-Language': 'pt', 'X-User': user }
      const { messages } = await modern(`${base}/api/mcp`, 'tools/call', { name: 'report' }, { headers })
      expect(messages[0].result).toMatchObject({ content: [{ text: 'report in pt' }] })
    }
  })

  it('lets the origin of `cors` read its answers, and no other', async () => {
    const from = (Origin: string) => post(`${base}/api/mcp`, ping, { headers: { Origin } })
    const allowed = await from('https://app.example.com')
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect((await from('https://evil.example')).status).toBe(403)
  })
})

describe('where it is served', () => {
  const mounts: [string, (of: Express) => unknown, string[], string[]][] = [
    ['use(mcp)', (of) => of.use(mcp(make())), ['/mcp', '/mcp/'], ['/', '/mcp/x', '/MCP', '/other']],
    ['use(/mcp)', (of) => of.use('/mcp', mcp(make())), ['/mcp'], ['/mcp/mcp', '/']],
    ['use(/ai)', (of) => of.use('/ai', mcp(make())), ['/ai/mcp'], ['/ai', '/mcp']],
    ['path', (of) => of.use('/ai', mcp(make(), { path: '/ai' })), ['/ai'], ['/ai/mcp']],
    ['paths', (of) => of.use('/ai', mcp(make(), { path: ['/mcp', '/v1'] })), ['/ai/mcp', '/ai/v1'], ['/ai']],
    ['post', (of) => of.post('/ai/mcp', mcp(make())), ['/ai/mcp'], ['/ai', '/mcp']],
  ]

  it.each(mounts)('%s', async (_, mount, served, passed) => {
    const own = express()
    mount(own)
    own.use((_req, res) => void res.status(418).end())
    const url = await listen(own)
    for (const path of served) expect([path, (await post(url + path, ping)).status]).toEqual([path, 200])
    for (const path of passed) expect([path, (await post(url + path, ping)).status]).toEqual([path, 418])
  })
})

it('mcp() has the name and version of the package.json of the app', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'shop', version: '3.2.1' }))
  const [, started = ''] = process.argv
  process.argv[1] = join(folder, 'app.js')
  onTestFinished(() => {
    process.argv[1] = started
    rmSync(folder, { recursive: true })
  })
  const url = await listen(express().use(mcp()))
  const { messages } = await modern(`${url}/mcp`, 'server/discover')
  expect(messages[0].result._meta['io.modelcontextprotocol/serverInfo']).toEqual({
    name: 'shop',
    version: '3.2.1',
  })
})

describe('what is answered', () => {
  let router: McpRouter<object>
  let url: string
  const failing = { now: false }

  beforeAll(async () => {
    router = make()
    router.tool('mine', { description: 'd', requireUser: true, handler: () => 'x' })
    router.tool('asks', { description: 'd', needs: ['roots'], handler: () => 'x' })
    router.tool('guarded', {
      description: 'd',
      use: [guard((_req, res) => void res.status(403).set('WWW-Authenticate', 'Bearer').end())],
      handler: () => 'x',
    })
    router.tool('region', {
      description: 'd',
      input: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
        required: ['region'],
      },
      handler: ({ region }) => region,
    })
    const user = (req: express.Request) => {
      if (failing.now) throw new Error('no database')
      const id = req.header('x-user')
      return id === undefined ? undefined : { id }
    }
    const own = express().use(mcp(router, { user, maxBodyBytes: 2_000, maxDepth: 8, maxElements: 50 }))
    url = `${await listen(own)}/mcp`
  })

  const send = (method: string, headers: Record<string, string> = {}) => fetch(url, { method, headers })
  const call = (name: string, args: Json = {}, headers: Record<string, string> = {}) =>
    modern(url, 'tools/call', { name, arguments: args }, { headers })
  const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)])
  const json = { 'Content-Type': 'application/json' }

  it('200 to answers: results, failures of tools, JSON-RPC errors', async () => {
    expect((await call('t')).status).toBe(200)
    expect((await call('none')).status).toBe(200)
    expect((await legacy(url, 'none')).status).toBe(200)
  })

  it('202 to notifications and posted responses, without a body', async () => {
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/x' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ])
      expect(await post(url, message)).toMatchObject({ status: 202, messages: [] })
  })

  it('204 to DELETE of a session, 404 to it afterwards, 403 to somebody else', async () => {
    const id = await initialize(url, { 'X-User': 'ana' })
    const own = { 'X-User': 'ana', 'Mcp-Session-Id': id }
    expect((await legacy(url, 'ping', {}, { headers: { ...own, 'X-User': 'ben' } })).status).toBe(403)
    expect((await send('DELETE', own)).status).toBe(204)
    expect((await legacy(url, 'ping', {}, { headers: own })).status).toBe(404)
  })

  it('400 to what cannot be read', async () => {
    for (const body of ['{', '{}', '"x"', '[]', JSON.stringify({ ...ping, params: { a: nested(9) } })])
      expect([body, (await post(url, body)).status]).toEqual([body, 400])
    const many = { ...ping, params: { a: Array(60).fill(1) } }
    expect((await post(url, many)).messages[0].error.message).toContain('maxElements')
    expect((await post(url, ping, { headers: { 'MCP-Protocol-Version': '2020-01-01' } })).status).toBe(400)
    const batch = { headers: { 'MCP-Protocol-Version': '2025-06-18' } }
    expect((await post(url, [ping], batch)).status).toBe(400)
    expect((await post(url, [ping])).status).toBe(200)
  })

  it('400 to what contradicts itself or lacks something in 2026-07-28', async () => {
    const modernHeaders = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' }
    expect((await post(url, { ...ping, method: 'tools/list' }, { headers: modernHeaders })).status).toBe(400)
    const other = await modern(url, 'tools/list', {}, { headers: { 'Mcp-Method': 'tools/call' } })
    expect(other).toMatchObject({ status: 400, messages: [{ error: { code: -32020 } }] })
    expect(await call('asks')).toMatchObject({ status: 400, messages: [{ error: { code: -32021 } }] })
    expect(await call('region', { region: 'eu' })).toMatchObject({ status: 400 })
    expect(await call('region', { region: 'eu' }, { 'Mcp-Param-Region': 'us' })).toMatchObject({
      status: 400,
    })
    expect(await call('region', { region: 'eu' }, { 'Mcp-Param-Region': 'eu' })).toMatchObject({
      status: 200,
    })
  })

  it('400 in plain words where only older revisions are spoken', async () => {
    const old = `${await listen(express().use(mcp(make({ protocolVersions: ['2025-11-25'] }))))}/mcp`
    const { status, messages } = await modern(old, 'tools/list')
    expect([status, messages[0].jsonrpc]).toEqual([400, undefined])
    expect(messages[0].error).toContain('initialize')
  })

  it('401 to anonymous callers, with a challenge; 403 with the challenge of a guard', async () => {
    const refused = await call('mine')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const guarded = await call('guarded')
    expect([guarded.status, guarded.headers.get('www-authenticate')]).toEqual([403, 'Bearer'])
  })

  it('403 to origins and hosts that are not allowed, naming the option', async () => {
    const from = await post(url, ping, { headers: { Origin: 'https://evil.example' } })
    expect([from.status, from.messages[0].error.message]).toEqual([
      403,
      expect.stringContaining('allowedOrigins'),
    ])
    const status = await new Promise((resolve) => {
      const headers = { ...json, Host: 'rebound.example' }
      request(url, { method: 'POST', headers }, (response) => resolve(response.resume().statusCode)).end('{}')
    })
    expect(status).toBe(403)
  })

  it('404 to unknown methods of 2026-07-28, and to unknown sessions', async () => {
    expect((await modern(url, 'none')).status).toBe(404)
    expect((await legacy(url, 'ping', {}, { headers: { 'Mcp-Session-Id': 'none' } })).status).toBe(404)
  })

  it('405 to other methods, saying which it takes', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'OPTIONS']) {
      const refused = await send(method)
      expect([method, refused.status, refused.headers.get('allow')]).toEqual([
        method,
        405,
        'POST, GET, DELETE',
      ])
    }
    const off = `${await listen(express().use(mcp(make({ sessions: false }))))}/mcp`
    expect((await fetch(off, { method: 'DELETE' })).status).toBe(405)
    expect(await initialize(off)).toBe('')
    const cors = `${await listen(express().use(mcp(make(), { cors: ['https://a.example'] })))}/mcp`
    const preflight = await fetch(cors, { method: 'OPTIONS', headers: { Origin: 'https://a.example' } })
    expect(preflight.status).toBe(204)
  })

  it('406 to an Accept with neither form', async () => {
    expect((await post(url, ping, { headers: { Accept: 'text/html' } })).status).toBe(406)
    expect((await post(url, ping, { headers: { Accept: '*/*' } })).status).toBe(200)
  })

  it('413 to large bodies, also where a parser in front says so', async () => {
    const large = { ...ping, params: { a: 'x'.repeat(3_000) } }
    expect((await post(url, large)).status).toBe(413)
    const parsed = express().use(express.json({ limit: 1_000 }), mcp(make()))
    expect((await post(`${await listen(parsed)}/mcp`, large)).status).toBe(413)
  })

  it('415 to what is no JSON in UTF-8, or compressed', async () => {
    expect((await post(url, ping, { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415)
    expect((await post(url, ping, { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(415)
  })

  it('500 where the app fails and nobody waits for an answer', async () => {
    const headers = { 'X-User': 'ana', 'Mcp-Session-Id': await initialize(url, { 'X-User': 'ana' }) }
    failing.now = true
    try {
      const message = { jsonrpc: '2.0', method: 'notifications/x' }
      expect((await post(url, message, { headers })).status).toBe(500)
      expect((await call('t')).status).toBe(200)
    } finally {
      failing.now = false
    }
  })

  it('503 while it closes, with Retry-After', async () => {
    const closing = make()
    const own = `${await listen(express().use(mcp(closing, { health: true })))}/mcp`
    await closing.close()
    const refused = await modern(own, 'tools/list')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await fetch(`${own}/health`)).status).toBe(503)
  })
})

describe('sessions', () => {
  it('need something to bind to: a user without an id gets none', async () => {
    const own = express().use(mcp(make(), { user: () => ({ name: 'ana' }) }))
    expect(await initialize(`${await listen(own)}/mcp`)).toBe('')
    const named = mcp(make(), { user: () => ({ name: 'ana' }), userId: (user) => (user as Json).name })
    expect(await initialize(`${await listen(express().use(named))}/mcp`)).not.toBe('')
  })
})

describe('streams that stay open', () => {
  it('are told of changes, and come back for what they missed', async () => {
    const router = make()
    const url = `${await listen(express().use(mcp(router)))}/mcp`
    const headers = { 'Mcp-Session-Id': await initialize(url) }
    const stream = await openGet(url, headers)
    const events = eventsOf(stream)
    const { value } = await events.next()
    await events.return()
    await vi.waitFor(() => expect(router.stats().streams).toBe(0), { interval: 2 })
    await router.notify.toolsChanged()
    const again = eventsOf(await openGet(url, { ...headers, 'Last-Event-ID': value?.id ?? '' }))
    expect((await nextMessage(again)).method).toBe('notifications/tools/list_changed')
    await again.return()
  })

  it('are not there with `streams: false`', async () => {
    const url = `${await listen(express().use(mcp(make(), { streams: false })))}/mcp`
    const headers = { 'Mcp-Session-Id': await initialize(url) }
    expect((await openGet(url, headers)).status).toBe(405)
  })

  it('are served as 2024-11-05 has them where the page says', async () => {
    const stream = eventsOf(await openGet(`${base}/old/mcp/sse`, {}))
    const { value } = await stream.next()
    expect(value).toBeDefined()
    await stream.return()
    expect((await fetch(`${base}/old/mcp/message`, { method: 'POST' })).status).toBe(404)
  })
})
