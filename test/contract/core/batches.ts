/** Arrays of messages: 2025-03-26 has them, every other revision refuses them. */

import { expect, it } from 'vitest'
import { type Json, open, post } from '../client.js'
import { envelope, initialize, legacy, modern, rpc } from '../clients.js'
import { expectError } from '../expect.js'
import { type Host, serve } from '../host.js'

const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
const echo = (id: unknown): Json => rpc('tools/call', { name: 'echo', arguments: { text: `t${id}` } }, id)
const byId = (answers: Json[]): Json[] => answers.toSorted((a, b) => String(a.id).localeCompare(String(b.id)))

export function batches(host: Host): void {
  it('answers each request of a mixed batch, and nothing else of it', async () => {
    const { url } = await serve(host)
    const { sessionId } = await legacy(url, { version: '2025-03-26' })
    for (const headers of [{}, { 'Mcp-Session-Id': sessionId }, { 'MCP-Protocol-Version': '2025-03-26' }]) {
      const batch = [echo(1), note, echo('two'), rpc('nope', {}, 3), { jsonrpc: '2.0', id: 4, method: 5 }]
      const answer = await post(url, batch, headers)
      expect(answer.status).toBe(200)
      expect(byId(answer.json)).toMatchObject([
        { id: 1, result: { content: [{ text: 't1' }] } },
        { id: 3, error: { code: -32601 } },
        { id: 4, error: { code: -32600 } },
        { id: 'two', result: { content: [{ text: 'ttwo' }] } },
      ])
      expect(answer.json).toHaveLength(4)
    }
  })

  it('answers a batch of one with an array', async () => {
    const { url } = await serve(host)
    expect((await post(url, [echo(1)])).json).toMatchObject([{ id: 1 }])
  })

  it.each([[[note, note]], [[{ jsonrpc: '2.0', id: 1, result: {} }]]])('takes %j with 202', async (batch) => {
    const { url } = await serve(host)
    expect(await post(url, batch)).toMatchObject({ status: 202, text: '' })
  })

  it('refuses a method that is an object, whatever it would be as text', async () => {
    const { url } = await serve(host)
    const hostile = { jsonrpc: '2.0', id: 1, method: { toString: 1, valueOf: 1 } }
    const answer = await post(url, [hostile, echo(2)])
    expect(answer.status).toBe(200)
    expect(byId(answer.json)).toMatchObject([
      {
        id: 1,
        error: { code: -32600, message: expect.stringContaining('expected a method name, got an object') },
      },
      { id: 2, result: {} },
    ])
  })

  it('refuses an empty batch and one of over 100 messages', async () => {
    const { url } = await serve(host)
    expectError(await post(url, []), 400, -32600)
    const hundred = Array.from({ length: 100 }, (_, index) => echo(index))
    expect((await post(url, hundred)).json).toHaveLength(100)
    expectError(await post(url, [...hundred, echo(100)]), 400, -32600)
  })

  it('refuses `initialize` in a batch, serves the rest, and opens no session', async () => {
    const { url, router } = await serve(host)
    const answer = await post(url, [{ ...initialize(), id: 1 }, echo(2)])
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    expect(router.stats().sessions).toBe(0)
    const answers = Array.isArray(answer.json) ? answer.json : [answer.json]
    expect(answers[0].error.code).toBe(-32600)
  })

  it('refuses a batch with a 2026-07-28 message in it, request or notification', async () => {
    const { url } = await serve(host)
    const params = { _meta: envelope }
    expectError(await post(url, [echo(1), rpc('tools/list', params)]), 400, -32600)
    expectError(await post(url, [echo(1), { ...note, params }]), 400, -32600)
    const headers = { 'MCP-Protocol-Version': '2026-07-28' }
    expectError(await post(url, [echo(1)], headers), 400, -32600)
  })

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])(
    'refuses batches on %s, whose sessions are served on',
    async (version) => {
      const { url } = await serve(host)
      const client = await legacy(url, { version })
      expectError(await post(url, [echo(1)], { 'Mcp-Session-Id': client.sessionId }), 400, -32600)
      expectError(await post(url, [echo(1)], { 'MCP-Protocol-Version': version }), 400, -32600)
      expect((await client.request('ping')).status).toBe(200)
    },
  )

  it('refuses batches where 2025-03-26 is not spoken', async () => {
    const { url } = await serve(host, { server: { protocolVersions: ['2025-11-25', '2026-07-28'] } })
    expectError(await post(url, [echo(1)]), 400, -32600)
    const only = await serve(host, { server: { protocolVersions: ['2026-07-28'] } })
    expectError(await post(only.url, [echo(1)]), 400, -32600)
    expect((await modern(only.url).request('tools/list')).status).toBe(200)
  })

  it('streams a batch whose handlers stream, each answer with its own id', async () => {
    const { url, release } = await serve(host)
    release.open()
    const streaming = rpc('tools/call', { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }, 's')
    const stream = await open(url, { body: [streaming, echo(1)] })
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
    const all = (await stream.rest()).flat()
    expect(byId(all.filter(({ id }) => id !== undefined))).toMatchObject([{ id: 1 }, { id: 's' }])
  })

  it('keeps the refusal of one message from changing the status of the others', async () => {
    const { url } = await serve(host)
    const answer = await post(url, [rpc('tools/call', { name: 'private', arguments: {} }, 1), echo(2)])
    expect(answer.status).toBe(200)
    expect(byId(answer.json)).toMatchObject([{ error: { code: -31001 } }, { result: {} }])
  })
}
