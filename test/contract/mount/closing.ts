/** The server leaves: new calls are refused, running ones may end. Health and counters tell. */

import { expect, it, onTestFinished, vi } from 'vitest'
import { open, post, send } from '../client.js'
import { initialize, legacy, modern, rpc, stateless } from '../clients.js'
import { Connections } from '../exchange.js'
import { expectError, expectErrorBody, expectText } from '../expect.js'
import { type Host, serve } from '../host.js'

export function closing(host: Host): void {
  it('refuses new calls with 503 and Retry-After, and lets running ones end', async () => {
    const { url, router, release } = await serve(host)
    const client = await legacy(url)
    const [answer, other] = [client.call('wait', {}), modern(url).call('wait', {})]
    await vi.waitFor(() => expect(router.stats().running).toBe(2), { interval: 2 })
    const closed = router.close({ drainMs: 10_000 })
    for (const refused of [
      await modern(url).call('echo', { text: 'hi' }),
      await stateless(url).call('echo', { text: 'hi' }),
      await client.call('echo', { text: 'hi' }),
      await post(url, initialize()),
    ]) {
      expect(refused.status).toBe(503)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
      expectErrorBody(refused)
    }
    release.open()
    expect(expectText(await answer)).toBe('released')
    expect(expectText(await other)).toBe('released')
    await closed
    expect(router.stats().running).toBe(0)
  })

  it('aborts what still runs after `drainMs`, with an answer', async () => {
    const { url, router, running, aborted } = await serve(host)
    const params = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
    const stream = await modern(url).open('tools/call', params)
    await running.opened
    await router.close({ drainMs: 0 })
    expect(await aborted.opened).toMatchObject({ name: 'AbortError' })
    await stream.next()
    const rest = await stream.rest()
    expect(rest).toHaveLength(1)
    expect(rest[0].error ?? rest[0].result.isError).toBeTruthy()
  })

  it('lets the app end behind it: calls and streams on connections that are kept get their answers', async (test) => {
    const { url, router, release, stop } = await serve(host)
    test.skip(stop === undefined, 'an app that is ended in no other way')
    const kept = Array.from({ length: 3 }, () => new Connections())
    onTestFinished(() => {
      for (const connections of kept) connections.close()
    })
    const [calling, streaming, idle] = kept
    const call = (name: string, connections: Connections | undefined, meta?: object) => ({
      body: rpc('tools/call', { name, ...meta }),
      ...(connections && { connections }),
    })
    expectText(await send(url, call('whoami', idle)))
    const answer = send(url, call('wait', calling))
    const stream = await open(url, call('stream', streaming, { _meta: { progressToken: 1 } }))
    await vi.waitFor(() => expect(router.stats().running).toBe(2), { interval: 2 })
    const messages = stream.rest()
    const closed = router.close({ drainMs: 60_000 })
    release.open()
    await closed
    const stopped = stop?.()
    expect(expectText(await answer)).toBe('released')
    expect((await messages).at(-1).result.content[0].text).toBe('released')
    await stopped
  })

  it('lets a running call be cancelled while it closes', async () => {
    const { url, router, running } = await serve(host)
    const client = await legacy(url)
    const answer = client
      .request('tools/call', { name: 'wait', arguments: {} }, { id: 3 })
      .catch(() => undefined)
    await running.opened
    const closed = router.close({ drainMs: 10_000 })
    expect((await client.notify('notifications/cancelled', { requestId: 3 })).status).toBe(202)
    expect((await answer)?.text).not.toContain('result')
    await closed
  })

  it('leaves the app itself running', async () => {
    const { origin, router } = await serve(host)
    await router.close({ drainMs: 0 })
    expect((await send(`${origin}/own`, { method: 'GET' })).json).toEqual({ own: true })
  })

  it('tells its health where that was asked for', async () => {
    const { url, router } = await serve(host, { options: { health: true } })
    const healthy = await send(`${url}/health`, { method: 'GET' })
    expect(healthy.status).toBe(200)
    expect(healthy.json).toMatchObject({
      status: 'ok',
      server: 'contract',
      version: '1.2.3',
      running: 0,
      calls: 0,
    })
    expect((await send(`${url}/health`, { method: 'HEAD' })).status).toBe(200)
    const wrong = await send(`${url}/health`)
    expectError(wrong, 405, -32600)
    expect(wrong.headers.allow).toContain('GET')
    await router.close()
    const ill = await send(`${url}/health`, { method: 'GET' })
    expect(ill.status).toBe(503)
    expect(ill.json.status).not.toBe('ok')
  })

  it('counts calls, sessions and errors', async () => {
    const { url, router } = await serve(host)
    expect(router.stats()).toEqual({ calls: 0, running: 0, streams: 0, sessions: 0, errors: 0 })
    const client = await legacy(url)
    await client.call('echo', { text: 'hi' })
    await modern(url).call('throws', {})
    expect(router.stats()).toEqual({ calls: 3, running: 0, streams: 0, sessions: 1, errors: 1 })
  })
}
