/** A `user` that never comes back: whatever asked for it is answered after `timeoutMs`, and what is left is let go. */

import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { type Answer, abandon, post, send } from '../contract/client.js'
import { initialize, legacy, rpc } from '../contract/clients.js'
import { expectErrorBody } from '../contract/expect.js'
import { latch } from '../contract/fixtures.js'
import { serve } from '../contract/host.js'
import { expressHost } from '../integrations/express/host.js'

type Session = Record<string, string | undefined>
const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
const asking: [what: string, ask: (url: string, session: Session) => Promise<Answer>][] = [
  ['a call', (url, session) => post(url, rpc('tools/call', { name: 'whoami' }), session)],
  ['a ping', (url, session) => post(url, rpc('ping'), session)],
  ['initialize', (url) => post(url, initialize())],
  ['a notification', (url, session) => post(url, note, session)],
  ['a batch of notifications', (url, session) => post(url, [note, note], session)],
  ['a posted response', (url, session) => post(url, { jsonrpc: '2.0', id: 1, result: {} }, session)],
  ['DELETE', (url, session) => send(url, { method: 'DELETE', headers: session })],
]

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('in %s', (_, express) => {
  const endless = async (timeoutMs: number) => {
    const asked = latch()
    let slow = false
    const user = (): unknown => {
      if (!slow) return { id: 1 }
      asked.open()
      return new Promise<never>(() => {})
    }
    const { url, router } = await serve(expressHost(express), { options: { user }, server: { timeoutMs } })
    const { sessionId } = await legacy(url, { version: '2025-03-26' })
    slow = true
    return { url, router, asked, session: { 'Mcp-Session-Id': sessionId } }
  }

  it.each(asking)('%s is answered after `timeoutMs`', async (_, ask) => {
    const { url, router, session } = await endless(50)
    const answer = await ask(url, session)
    expectErrorBody(answer)
    expect(answer.json.error.code).toBe(-32603)
    expect(router.stats().running).toBe(0)
    await router.close({ drainMs: 60_000 })
  })

  it('an initialize that its client left does not hold up close()', async () => {
    const { url, router, asked } = await endless(0)
    const request = abandon(url, { body: initialize() })
    await asked.opened
    request.leave()
    await router.close({ drainMs: 60_000 })
    expect(router.stats().running).toBe(0)
  })
})
