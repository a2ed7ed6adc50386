/** Clients that disconnect before the mount could listen for it. */

import type { Request } from 'express'
import { mcp } from 'mcp-router/express'
import { expect, it, vi } from 'vitest'
import { type Client, legacy, modern, stateless } from '../../contract/clients.js'
import { latch } from '../../contract/fixtures.js'
import { router } from '../placed.js'
import { type ExpressModule, listening } from './host.js'

const makers: [string, (url: string) => Client | Promise<Client>][] = [
  ['legacy', legacy],
  ['sessionless', stateless],
  ['modern', modern],
]

export function goneEarly(express: ExpressModule): void {
  const waiting = () => {
    const made = router()
    const ran: AbortSignal[] = []
    made.tool('wait', {
      description: 'Ends when nobody waits any more',
      async handler(_, { signal }) {
        ran.push(signal)
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    })
    return { made, ran }
  }

  it.each(makers)('ends a %s call whose client disconnected during `user`', async (_, make) => {
    const { made, ran } = waiting()
    const [asked, left] = [latch(), latch()]
    let slow = false
    const user = async ({ res }: Request) => {
      if (!slow) return undefined
      asked.open()
      await new Promise<void>((resolve) => res?.once('close', resolve))
      left.open()
      return undefined
    }
    const { origin } = await listening(express().use(mcp(made, { user })))
    const client = await make(`${origin}/mcp`)
    slow = true
    const request = client.abandon('tools/call', { name: 'wait', arguments: {} })
    await asked.opened
    request.leave()
    await left.opened
    await new Promise(setImmediate)
    await vi.waitFor(() => expect(made.stats().running).toBe(0), { interval: 2 })
    expect(ran.every(({ aborted }) => aborted)).toBe(true)
  })

  it.each(makers)('ends a %s call whose client disconnected during earlier middleware', async (_, make) => {
    const { made, ran } = waiting()
    const [asked, passed] = [latch(), latch()]
    let slow = false
    const app = express().use(express.json(), (_req, res, next) => {
      if (!slow) return next()
      asked.open()
      res.once('close', () => {
        next()
        setImmediate(() => passed.open())
      })
    })
    const { origin } = await listening(app.use(mcp(made)))
    const client = await make(`${origin}/mcp`)
    slow = true
    const request = client.abandon('tools/call', { name: 'wait', arguments: {} })
    await asked.opened
    request.leave()
    await passed.opened
    await vi.waitFor(() => expect(made.stats().running).toBe(0), { interval: 2 })
    expect(ran.every(({ aborted }) => aborted)).toBe(true)
  })
}
