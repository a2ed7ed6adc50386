/** The body arrives, whatever the app did to it before. */

import { expect, it } from 'vitest'
import { post, send } from '../client.js'
import { legacy, modern, rpc } from '../clients.js'
import { expectError, expectErrorBody, expectText } from '../expect.js'
import { type Host, type Parser, serve } from '../host.js'

const kept: Parser[][] = [
  ['json'],
  ['raw'],
  ['text'],
  ['urlencoded'],
  ['json', 'json'],
  ['urlencoded', 'json', 'text', 'raw'],
  ['text', 'json'],
  ['pause'],
  ['json', 'pause'],
  ['pause', 'raw', 'pause'],
]

export function bodies(host: Host): void {
  const possible = kept.filter((parsers) => parsers.every((parser) => host.parsers.includes(parser)))

  it.each(possible.map((parsers) => [parsers.join(' + '), parsers] as const))(
    'serves both eras behind the parsers %s',
    async (_, parsers) => {
      const { url } = await serve(host, { parsers })
      const text = 'Grüße \u{1f600} \u2028'
      for (const client of [await legacy(url), modern(url)]) {
        expect(expectText(await client.call('echo', { text }))).toBe(text)
        expect((await client.notify('notifications/initialized')).status).toBe(202)
      }
    },
  )

  it.each(possible.map((parsers) => [parsers.join(' + '), parsers] as const))(
    'refuses what is no message behind the parsers %s',
    async (_, parsers) => {
      const { url } = await serve(host, { parsers })
      expectError(await post(url, '[]'), 400, -32600)
      expectError(await post(url, '{}'), 400, -32600)
      expectError(await post(url, rpc('ping'), { 'Content-Type': 'text/plain' }), 415, -32600)
      expectError(
        await post(url, rpc('ping'), { 'Content-Type': 'application/x-www-form-urlencoded' }),
        415,
        -32600,
      )
    },
  )

  it.each(possible.map((parsers) => [parsers.join(' + '), parsers] as const))(
    'refuses what is no JSON behind the parsers %s',
    async (_, parsers) => {
      const { url } = await serve(host, { parsers })
      expectError(await post(url, '{"jsonrpc":'), 400, -32700)
    },
  )

  it.each(possible.map((parsers) => [parsers.join(' + '), parsers] as const))(
    'refuses an empty body behind the parsers %s',
    async (_, parsers) => {
      const { url } = await serve(host, { parsers })
      for (const chunked of [false, true]) {
        const answer = await send(url, { body: '', chunked })
        expect(answer.status).toBe(400)
        expectErrorBody(answer)
        // A parser that made `{}` of it leaves no way to tell.
        expect([-32700, -32600]).toContain(answer.json.error.code)
        expect(answer.json.error.message).not.toMatch(/left/)
      }
      expect((await post(url, rpc('ping'))).status).toBe(200)
    },
  )

  it.runIf(host.parsers.includes('drained'))(
    'says so when earlier code read the body and kept nothing of it',
    async () => {
      const { url } = await serve(host, { parsers: ['drained'] })
      const answer = await post(url, rpc('ping'))
      expectError(answer, 400, -32700)
      expect(answer.json.error.message).toMatch(/read the body before/)
    },
  )

  it.runIf(host.parsers.includes('raw'))(
    'has its own limit for bodies that a parser kept as bytes or text',
    async () => {
      for (const parser of ['raw', 'text'] as const) {
        const { url } = await serve(host, { parsers: [parser], options: { maxBodyBytes: 500 } })
        expectError(
          await post(url, rpc('tools/call', { name: 'echo', arguments: { text: 'x'.repeat(600) } })),
          413,
          -32600,
        )
      }
    },
  )

  it.runIf(host.parsers.includes('json'))('has its depth limit for bodies that a parser read', async () => {
    const { url } = await serve(host, { parsers: ['json'] })
    expectError(
      await post(
        url,
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
      ),
      400,
      -32600,
    )
  })
}
