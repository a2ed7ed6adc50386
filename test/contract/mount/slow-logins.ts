/** Calls whose `user` is still at work: they can time out, be left, be cancelled and be waited for, as others can. */

import { expect, it, vi } from 'vitest'
import { settled } from '../../support/time.js'
import { send } from '../client.js'
import { legacy, modern, rpc, stateless } from '../clients.js'
import { socketTo } from '../exchange.js'
import { expectError, expectErrorBody, expectText } from '../expect.js'
import { latch } from '../fixtures.js'
import { type Host, serve } from '../host.js'

const eras = [
  ['legacy', legacy],
  ['sessionless', stateless],
  ['modern', modern],
] as const
const act = { name: 'act', arguments: {} }

/** A host whose login is slow from `slow()` on, and a tool that says when it ran. */
async function slowLogin(host: Host, server: { timeoutMs?: number } = {}) {
  const [asked, found] = [latch(), latch<{ id: number }>()]
  let slow = false
  const user = (): unknown => {
    if (!slow) return { id: 1 }
    asked.open()
    return found.opened
  }
  const { url, router } = await serve(host, { options: { user }, server })
  const ran: string[] = []
  router.tool('act', { description: 'x', requireUser: true, handler: () => `ran ${ran.push('handler')}` })
  const setSlow = (value: boolean): void => {
    slow = value
  }
  return { url, router, asked, found, ran, setSlow }
}

export function slowLogins(host: Host): void {
  it.each(eras)('answers a %s call after `timeoutMs` when `user` never comes back', async (_, make) => {
    const { url, router, ran, setSlow } = await slowLogin(host, { timeoutMs: 50 })
    const client = await make(url)
    setSlow(true)
    const answer = await client.request('tools/call', act)
    expectError(answer, 200, -32603, 1)
    expect(answer.json.error.message).toContain('50 ms')
    expect({ ran, running: router.stats().running }).toEqual({ ran: [], running: 0 })
  })

  it.each(eras)('frees a %s call whose client left while `user` never comes back', async (_, make) => {
    const { url, router, asked, ran, setSlow } = await slowLogin(host, { timeoutMs: 0 })
    const client = await make(url)
    setSlow(true)
    const request = client.abandon('tools/call', act)
    await asked.opened
    expect(router.stats().running).toBe(1)
    request.leave()
    await vi.waitFor(() => expect(router.stats().running).toBe(0), { interval: 2 })
    await router.close({ drainMs: 60_000 })
    expect(ran).toEqual([])
  })

  it('cancels a call whose `user` is still at work; its handler never runs', async () => {
    const { url, asked, found, ran, setSlow } = await slowLogin(host)
    const client = await legacy(url)
    setSlow(true)
    const answer = client.request('tools/call', act, { id: 7 })
    await asked.opened
    setSlow(false)
    expect((await client.notify('notifications/cancelled', { requestId: 7 })).status).toBe(202)
    expect(await answer).toMatchObject({ status: 202, text: '' })
    found.open({ id: 1 })
    await settled()
    expect(ran).toEqual([])
  })

  it('waits in close() for a DELETE whose `user` is still at work', async () => {
    const { url, router, asked, found, setSlow } = await slowLogin(host)
    const { sessionId } = await legacy(url)
    setSlow(true)
    const order: unknown[] = []
    const ended = send(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': sessionId } })
    await asked.opened
    const closed = router.close({ drainMs: 60_000 }).then(() => order.push('closed'))
    await settled()
    order.push('found')
    found.open({ id: 1 })
    expect((await ended).status).toBe(204)
    await closed
    expect(order).toEqual(['found', 'closed'])
  })

  it.each(eras)('waits in close() for a %s call whose `user` is still at work', async (_, make) => {
    const { url, router, asked, found, ran, setSlow } = await slowLogin(host)
    const client = await make(url)
    setSlow(true)
    const answer = client.request('tools/call', act)
    await asked.opened
    const closed = router.close({ drainMs: 60_000 }).then(() => ran.push('closed'))
    await settled()
    expect(ran).toEqual([])
    found.open({ id: 1 })
    expect(expectText(await answer)).toBe('ran 1')
    await closed
    expect(ran).toEqual(['handler', 'closed'])
  })

  it.each(eras)(
    'refuses a %s call whose `user` is still at work when the drain time is over',
    async (_, make) => {
      const { url, router, asked, found, ran, setSlow } = await slowLogin(host)
      const client = await make(url)
      setSlow(true)
      const answer = client.request('tools/call', act)
      await asked.opened
      const closed = router.close({ drainMs: 0 })
      const refused = await answer
      expectErrorBody(refused)
      expect(refused.json.error.message).toMatch(/closing/)
      found.open({ id: 1 })
      await closed
      await settled()
      expect({ ran, running: router.stats().running }).toEqual({ ran: [], running: 0 })
    },
  )

  it('refuses a call whose body comes after the drain time is over', async () => {
    const arrived = latch()
    const login = ({ 'x-late': late }: Record<string, unknown>): void => {
      if (late !== undefined) arrived.open()
    }
    const { url, router, running } = await serve(host, { login })
    const ran: true[] = []
    router.tool('act', { description: 'x', handler: () => void ran.push(true) })
    const held = modern(url).call('wait', {})
    await running.opened
    const body = JSON.stringify(rpc('tools/call', act))
    const socket = socketTo(url)
    const head = ['POST /mcp HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close', 'X-Late: 1']
    const type = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    socket.write(`${[...head, ...type].join('\r\n')}\r\n\r\n${body.slice(0, 10)}`)
    await arrived.opened
    const closed = router.close({ drainMs: 0 })
    expect((await held).text).toMatch(/closing/)
    socket.write(body.slice(10))
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    const answer = Buffer.concat(chunks).toString()
    expect(answer).toMatch(/^HTTP\/1\.1 503/)
    expect(answer).toContain('"jsonrpc":"2.0"')
    await closed
    expect(ran).toEqual([])
  })
}
