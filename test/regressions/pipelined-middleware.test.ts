/** Pipelined requests that are still in the middleware of the app when their connection breaks, and many of them. */

import { connect } from 'node:net'
import type { NextFunction } from 'express'
import express5 from 'express'
import express4 from 'express4'
import { mcp } from 'mcp-router/express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { rpc } from '../contract/clients.js'
import { latch } from '../contract/fixtures.js'
import { listening } from '../integrations/express/host.js'
import { router } from '../integrations/placed.js'
import { settled } from '../support/time.js'

const bytes = (() => {
  const body = JSON.stringify(rpc('tools/call', { name: 'hold', arguments: {} }))
  const type = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  return `${['POST /mcp HTTP/1.1', 'Host: 127.0.0.1', ...type].join('\r\n')}\r\n\r\n${body}`
})()

function holding() {
  const made = router()
  const signals: AbortSignal[] = []
  made.tool('hold', {
    description: 'x',
    timeoutMs: 0,
    async handler(_, { signal }) {
      signals.push(signal)
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  })
  return { made, signals }
}

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('in %s', (_, express) => {
  it.each([false, true])(
    'a request that comes to us after that is ended (body parsed before: %s)',
    async (parsed) => {
      const { made, signals } = holding()
      const [held, broken] = [latch<NextFunction>(), latch()]
      const app = express()
      if (parsed) app.use(express.json())
      let arrived = 0
      app.use((req, _res, next) => {
        arrived += 1
        if (arrived < 2) return next()
        req.socket.once('close', broken.open)
        held.open(next)
      })
      const { origin } = await listening(app.use(mcp(made)))
      const socket = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => {})
      socket.write(bytes + bytes)
      const goOn = await held.opened
      await vi.waitFor(() => expect(signals).toHaveLength(1), { interval: 2 })
      socket.destroy()
      await broken.opened
      goOn()
      await settled()
      await vi.waitFor(() => expect(made.stats().running).toBe(0), { interval: 2 })
      expect(signals.every(({ aborted }) => aborted)).toBe(true)
      await made.close({ drainMs: 60_000 })
    },
  )

  it('20 requests over one connection cause no warning of a leak', async () => {
    const warnings: string[] = []
    const listener = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', listener)
    onTestFinished(() => void process.off('warning', listener))
    const { made, signals } = holding()
    const { origin } = await listening(express().use(mcp(made)))
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => {})
    socket.write(bytes.repeat(20))
    await vi.waitFor(() => expect(signals).toHaveLength(20), { interval: 2 })
    socket.destroy()
    await vi.waitFor(() => expect(made.stats().running).toBe(0), { interval: 2 })
    await settled()
    expect(warnings).toEqual([])
  })
})
