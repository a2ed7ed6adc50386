/** GET: the stream of a session, for what it is told outside of its calls. */

import { expect, it, vi } from 'vitest'
import { type Headers, open, send } from '../client.js'
import { legacy, modern, stateless } from '../clients.js'
import { expectError, expectResult } from '../expect.js'
import { latch } from '../fixtures.js'
import { type Host, type Served, serve } from '../host.js'

const sse = { Accept: 'text/event-stream' }
const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const changed = (list: string) => ({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` })
const quiet = ({ router }: Served) =>
  vi.waitFor(() => expect(router.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })

export function getStreams(host: Host): void {
  it.each(versions)('opens one for a session of %s, with the headers of a stream', async (version) => {
    const served = await serve(host)
    const stream = await (await legacy(served.url, { version })).listen()
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(stream.headers['cache-control']).toBe('no-cache, no-transform')
    expect(stream.headers['x-accel-buffering']).toBe('no')
    expect(served.router.stats().streams).toBe(1)
    await served.router.notify.toolsChanged()
    expect(await stream.next()).toEqual(changed('tools'))
    stream.leave()
    await quiet(served)
  })

  it('begins with an event id and `retry` for 2025-11-25, and with neither before', async () => {
    const { url, router } = await serve(host)
    const stream = await (await legacy(url)).listen()
    expect(await stream.nextEvent()).toEqual({
      id: expect.stringMatching(/^[\x21-\x7e]+$/),
      event: undefined,
      retry: expect.any(Number),
      data: '',
    })
    const old = await (await legacy(url, { version: '2025-06-18' })).listen()
    await router.notify.promptsChanged()
    expect(await old.nextEvent()).toMatchObject({ id: undefined, retry: undefined, event: 'message' })
  })

  it('sends each notice on exactly one of the streams of a session, to every session', async () => {
    const { url, router } = await serve(host)
    const [ann, bob] = [await legacy(url), await legacy(url)]
    const streams = [await ann.listen(), await ann.listen(), await bob.listen()]
    const names = Array.from({ length: 20 }, (_, index) => `notifications/test/${index}`)
    for (const name of names) await router.notify.custom(name)
    await router.close()
    const [first = [], second = [], other = []] = await Promise.all(
      streams.map(async (stream) => {
        const methods: string[] = []
        for (let event = await stream.nextEvent(); event !== undefined; event = await stream.nextEvent()) {
          if (event.data !== '') methods.push(JSON.parse(event.data).method)
        }
        return methods
      }),
    )
    expect([...first, ...second].sort()).toEqual([...names].sort())
    expect(other).toEqual(names)
  })

  it('goes on with the stream that is left', async () => {
    const served = await serve(host)
    const client = await legacy(served.url, { version: '2025-06-18' })
    const stays = await client.listen()
    const leaves = await client.listen()
    leaves.leave()
    await vi.waitFor(() => expect(served.router.stats().streams).toBe(1), { interval: 2 })
    await served.router.notify.toolsChanged()
    expect(await stays.next()).toEqual(changed('tools'))
  })

  it('answers 405 to GET without a session, and where there are no streams', async () => {
    const { url } = await serve(host)
    expectError(await send(url, { method: 'GET', headers: sse }), 405, -32600)
    const none = await serve(host, { options: { streams: false } })
    const client = await legacy(none.url)
    const headers = { ...sse, 'Mcp-Session-Id': client.sessionId }
    const answer = await send(none.url, { method: 'GET', headers })
    expectError(answer, 405, -32600)
    expect(answer.headers.allow).not.toContain('GET')
  })

  it('answers 406 to who reads no event stream, 404 to a dead session, 400 to a version nobody speaks', async () => {
    const { url } = await serve(host)
    const { sessionId } = await legacy(url)
    const get = (headers: Headers) =>
      send(url, { method: 'GET', headers: { ...sse, 'Mcp-Session-Id': sessionId, ...headers } })
    expectError(await get({ Accept: 'application/json' }), 406, -32600)
    expectError(await get({ 'Mcp-Session-Id': 'unknown' }), 404, -32001)
    expectError(await get({ 'MCP-Protocol-Version': '1999-01-01' }), 400, -32600)
    await send(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': sessionId } })
    expectError(await get({}), 404, -32001)
  })

  it('answers 403 to another caller, and logs it', async () => {
    const warnings: string[] = []
    const logger = { info() {}, error() {}, warn: (message: string) => warnings.push(message) }
    const login = ({ 'x-user': id }: Headers): unknown => (id === undefined ? undefined : { id })
    const { url } = await serve(host, { login, server: { logger } })
    const ann = await legacy(url, { headers: { 'X-User': 'ann' } })
    for (const headers of [{ 'X-User': 'bob' }, {}]) {
      const session = { ...sse, 'Mcp-Session-Id': ann.sessionId }
      expectError(await send(url, { method: 'GET', headers: { ...session, ...headers } }), 403, -31003)
    }
    expect(warnings.filter((message) => message.includes('another caller')).length).toBeGreaterThan(1)
    expect((await ann.listen()).status).toBe(200)
  })

  it('answers 401 to an anonymous caller where the router wants a user', async () => {
    const { url } = await serve(host, {
      login: ({ 'x-user': id }) => (id === 'ann' ? { id } : undefined),
      server: { requireUser: true },
    })
    const ann = await legacy(url, { headers: { 'X-User': 'ann' } })
    const stream = await open(url, {
      method: 'GET',
      headers: { ...sse, 'Mcp-Session-Id': ann.sessionId, 'X-User': 'ann' },
    })
    expect(stream.status).toBe(200)
  })

  it('ends the streams of a session that is ended, and no others', async () => {
    const served = await serve(host)
    const [client, other] = [await legacy(served.url), await legacy(served.url)]
    const [stream, second, foreign] = [await client.listen(), await client.listen(), await other.listen()]
    const headers = { 'Mcp-Session-Id': client.sessionId }
    expect((await send(served.url, { method: 'DELETE', headers })).status).toBe(204)
    expect(await stream.rest()).toEqual([])
    expect(await second.rest()).toEqual([])
    await served.router.notify.toolsChanged()
    expect(await foreign.next()).toEqual(changed('tools'))
  })

  it('ends at once for a session that was ended while the login was at work', async () => {
    const [asked, found] = [latch(), latch<unknown>()]
    let slow = false
    const user = (): unknown => {
      if (!slow) return { id: 1 }
      asked.open()
      return found.opened
    }
    const { url, router } = await serve(host, { options: { user } })
    const client = await legacy(url)
    slow = true
    const opening = client.listen()
    await asked.opened
    slow = false
    const headers = { 'Mcp-Session-Id': client.sessionId }
    expect((await send(url, { method: 'DELETE', headers })).status).toBe(204)
    found.open({ id: 1 })
    const stream = await opening
    expect(await stream.rest()).toEqual([])
    await vi.waitFor(() => expect(router.stats().streams).toBe(0), { interval: 2 })
  })

  it('ends every stream when the router closes, at once, and refuses new ones', async () => {
    const served = await serve(host)
    const client = await legacy(served.url)
    const stream = await client.listen()
    await served.router.close({ drainMs: 60_000 })
    expect(await stream.rest()).toEqual([])
    const headers = { ...sse, 'Mcp-Session-Id': client.sessionId }
    expect((await send(served.url, { method: 'GET', headers })).status).toBe(503)
  })

  it('refuses streams beyond `maxStreams` with 503 and Retry-After, until one ends', async () => {
    const { url } = await serve(host, { options: { maxStreams: 2 } })
    const client = await legacy(url)
    const first = await client.listen()
    const listening = await modern(url).open('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    })
    expect(listening.status).toBe(200)
    const headers = { ...sse, 'Mcp-Session-Id': client.sessionId }
    const refused = await send(url, { method: 'GET', headers })
    expect(refused.status).toBe(503)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    const third = await modern(url).request('subscriptions/listen', { notifications: {} })
    expect(third.status).toBe(503)
    first.leave()
    await vi.waitFor(async () => expect((await client.listen()).status).toBe(200), { interval: 2 })
  })

  it('replaces the oldest of too many streams of one session', async () => {
    const { url, router } = await serve(host)
    const client = await legacy(url)
    const oldest = await client.listen()
    for (let i = 0; i < 8; i++) await client.listen()
    expect(await oldest.rest()).toEqual([])
    expect(router.stats().streams).toBe(8)
  })

  it('does not disturb calls of the session', async () => {
    const { url } = await serve(host)
    const client = await legacy(url)
    await client.listen()
    expectResult(await client.call('echo', { text: 'hi' }))
    expectResult(await stateless(url).call('echo', { text: 'hi' }))
  })
}
