/** Five revisions at one endpoint, decided per request; fewer where the router is told so. */

import { expect, it } from 'vitest'
import { post, send } from '../client.js'
import { envelope, initialize, legacy, mirror, modern, rpc, stateless } from '../clients.js'
import { expectError, expectResult, expectText } from '../expect.js'
import { type Host, serve } from '../host.js'

const legacyVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

export function versions(host: Host): void {
  it.each(legacyVersions)('agrees on %s when it is asked for', async (version) => {
    const { url } = await serve(host)
    expect(expectResult(await post(url, initialize({ version })))).toMatchObject({
      protocolVersion: version,
      serverInfo: { name: 'contract', version: '1.2.3' },
    })
    expect(expectText(await (await legacy(url, { version })).call('echo', { text: 'hi' }))).toBe('hi')
  })

  it.each(['2024-10-07', '2026-07-28', '2099-01-01', 'nonsense', ''])(
    'offers its newest legacy version to a handshake that asks for %j',
    async (version) => {
      const { url } = await serve(host)
      expect(expectResult(await post(url, initialize({ version }))).protocolVersion).toBe('2025-11-25')
    },
  )

  it('takes a handshake that says next to nothing', async () => {
    const { url } = await serve(host)
    for (const params of [{}, undefined, { protocolVersion: 5, clientInfo: 'x', capabilities: [] }]) {
      const answer = await post(url, rpc('initialize', params))
      expect(answer.status).toBe(200)
      expect(answer.json.result?.protocolVersion ?? answer.json.error?.code).toBeDefined()
    }
  })

  it('serves the eras side by side, and marks results of 2026-07-28 only', async () => {
    const { url } = await serve(host)
    const [old, fresh] = [await legacy(url), modern(url)]
    const [before, after] = await Promise.all([
      old.call('echo', { text: 'a' }),
      fresh.call('echo', { text: 'b' }),
    ])
    expect(expectResult(before)).toEqual({ content: [{ type: 'text', text: 'a' }] })
    expect(expectResult(after)).toMatchObject({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'contract', version: '1.2.3' } },
    })
    expect(expectResult(await fresh.request('server/discover')).supportedVersions).toEqual(['2026-07-28'])
  })

  it.each(['2099-01-01', 'nonsense', '2024-10-07', ''])(
    'answers 400 to the legacy version header %j',
    async (version) => {
      const { url } = await serve(host)
      const { sessionId } = await legacy(url)
      const answer = await post(url, rpc('tools/list'), {
        'Mcp-Session-Id': sessionId,
        'MCP-Protocol-Version': version,
      })
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
      const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
      if (version < '2026')
        expect((await post(url, note, { 'MCP-Protocol-Version': version })).status).toBe(400)
    },
  )

  it.each(['2025-11-25, 2025-11-25', '2025-11-25,2025-11-25', '2025-11-25 ,\t2025-11-25, 2025-11-25'])(
    'counts the legacy version header %j once',
    async (version) => {
      const { url } = await serve(host)
      const { sessionId } = await legacy(url)
      const headers = { 'Mcp-Session-Id': sessionId, 'MCP-Protocol-Version': version }
      expectResult(await post(url, rpc('tools/list'), headers))
      expectResult(await post(url, rpc('tools/list'), { 'MCP-Protocol-Version': version }))
      const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
      expect((await post(url, note, headers)).status).toBe(202)
    },
  )

  it('counts a version header of 2026-07-28 that was sent twice once', async () => {
    const { url } = await serve(host)
    const version = '2026-07-28, 2026-07-28'
    const client = modern(url, { headers: { 'MCP-Protocol-Version': version } })
    expect(expectText(await client.call('echo', { text: 'hi' }))).toBe('hi')
  })

  it('counts a session header that was sent twice once', async () => {
    const { url } = await serve(host)
    const { sessionId } = await legacy(url)
    const headers = { 'Mcp-Session-Id': `${sessionId}, ${sessionId}` }
    expectResult(await post(url, rpc('ping'), headers))
    expect((await send(url, { method: 'DELETE', headers })).status).toBe(204)
    expectError(await post(url, rpc('ping'), headers), 404, -32001, 1)
  })

  it.each(['2025-11-25, 2025-06-18', '2025-11-25,', ', 2025-11-25', '2025-11-25, 2026-07-28'])(
    'answers 400 to the version header %j',
    async (version) => {
      const { url } = await serve(host)
      const { sessionId } = await legacy(url)
      for (const headers of [{}, { 'Mcp-Session-Id': sessionId }]) {
        const answer = await post(url, rpc('tools/list'), { ...headers, 'MCP-Protocol-Version': version })
        expectError(answer, 400, -32600, 1)
      }
    },
  )

  it.each([
    ['MCP-Protocol-Version', '2026-07-28, 2025-11-25'],
    ['MCP-Protocol-Version', '2025-11-25, 2026-07-28'],
    ['Mcp-Method', 'tools/call, tools/call'],
    ['Mcp-Name', 'echo, echo'],
  ])('answers 400 to %s: %s, which a gateway may read otherwise', async (header, value) => {
    const { url } = await serve(host)
    const client = modern(url, { headers: { [header]: value } })
    expectError(await client.call('echo', { text: 'hi' }), 400, -32020, 1)
  })

  it('trusts the session where a version header differs from it', async () => {
    const { url } = await serve(host)
    const client = await legacy(url, { version: '2025-06-18' })
    const answer = await client.call('whoami', {}, { headers: { 'MCP-Protocol-Version': '2025-11-25' } })
    expect(JSON.parse(expectText(answer)).protocolVersion).toBe('2025-06-18')
  })

  it('does not look at a version header of a handshake', async () => {
    const { url } = await serve(host)
    const answer = await post(url, initialize(), { 'MCP-Protocol-Version': '2025-06-18' })
    expect(expectResult(answer).protocolVersion).toBe('2025-11-25')
  })

  it('answers a plain 400, which is no JSON-RPC error, to 2026-07-28 where it speaks older revisions alone', async () => {
    const { url } = await serve(host, { server: { protocolVersions: legacyVersions } })
    for (const answer of [
      await modern(url).request('server/discover'),
      await modern(url).call('echo', { text: 'hi' }),
      await post(url, rpc('server/discover', {}), mirror('server/discover', {})),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.json?.jsonrpc).toBeUndefined()
      expect(answer.json?.error?.code).toBeUndefined()
      expect(answer.text).not.toMatch(/<html|\n\s+at /i)
    }
    expectText(await (await legacy(url)).call('echo', { text: 'hi' }))
  })

  it('answers -32022 with its versions to a bare handshake where it speaks 2026-07-28 alone', async () => {
    const { url } = await serve(host, { server: { protocolVersions: ['2026-07-28'] } })
    const answer = await post(url, initialize({ version: '2025-11-25' }))
    expectError(answer, 400, -32022, 1)
    expect(answer.json.error.data).toEqual({ supported: ['2026-07-28'], requested: '2025-11-25' })
    expectText(await modern(url).call('echo', { text: 'hi' }))
  })

  it('answers 400 to all other legacy traffic where it speaks 2026-07-28 alone', async () => {
    const { url } = await serve(host, { server: { protocolVersions: ['2026-07-28'] } })
    for (const answer of [
      await stateless(url).request('tools/list'),
      await stateless(url, '2025-11-25').request('tools/list'),
      await post(url, { jsonrpc: '2.0', id: 1, result: {} }),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.json.error.code).toEqual(expect.any(Number))
    }
    const headers = { 'Mcp-Session-Id': 'stale' }
    expect((await send(url, { method: 'DELETE', headers })).status).toBe(405)
    expect((await send(url, { method: 'GET', headers })).status).toBe(405)
  })

  it('answers 400 to headers of a legacy revision that it was told not to speak', async () => {
    const { url } = await serve(host, { server: { protocolVersions: ['2025-11-25'] } })
    expect((await stateless(url, '2025-06-18').request('tools/list')).status).toBe(400)
    expect(expectResult(await post(url, initialize({ version: '2025-06-18' }))).protocolVersion).toBe(
      '2025-11-25',
    )
  })

  it('refuses a legacy version in `_meta` of anything but a handshake', async () => {
    const { url } = await serve(host)
    const meta = { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }
    expectError(await post(url, rpc('tools/list', { _meta: meta })), 400, -32022, 1)
  })
}
