/** Clients that cancel or disappear, and handlers that take too long. */

import { expect, it, vi } from 'vitest'
import { legacy, modern, stateless } from '../clients.js'
import { expectText, expectToolError } from '../expect.js'
import { type Host, type Served, serve } from '../host.js'

const wait = { name: 'wait', arguments: {} }
const stream = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
/** A second, on a machine that has nothing else to do. */
const soon = 5_000
const idle = ({ router }: Served) =>
  vi.waitFor(() => expect(router.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })

export function leaving(host: Host): void {
  it.each([modern, stateless, legacy])(
    'aborts the handler when its client drops the connection before the answer began',
    async (make) => {
      const served = await serve(host, { server: { timeoutMs: 0 } })
      const client = await make(served.url)
      const request = client.abandon('tools/call', wait)
      expect((await served.running.opened).aborted).toBe(false)
      request.leave()
      expect(await served.aborted.opened).toMatchObject({ name: 'AbortError' })
      await idle(served)
    },
    soon,
  )

  it.each([modern, stateless, (url: string) => legacy(url, { version: '2025-06-18' })])(
    'aborts the handler when its client drops the stream and cannot come back for the answer',
    async (make) => {
      const served = await serve(host, { server: { timeoutMs: 0 } })
      const client = await make(served.url)
      const open = await client.open('tools/call', stream)
      await open.next()
      open.leave()
      expect(await served.aborted.opened).toMatchObject({ name: 'AbortError' })
      await idle(served)
    },
    soon,
  )

  it('does not abort a handler whose client stays', async () => {
    const { url, running, release } = await serve(host)
    const answer = modern(url).call('wait', {})
    const signal = await running.opened
    release.open()
    expect(expectText(await answer)).toBe('released')
    expect(signal.aborted).toBe(false)
  })

  it('counts a client that left as cancelled, not as an error', async () => {
    const outcomes: string[] = []
    const errors: unknown[] = []
    const served = await serve(host, {
      server: { onActivity: ({ outcome }) => outcomes.push(outcome), onError: (error) => errors.push(error) },
    })
    const request = modern(served.url).abandon('tools/call', wait)
    await served.running.opened
    request.leave()
    await idle(served)
    expect({ outcomes, errors, counted: served.router.stats().errors }).toEqual({
      outcomes: ['cancelled'],
      errors: [],
      counted: 0,
    })
  })

  it.each([1, 0, '', 'a'])(
    'aborts the call %j of a session when it is cancelled, and its POST ends',
    async (id) => {
      const served = await serve(host)
      const client = await legacy(served.url)
      const answer = client.request('tools/call', wait, { id })
      await served.running.opened
      const cancelled = await client.notify('notifications/cancelled', {
        requestId: id,
        reason: 'changed my mind',
      })
      expect(cancelled).toMatchObject({ status: 202, text: '' })
      expect(await served.aborted.opened).toMatchObject({
        name: 'AbortError',
        message: expect.stringContaining('changed my mind'),
      })
      expect((await answer).text).not.toContain('"result"')
      await idle(served)
    },
  )

  it('ends the stream of a call that is cancelled, without an answer', async () => {
    const served = await serve(host)
    const client = await legacy(served.url)
    const open = await client.open('tools/call', stream, { id: 7 })
    await open.next()
    await client.notify('notifications/cancelled', { requestId: 7 })
    expect(await open.rest()).toEqual([])
    await idle(served)
  })

  it('lets nobody cancel the calls of another session, nor ids that only look alike', async () => {
    const { url, running, release } = await serve(host)
    const [client, other] = [await legacy(url), await legacy(url)]
    const answer = client.request('tools/call', wait, { id: 1 })
    const signal = await running.opened
    expect((await other.notify('notifications/cancelled', { requestId: 1 })).status).toBe(202)
    expect((await stateless(url).notify('notifications/cancelled', { requestId: 1 })).status).toBe(202)
    expect((await modern(url).notify('notifications/cancelled', { requestId: 1 })).status).toBe(202)
    for (const requestId of ['1', undefined, null, {}, 2]) {
      expect((await client.notify('notifications/cancelled', { requestId })).status).toBe(202)
    }
    expect(signal.aborted).toBe(false)
    release.open()
    expect(expectText(await answer)).toBe('released')
  })

  it.each([modern, stateless, legacy])(
    'answers a time-out as a failure that names the tool and the limit',
    async (make) => {
      const { url } = await serve(host)
      const text = expectToolError(await (await make(url)).call('never', {}))
      expect(text).toMatch(/never.*20 ms/)
    },
  )

  it('drops what a handler sends after its call has ended', async () => {
    const { url, router } = await serve(host)
    const late: boolean[] = []
    let ended: () => void = () => {}
    const over = new Promise<void>((resolve) => {
      ended = resolve
    })
    router.tool('late', {
      description: 'x',
      handler(_, ctx) {
        void over.then(() => late.push(ctx.progress(1), ctx.log.error('late')))
        return 'done'
      },
    })
    const client = await legacy(url)
    const params = { name: 'late', arguments: {}, _meta: { progressToken: 1 } }
    expect(expectText(await client.request('tools/call', params))).toBe('done')
    ended()
    await over
    expect(late).toEqual([false, false])
  })
}
