/** `Mcp-Session-Id`: a token that is handed out, checked, ended and shared between machines. */

import { expect, it, vi } from 'vitest'
import { post, send } from '../client.js'
import { initialize, legacy, modern, rpc, stateless } from '../clients.js'
import { expectError, expectResult, expectText } from '../expect.js'
import { type Host, serve } from '../host.js'

const [old, fresh] = ['an old secret of the contract', 'a new secret of the contract']
const end = (url: string, id: string | undefined) =>
  send(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': id } })
const whoami = async (client: { call: (name: string, args: object) => Promise<never> | unknown }) =>
  JSON.parse(expectText((await client.call('whoami', {})) as never))

export function sessions(host: Host): void {
  it('hands out an id of visible ASCII, at most 512 characters, whatever the client says of itself', async () => {
    const { url } = await serve(host, { login: () => ({ id: 'x'.repeat(5000) }) })
    const long = '\u{1f600}'.repeat(500)
    const { sessionId } = await legacy(url, {
      clientInfo: { name: long, version: long },
      capabilities: {
        elicitation: { form: {}, url: {} },
        sampling: { tools: {} },
        experimental: { a: long },
      },
    })
    expect(sessionId).toMatch(/^[\x21-\x7e]{1,512}$/)
  })

  it('hands out a different id each time, and none to a call', async () => {
    const { url } = await serve(host)
    const [first, second] = [await legacy(url), await legacy(url)]
    expect(first.sessionId).not.toBe(second.sessionId)
    expect((await first.request('ping')).headers['mcp-session-id']).toBeUndefined()
    expect((await modern(url).request('server/discover')).headers['mcp-session-id']).toBeUndefined()
  })

  it('remembers version, client and capabilities for handlers', async () => {
    const { url } = await serve(host)
    const client = await legacy(url, {
      version: '2025-06-18',
      capabilities: { roots: { listChanged: true }, elicitation: {} },
      clientInfo: { name: 'inspector', version: '9' },
    })
    expect(await whoami(client)).toMatchObject({
      sessionId: client.sessionId,
      protocolVersion: '2025-06-18',
      client: {
        name: 'inspector',
        version: '9',
        capabilities: { roots: { listChanged: true }, elicitation: {} },
      },
    })
  })

  it.each([
    ['nothing of itself', {}, undefined],
    ['no version of itself', { clientInfo: { name: 'old' } }, 'old'],
    ['what is no name', { clientInfo: { name: 5, version: {} } }, undefined],
  ])('hands a session to a client that says %s', async (_, said, name) => {
    const { url } = await serve(host)
    const opened = await post(url, rpc('initialize', { protocolVersion: '2025-11-25', ...said }))
    const headers = { 'Mcp-Session-Id': opened.headers['mcp-session-id'] as string }
    const answer = await post(url, rpc('tools/call', { name: 'whoami', arguments: {} }), headers)
    const { client } = JSON.parse(expectText(answer))
    expect({ name: client.name, capabilities: client.capabilities }).toEqual({ name, capabilities: {} })
  })

  it.each([
    ['no version', {}],
    ['a version that is none', { protocolVersion: 5 }],
    ['capabilities that are none', { protocolVersion: '2025-11-25', capabilities: 'all' }],
  ])('hands no session to a client that says %s', async (_, params) => {
    const { url, router } = await serve(host)
    const refused = await post(url, rpc('initialize', params))
    expectError(refused, 200, -32602, 1)
    expect(refused.headers['mcp-session-id']).toBeUndefined()
    expect(router.stats().sessions).toBe(0)
  })

  it('takes initialized and other notifications of a session with 202 and no body', async () => {
    const { url } = await serve(host)
    const client = await legacy(url)
    for (const method of [
      'notifications/initialized',
      'notifications/roots/list_changed',
      'notifications/whatever',
    ]) {
      expect(await client.notify(method)).toMatchObject({ status: 202, text: '' })
    }
  })

  it('refuses an answer to what it never asked', async () => {
    const { url } = await serve(host)
    const { sessionId } = await legacy(url)
    const body = { jsonrpc: '2.0', id: 1, result: {} }
    expectError(await post(url, body, { 'Mcp-Session-Id': sessionId }), 400, -32600)
  })

  it.each(['unknown', '!', 'x'.repeat(4000), 'AAAA'.repeat(60)])(
    'answers 404 to the session id %j, to whatever is sent with it',
    async (id) => {
      const { url } = await serve(host)
      const headers = { 'Mcp-Session-Id': id }
      expectError(await post(url, rpc('tools/list'), headers), 404, -32001, 1)
      expectError(
        await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers),
        404,
        -32001,
      )
      expectError(await post(url, { jsonrpc: '2.0', id: 1, result: {} }, headers), 404, -32001)
      expectError(await post(url, [rpc('ping')], headers), 404, -32001)
      expectError(await end(url, id), 404, -32001)
    },
  )

  it('answers 404 to an id that was tampered with', async () => {
    const { url } = await serve(host)
    const { sessionId = '' } = await legacy(url)
    for (const at of [0, 40, sessionId.length - 2]) {
      const other = sessionId[at] === 'A' ? 'B' : 'A'
      const id = sessionId.slice(0, at) + other + sessionId.slice(at + 1)
      expectError(await stateless(url, undefined, { 'Mcp-Session-Id': id }).request('ping'), 404, -32001, 1)
    }
    const two = (other: string) => post(url, rpc('ping'), { 'Mcp-Session-Id': `${sessionId}, ${other}` })
    expectError(await two('x'), 404, -32001, 1)
    // A proxy sent it twice.
    expect((await two(sessionId)).status).toBe(200)
    expectError(await post(url, rpc('ping'), { 'Mcp-Session-Id': '' }), 404, -32001, 1)
  })

  it('answers 404 once `sessionTtlMs` is over', async () => {
    const { url } = await serve(host, { server: { sessionTtlMs: 60_000 } })
    const client = await legacy(url)
    expectResult(await client.request('ping'))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 })
    try {
      expectError(await client.request('ping'), 404, -32001, 1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('ends a session with DELETE; then everything of it is answered 404, a new one is not', async () => {
    const { url } = await serve(host)
    const [client, other] = [await legacy(url), await legacy(url)]
    expect(await end(url, client.sessionId)).toMatchObject({ status: 204, text: '' })
    expectError(await client.request('ping'), 404, -32001, 1)
    expectError(await client.notify('notifications/initialized'), 404, -32001)
    expectError(await end(url, client.sessionId), 404, -32001)
    expectResult(await other.request('ping'))
    expectResult(await (await legacy(url)).request('ping'))
  })

  it('answers 400 to a DELETE without a session', async () => {
    const { url } = await serve(host)
    expectError(await end(url, undefined), 400, -32600)
  })

  it('ignores session ids of 2026-07-28 requests', async () => {
    const { url } = await serve(host)
    const answer = await modern(url, { headers: { 'Mcp-Session-Id': 'unknown' } }).call('whoami', {})
    expect(JSON.parse(expectText(answer))).not.toHaveProperty('sessionId')
  })

  it('opens sessions of another router that shares the secret, rotated ones too', async () => {
    const [before, both, after, stranger] = [
      await serve(host, { server: { secret: old } }),
      await serve(host, { server: { secret: [fresh, old] } }),
      await serve(host, { server: { secret: fresh } }),
      await serve(host),
    ]
    const through = (url: string, sessionId: string | undefined) =>
      stateless(url, undefined, { 'Mcp-Session-Id': sessionId }).request('ping')
    const { sessionId: ofOld } = await legacy(before.url)
    const { sessionId: ofBoth } = await legacy(both.url)
    expectResult(await through(both.url, ofOld))
    expectResult(await through(after.url, ofBoth))
    expectError(await through(after.url, ofOld), 404, -32001, 1)
    expectError(await through(before.url, ofBoth), 404, -32001, 1)
    expectError(await through(stranger.url, ofOld), 404, -32001, 1)
  })

  it('hands out none with `sessions: false`, and ignores a stale id', async () => {
    const { url } = await serve(host, { server: { sessions: false } })
    const opened = await post(url, initialize())
    expectResult(opened)
    expect(opened.headers['mcp-session-id']).toBeUndefined()
    const stale = stateless(url, '2025-06-18', { 'Mcp-Session-Id': 'stale' })
    expect(expectText(await stale.call('echo', { text: 'hi' }))).toBe('hi')
    expect((await stale.notify('notifications/initialized')).status).toBe(202)
    expectError(await end(url, 'stale'), 405, -32600)
  })

  it('keeps a log level per session', async () => {
    const { url } = await serve(host)
    const [loud, silent, plain] = [await legacy(url), await legacy(url), await legacy(url)]
    const levels = async (client: typeof loud) => {
      const stream = await client.open(
        'tools/call',
        { name: 'log', arguments: {} },
        { headers: { Accept: 'text/event-stream' } },
      )
      return (await stream.rest()).map(({ params }) => params?.level).filter(Boolean)
    }
    expectResult(await loud.request('logging/setLevel', { level: 'debug' }))
    expectResult(await silent.request('logging/setLevel', { level: 'emergency' }))
    expectError(await plain.request('logging/setLevel', { level: 'loudest' }), 200, -32602, 1)
    expect(await levels(loud)).toEqual(['debug', 'warning'])
    expect(await levels(silent)).toEqual([])
    expect(await levels(plain)).toEqual(['warning'])
  })

  it('serves requests without a session by their header, and answers what needs none', async () => {
    const { url } = await serve(host)
    expect((await whoami(stateless(url))).protocolVersion).toBe('2025-03-26')
    expect((await whoami(stateless(url, '2025-11-25'))).protocolVersion).toBe('2025-11-25')
    expectResult(await stateless(url).request('tools/list'))
    expect((await stateless(url).notify('notifications/initialized')).status).toBe(202)
  })
}
