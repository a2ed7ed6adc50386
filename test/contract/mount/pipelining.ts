/** Several requests sent over one connection without waiting: HTTP allows it, and answers them in turn. */

import { expect, it, vi } from 'vitest'
import { rpc } from '../clients.js'
import { socketTo } from '../exchange.js'
import { type Host, serve } from '../host.js'

function bytesOf(message: object): string {
  const body = JSON.stringify(message)
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${body.length}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

export function pipelined(host: Host): void {
  it.each([
    ['that answer JSON', []],
    ['that both stream', [1, 2]],
    ['of which the second streams', [2]],
  ])('aborts both calls of a connection that breaks, %s', async (_, streaming) => {
    const { url, router } = await serve(host, { server: { timeoutMs: 0 } })
    const signals: AbortSignal[] = []
    router.tool('hold', {
      description: 'x',
      async handler(_, ctx) {
        signals.push(ctx.signal)
        ctx.progress(1)
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      },
    })
    const socket = socketTo(url).on('error', () => {})
    for (const id of [1, 2]) {
      const meta = streaming.includes(id) ? { _meta: { progressToken: id } } : {}
      socket.write(bytesOf(rpc('tools/call', { name: 'hold', arguments: {}, ...meta }, id)))
    }
    await vi.waitFor(() => expect(signals).toHaveLength(2), { interval: 2 })
    expect(router.stats()).toMatchObject({ running: 2, streams: streaming.length })
    socket.destroy()
    await vi.waitFor(() => expect(router.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    await router.close({ drainMs: 60_000 })
  })

  it('answers them in turn, whichever is done first', async () => {
    const { url, router, running, release } = await serve(host)
    const done: true[] = []
    router.tool('fast', { description: 'x', handler: () => `done ${done.push(true)}` })
    const socket = socketTo(url)
    let text = ''
    socket.setEncoding('utf8').on('data', (data) => {
      text += data
    })
    socket.write(bytesOf(rpc('tools/call', { name: 'wait', arguments: {} }, 'first')))
    socket.write(bytesOf(rpc('tools/call', { name: 'fast', arguments: {} }, 'second')))
    await running.opened
    await vi.waitFor(() => expect(done).toEqual([true]), { interval: 2 })
    release.open()
    await vi.waitFor(() => expect(text).toMatch(/"id":"first".*released[\s\S]*"id":"second".*done 1/), {
      interval: 2,
    })
    socket.destroy()
    await router.close({ drainMs: 60_000 })
  })
}
