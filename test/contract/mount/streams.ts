/** JSON unless the handler streams; streamed pieces leave at once, behind whatever the app has in front. */

import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { type Client, legacy, modern, stateless } from '../clients.js'
import { expectText } from '../expect.js'
import { latch } from '../fixtures.js'
import { type Host, serve } from '../host.js'

const meta = { progressToken: 'p1' }
const params = { name: 'stream', arguments: {}, _meta: meta }
const makers: [string, (url: string) => Client | Promise<Client>][] = [
  ['legacy', legacy],
  ['sessionless', (url) => stateless(url, '2025-06-18')],
  ['modern', modern],
]

export function streams(host: Host): void {
  it.each(makers)('answers JSON to a %s call that asked for no progress', async (_, make) => {
    const { url, release } = await serve(host)
    release.open()
    const answer = await (await make(url)).call('stream', {})
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(expectText(answer)).toBe('released')
  })

  it.each(makers)(
    'streams progress to a %s call that asked for it, at once, and the answer last',
    async (_, make) => {
      const { url, release } = await serve(host)
      const stream = await (await make(url)).open('tools/call', params, { id: 'a' })
      expect(stream.status).toBe(200)
      expect(stream.headers).toMatchObject({
        'content-type': expect.stringMatching(/^text\/event-stream/),
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      })
      expect(await stream.next()).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p1', progress: 1, total: 2, message: 'half' },
      })
      release.open()
      const rest = await stream.rest()
      expect(rest).toMatchObject([
        { method: 'notifications/progress', params: { progress: 2 } },
        { id: 'a', result: { content: [{ text: 'released' }] } },
      ])
      expect(rest).toHaveLength(2)
    },
  )

  it.each([0, '', 'x'.repeat(100)])('takes the progress token %j', async (progressToken) => {
    const { url, release } = await serve(host)
    release.open()
    const stream = await modern(url).open('tools/call', { ...params, _meta: { progressToken } })
    expect((await stream.next()).params.progressToken).toBe(progressToken)
    await stream.rest()
  })

  it('answers JSON, without progress, to a client that reads no streams', async () => {
    const { url, release } = await serve(host)
    release.open()
    const answer = await modern(url).request('tools/call', params, {
      headers: { Accept: 'application/json' },
    })
    expect(expectText(answer)).toBe('released')
  })

  it('sends log notices to 2026-07-28 clients that asked for them alone, from their level on', async () => {
    const { url } = await serve(host)
    expect(expectText(await modern(url).call('log', {}))).toBe('logged')
    const listening = modern(url, { meta: { 'io.modelcontextprotocol/logLevel': 'info' } })
    const stream = await listening.open('tools/call', { name: 'log', arguments: {} })
    expect(await stream.rest()).toMatchObject([
      { method: 'notifications/message', params: { level: 'warning', data: 'loud' } },
      { id: 1, result: {} },
    ])
  })

  it('gives everything of a burst to a reader that is slow', async () => {
    const { url, router } = await serve(host)
    const text = 'x'.repeat(2000)
    router.tool('burst', {
      description: 'Reports a lot at once',
      handler: (_, ctx) =>
        Array.from({ length: 1000 }, (_each, index) => ctx.progress(index, 1000, text)).length,
    })
    const stream = await modern(url).open('tools/call', { ...params, name: 'burst' })
    const all = await stream.rest()
    expect(all).toHaveLength(1001)
    expect(all.at(-1).result.content[0].text).toBe('1000')
    expect(all.slice(0, 1000).map((message) => message.params.progress)).toEqual([...Array(1000).keys()])
  })

  const appearances = host.compresses ? [false, true] : [false]
  it.each(appearances)(
    'sends each piece before the next is made (behind compression: %s)',
    async (compress) => {
      const { url, router } = await serve(host, { compress })
      const steps = [latch(), latch(), latch()]
      router.tool('steps', {
        description: 'Reports each step that it is let do',
        async handler(_, ctx) {
          for (const [index, step] of steps.entries()) {
            await step.opened
            ctx.progress(index)
          }
          await latch().opened
        },
      })
      const stream = modern(url).open(
        'tools/call',
        { ...params, name: 'steps' },
        { headers: { 'Accept-Encoding': 'gzip' } },
      )
      for (const [index, step] of steps.entries()) {
        step.open()
        expect((await (await stream).next()).params.progress).toBe(index)
      }
      const { headers, leave } = await stream
      expect(headers['content-encoding']).toBeUndefined()
      leave()
    },
  )

  it.runIf(host.compresses)('leaves answers that do not stream to compression', async () => {
    const { url } = await serve(host, { compress: true })
    const text = 'x'.repeat(5_000)
    const headers = { 'Accept-Encoding': 'gzip' }
    for (const client of [await legacy(url), modern(url)]) {
      const answer = await client.call('echo', { text }, { headers })
      expect(answer.headers['content-encoding']).toBe('gzip')
      expect(answer.bytes.length).toBeLessThan(1_000)
      expect(JSON.parse(gunzipSync(answer.bytes).toString()).result.content[0].text).toBe(text)
    }
  })

  it('keeps the headers of earlier middleware on every kind of answer', async () => {
    const headers = {
      'X-Trace': 't1',
      'Content-Security-Policy': "default-src 'none'",
      Vary: 'Accept-Encoding',
    }
    const { url, release } = await serve(host, { headers, options: { cors: ['https://app.example'] } })
    release.open()
    const client = await legacy(url)
    const stream = await client.open('tools/call', params)
    await stream.rest()
    for (const answer of [
      stream,
      await client.call('echo', { text: 'hi' }),
      await client.notify('notifications/initialized'),
      await client.request('nope'),
      await modern(url).request('nope'),
      await client.call('echo', { text: 'hi' }, { headers: { Origin: 'https://app.example' } }),
    ]) {
      expect(answer.headers).toMatchObject({
        'x-trace': 't1',
        'content-security-policy': "default-src 'none'",
      })
      expect(answer.headers.vary).toContain('Accept-Encoding')
    }
  })

  it('counts streams only while they are open', async () => {
    const { url, release, router } = await serve(host)
    const stream = await modern(url).open('tools/call', params)
    await stream.next()
    expect(router.stats()).toMatchObject({ streams: 1, running: 1 })
    release.open()
    await stream.rest()
    expect(router.stats()).toMatchObject({ streams: 0, running: 0 })
  })
}
