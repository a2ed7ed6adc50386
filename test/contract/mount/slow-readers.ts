/** A client that reads late, or never, costs bounded memory; what it gets in the end is whole and in order. */

import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { open, post } from '../client.js'
import { initialize, legacy, modern, rpc } from '../clients.js'
import { latch } from '../fixtures.js'
import { type Host, serve } from '../host.js'

const params = { name: 'flood', arguments: {}, _meta: { progressToken: 'p' } }
const offered = 1_000
const notice = 'x'.repeat(64 * 1024)
/** What the stream holds back, and generous room for what Node and the sockets of both sides hold. */
const mostHeld = 32 * 1024 * 1024

/** A tool that offers 64 MiB of notices without waiting for anybody, and then waits to be released. */
async function flooding(host: Host) {
  const served = await serve(host)
  const [flooded, go, ended] = [latch<number>(), latch(), latch()]
  served.router.tool('flood', {
    description: 'Says more than anybody reads.',
    async handler(_, ctx) {
      ctx.signal.addEventListener('abort', () => ended.open())
      let sent = 0
      for (let i = 1; i <= offered; i++) {
        if (ctx.progress(i, offered, notice)) sent += 1
        if (i % 10 === 0) await setImmediate()
      }
      flooded.open(sent)
      await go.opened
      return 'done'
    },
  })
  return { ...served, flooded, go, ended }
}

export function slowReaders(host: Host): void {
  it.each([legacy, modern])(
    'drops notices that a slow reader would pile up, and keeps the rest and the answer',
    async (make) => {
      const { url, flooded, go } = await flooding(host)
      const stream = await (await make(url)).open('tools/call', params)
      const sent = await flooded.opened
      expect(sent).toBeGreaterThan(0)
      expect(sent * notice.length).toBeLessThan(mostHeld)
      go.open()
      const messages = await stream.rest()
      const answer = messages.pop()
      expect(answer?.result.content).toEqual([{ type: 'text', text: 'done' }])
      expect(messages).toHaveLength(sent)
      const steps = messages.map(({ params }) => params.progress)
      expect(steps).toEqual([...steps].sort((a, b) => a - b))
    },
  )

  it.each(['2025-06-18', '2025-11-25'])(
    'lets go of a %s client that does not read what it is told',
    async (version) => {
      const { url, router } = await serve(host)
      const [client, other] = [await legacy(url, { version }), await legacy(url, { version })]
      const [stuck, reads] = [await client.listen(), await other.listen()]
      expect(router.stats().streams).toBe(2)
      let count = 0
      const heard = (async () => {
        while (count < offered) {
          const event = await reads.nextEvent()
          if (event === undefined) return
          if (event.data !== '') count += 1
        }
      })()
      for (let i = 0; i < offered; i++) {
        await router.notify.custom('notifications/test/flood', { notice })
        // No faster than the one that reads.
        while (i - count > 10) await setImmediate()
      }
      await vi.waitFor(() => expect(router.stats().streams).toBe(1), { interval: 2 })
      await heard
      expect(count).toBe(offered)
      stuck.leave()
    },
  )

  it('lets go of a 2024-11-05 client that does not read what it is told, and of its calls', async () => {
    const { url, origin, router, running, aborted } = await serve(host, { options: { legacySse: true } })
    const stuck = await open(`${url}/sse`, { method: 'GET' })
    const endpoint = origin + ((await stuck.nextEvent())?.data ?? '')
    const opened = initialize({ version: '2024-11-05' })
    expect((await post(endpoint, opened)).status).toBe(202)
    expect((await post(endpoint, rpc('tools/call', { name: 'wait', arguments: {} }, 2))).status).toBe(202)
    await running.opened
    for (let i = 0; i < offered && router.stats().streams > 0; i++) {
      await router.notify.custom('notifications/test/flood', { notice })
      await setImmediate()
    }
    expect(router.stats().streams).toBe(0)
    expect(await aborted.opened).toMatchObject({ name: 'AbortError' })
    expect((await post(endpoint, rpc('ping'))).status).toBe(404)
    stuck.leave()
  })

  it('keeps a 2024-11-05 client that reads, however much is ready at once', async () => {
    const { url, origin, router } = await serve(host, { options: { legacySse: true } })
    const [all, go] = [latch(), latch()]
    let waiting = 0
    router.tool('big', {
      description: 'Answers with the others',
      async handler() {
        waiting += 1
        if (waiting === 40) all.open()
        await go.opened
        return 'x'.repeat(200_000)
      },
    })
    const stream = await open(`${url}/sse`, { method: 'GET' })
    const endpoint = origin + ((await stream.nextEvent())?.data ?? '')
    await post(endpoint, initialize({ version: '2024-11-05' }))
    await stream.next()
    for (let id = 1; id <= 40; id++) {
      const call = rpc('tools/call', { name: 'big', arguments: {} }, id)
      expect((await post(endpoint, call)).status).toBe(202)
    }
    await all.opened
    go.open()
    await vi.waitFor(() => expect(router.stats().running).toBe(0), { interval: 2 })
    await router.notify.toolsChanged()
    const ids: number[] = []
    while (ids.length < 40) ids.push((await stream.next()).id)
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
    expect((await stream.next()).method).toBe('notifications/tools/list_changed')
    expect(router.stats().streams).toBe(1)
  })

  it('refuses the calls of a 2024-11-05 client that does not read its answers', async () => {
    const { url, origin, router } = await serve(host, { options: { legacySse: true } })
    router.tool('big', { description: 'Answers at length', handler: () => 'x'.repeat(100_000) })
    const stuck = await open(`${url}/sse`, { method: 'GET' })
    const endpoint = origin + ((await stuck.nextEvent())?.data ?? '')
    await post(endpoint, initialize({ version: '2024-11-05' }))
    let status = 202
    let sent = 0
    while (status === 202 && sent < offered) {
      sent += 1
      status = (await post(endpoint, rpc('tools/call', { name: 'big', arguments: {} }, sent))).status
    }
    expect(status).toBe(503)
    expect(sent).toBeLessThan(400)
    // What it was promised is still there.
    await stuck.next()
    for (let id = 1; id < sent; id++) expect((await stuck.next()).id).toBe(id)
    const call = rpc('tools/call', { name: 'big', arguments: {} }, sent)
    expect((await post(endpoint, call)).status).toBe(202)
    expect((await stuck.next()).id).toBe(sent)
  })

  it('keeps the stream of a session that reads, however many notices come at once', async () => {
    const { url, router } = await serve(host)
    const stream = await (await legacy(url, { version: '2025-06-18' })).listen()
    const names = Array.from({ length: 100 }, (_, index) => `notifications/test/${index}`)
    await Promise.all(names.map((name) => router.notify.custom(name, { notice })))
    await router.notify.custom('notifications/test/last')
    const seen: string[] = []
    while (seen.length <= names.length) {
      const event = await stream.nextEvent()
      if (event === undefined) break
      if (event.data !== '') seen.push(JSON.parse(event.data).method)
    }
    expect(seen).toEqual([...names, 'notifications/test/last'])
  })

  it('ends a subscription whose client does not read it, with a result', async () => {
    const { url, router } = await serve(host)
    router.resource('long://{text}', { handler: () => 'x' })
    const uri = `long://${'x'.repeat(8_000)}`
    const stream = await modern(url).open('subscriptions/listen', {
      notifications: { resourceSubscriptions: [uri] },
    })
    for (let i = 0; i < 8 * offered; i++) {
      await router.notify.resourceUpdated(uri)
      if (i % 100 === 0) await setImmediate()
    }
    expect(router.stats().streams).toBe(0)
    const messages = await stream.rest()
    expect(messages.length).toBeLessThan(8 * offered)
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  })

  it.each([legacy, modern])('lets go of a reader that never read and leaves', async (make) => {
    const { url, router, flooded, ended, go } = await flooding(host)
    const stream = await (await make(url)).open('tools/call', params)
    await flooded.opened
    stream.leave()
    // The answer to a legacy session is kept for a while.
    if (make === legacy) go.open()
    else await ended.opened
    const idle = { running: 0, streams: 0 }
    await vi.waitFor(() => expect(router.stats()).toMatchObject(idle), { interval: 2 })
  })
}
