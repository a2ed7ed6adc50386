/** Bodies that are too large, too deep or too full. */

import { expect, it, vi } from 'vitest'
import { abandon, post, raw, type Sent, send } from '../client.js'
import { rpc, stateless } from '../clients.js'
import { Connections } from '../exchange.js'
import { expectError, expectResult, expectText } from '../expect.js'
import { latch } from '../fixtures.js'
import { type Host, serve } from '../host.js'

const sixMiB = 6 * 1024 * 1024
const echo = (text: string) => rpc('tools/call', { name: 'echo', arguments: { text } })

export function limits(host: Host): void {
  it.each([false, true])('answers 413 to 6 MiB, and the client reads it (chunked: %s)', async (chunked) => {
    const { url } = await serve(host)
    expectError(await send(url, { body: echo('x'.repeat(sixMiB)), chunked }), 413, -32600)
  })

  it('keeps the connection alive that sent too much, and those of others', async () => {
    const { url } = await serve(host)
    const [own, other] = [new Connections(), new Connections()]
    try {
      expectText(await send(url, { body: echo('before'), connections: other }))
      const [refused] = await Promise.all([
        send(url, { body: echo('x'.repeat(sixMiB)), connections: own }),
        send(url, { body: echo('meanwhile'), connections: other }),
      ])
      expectError(refused, 413, -32600)
      expect(expectText(await send(url, { body: echo('after'), connections: own }))).toBe('after')
      expect(expectText(await send(url, { body: echo('after'), connections: other }))).toBe('after')
    } finally {
      own.close()
      other.close()
    }
  })

  it.each<[string, Sent, number]>([
    ['of a foreign origin', { headers: { Origin: 'https://evil.example' } }, 403],
    ['of another type', { headers: { 'Content-Type': 'text/plain' } }, 415],
    ['whose answer nobody could read', { headers: { Accept: 'text/html' } }, 406],
    ['of another method', { method: 'PUT' }, 405],
  ])('answers 6 MiB %s at once, and the connection can be used again', async (_, sent, status) => {
    const { url } = await serve(host)
    const connections = new Connections()
    try {
      expectError(await send(url, { ...sent, body: 'x'.repeat(sixMiB), connections }), status, -32600)
      expect(expectText(await send(url, { body: echo('after'), connections }))).toBe('after')
    } finally {
      connections.close()
    }
  })

  it('takes a body just below `maxBodyBytes` and refuses one just above', async () => {
    const { url } = await serve(host, { options: { maxBodyBytes: 1000 } })
    const room = 1000 - JSON.stringify(echo('')).length
    expectText(await post(url, echo('x'.repeat(room))))
    const refused = await post(url, echo('x'.repeat(room + 1)))
    expectError(refused, 413, -32600)
    expect(refused.json.error.message).toContain('maxBodyBytes')
  })

  it('counts bytes, not characters', async () => {
    const { url } = await serve(host, { options: { maxBodyBytes: 1000 } })
    expectError(await post(url, echo('ä'.repeat(700))), 413, -32600)
  })

  it('takes 3 MiB without being asked', async () => {
    const { url } = await serve(host)
    const text = 'x'.repeat(3 * 1024 * 1024)
    expect(expectText(await post(url, echo(text)))).toBe(text)
  })

  it('reads characters that are cut between two packets', async () => {
    const { url } = await serve(host)
    const text = '\u{1f600}ä'.repeat(50_000)
    expect(expectText(await send(url, { body: echo(text), chunked: true }))).toBe(text)
  })

  it('answers 400 to 20,000 nested arrays, and says which limit it was', async () => {
    const { url } = await serve(host)
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const answer = await post(
      url,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":{"a":${deep}}}}`,
    )
    expectError(answer, 400, -32600)
    expect(answer.json.error.message).toContain('maxDepth')
    expectError(await post(url, deep), 400, -32600)
  })

  it('answers 400 to more elements than `maxElements`', async () => {
    const { url } = await serve(host)
    for (const big of [
      Array.from({ length: 100_001 }, () => 0),
      Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [`k${index}`, 0])),
      Array.from({ length: 400 }, () => Array.from({ length: 300 }, () => 0)),
    ]) {
      const answer = await stateless(url).call('weather', { big })
      expectError(answer, 400, -32600)
      expect(answer.json.error.message).toContain('maxElements')
    }
  })

  it('has its depth and element limits set by the mount', async () => {
    const { url } = await serve(host, { options: { maxDepth: 4, maxElements: 10 } })
    expectText(await post(url, echo('hi')))
    expectError(await stateless(url).call('weather', { a: [[1]] }), 400, -32600)
    expectError(await stateless(url).call('weather', { a: [1, 2, 3, 4, 5, 6, 7, 8, 9] }), 400, -32600)
  })

  it('answers a small call at once whose check could take exponential time', async () => {
    const { url, router } = await serve(host)
    const node = (kind: string) => ({
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } }, kind: { const: kind } },
      required: ['kind'],
    })
    const input = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      $defs: { node: { anyOf: [node('div'), node('span')] } },
    } as const
    router.tool('render', { description: 'Renders a page', input, handler: () => 'rendered' })
    const nested = (leaf: object) =>
      Array.from({ length: 25 }).reduce((child) => ({ children: [child], kind: 'span' }), leaf)
    expect(expectText(await stateless(url).call('render', { root: nested({ kind: 'div' }) }))).toBe(
      'rendered',
    )
    const refused = expectResult(await stateless(url).call('render', { root: nested({ kind: 'oops' }) }))
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('"oops"') }] })
  })

  it('survives a client that leaves in the middle of its body', async () => {
    const { url, router } = await serve(host)
    const half = abandon(url, { headers: { 'Content-Length': '1000' }, method: 'POST' })
    half.leave()
    const { host: name } = new URL(url)
    const broken = raw(
      url,
      `POST /mcp HTTP/1.1\r\nHost: ${name}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    )
    expect(await broken).toMatch(/^HTTP\/1\.1 400/)
    expectText(await post(url, echo('still there')))
    expect(router.stats().running).toBe(0)
  })

  it('runs nothing for a client that left in the middle of its body while its token was judged', async () => {
    const [asked, go] = [latch(), latch()]
    const verify = async () => {
      asked.open()
      await go.opened
      return { subject: 'ana', scopes: [], claims: {} }
    }
    const auth = { authorizationServers: ['https://login.example'], verify }
    const { url, origin, router } = await serve(host, { options: { auth } })
    const headers = {
      Authorization: 'Bearer a',
      'Content-Length': '1000',
      'Content-Type': 'application/json',
    }
    const half = abandon(url, { headers })
    await asked.opened
    half.leave()
    // By now the server may know, or it hears of it later.
    await send(`${origin}/own`, { method: 'GET' })
    go.open()
    await vi.waitFor(() => expect(router.stats().running).toBe(0), { interval: 2 })
    await router.close({ drainMs: 60_000 })
    expect(router.stats()).toMatchObject({ calls: 0, errors: 0 })
  })

  it('answers a client that waits for 100 Continue', async () => {
    const { url } = await serve(host)
    expectText(await send(url, { body: echo('hi'), headers: { Expect: '100-continue' } }))
  })
}
