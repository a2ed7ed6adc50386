/**
 * Code of the host that responds itself to a request for the endpoint: before the call, during it, or in its handler.
 */

import type { ServerResponse } from 'node:http'
import { mcp } from 'mcp-router/express'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Answer, open, post, send } from '../../contract/client.js'
import { envelope, mirror, rpc } from '../../contract/clients.js'
import { expectResult } from '../../contract/expect.js'
import { latch } from '../../contract/fixtures.js'
import { settled, unhandledRejections } from '../../support/time.js'
import { router } from '../placed.js'
import { type ExpressModule, listening } from './host.js'

const meta = { ...envelope, progressToken: 1 }
const asking = (name: string) => ({
  body: rpc('tools/call', { name, arguments: {}, _meta: meta }),
  headers: mirror('tools/call', { name }),
})

/** Errors that would have ended the process. */
function crashes(): unknown[] {
  const found = unhandledRejections()
  const listener = (error: unknown): void => void found.push(error)
  process.on('uncaughtException', listener)
  onTestFinished(() => void process.off('uncaughtException', listener))
  return found
}

/** A router whose tool `hold` ends with its signal, and sends progress first if it should stream. */
function holding(streams: boolean) {
  const made = router()
  const [running, aborted] = [latch<AbortSignal>(), latch()]
  made.tool('hold', {
    description: 'x',
    timeoutMs: 0,
    async handler(_, ctx) {
      if (streams) ctx.progress(1)
      running.open(ctx.signal)
      if (!ctx.signal.aborted) await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      ctx.progress(2)
      aborted.open()
    },
  })
  const idle = async (): Promise<void> => {
    await vi.waitFor(() => expect(made.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })
    await made.close({ drainMs: 60_000 })
  }
  return { made, running, aborted, idle }
}

export function answeredFirst(express: ExpressModule): void {
  it.each([false, true])('ends a call that was answered before it started (streams: %s)', async (streams) => {
    const { made, idle } = holding(streams)
    const found = crashes()
    const app = express().use((_req, res, next) => {
      res.status(503).end('too late')
      next()
    })
    const { origin, errors } = await listening(app.use(mcp(made)))
    expect(await send(`${origin}/mcp`, asking('hold'))).toMatchObject({ status: 503, text: 'too late' })
    await idle()
    await settled()
    expect({ found, errors }).toEqual({ found: [], errors: [] })
  })

  it("ends a running call that the host's timeout answered", async () => {
    const { made, running, aborted, idle } = holding(false)
    const found = crashes()
    const app = express().use((_req, res, next) => {
      void running.opened.then(() => res.status(503).end('too late'))
      next()
    })
    const { origin, errors } = await listening(app.use(mcp(made)))
    expect(await send(`${origin}/mcp`, asking('hold'))).toMatchObject({ status: 503, text: 'too late' })
    await aborted.opened
    await idle()
    await settled()
    expect({ found, errors }).toEqual({ found: [], errors: [] })
  })

  it("ends a call whose stream the host's timeout ended", async () => {
    const { made, running, aborted, idle } = holding(true)
    const found = crashes()
    const end = latch()
    const app = express().use((_req, res, next) => {
      void Promise.all([running.opened, end.opened]).then(() => res.end())
      next()
    })
    const { origin, errors } = await listening(app.use(mcp(made)))
    const stream = await open(`${origin}/mcp`, asking('hold'))
    expect((await stream.next()).params.progress).toBe(1)
    end.open()
    expect(await stream.rest()).toEqual([])
    await aborted.opened
    await idle()
    await settled()
    expect({ found, errors }).toEqual({ found: [], errors: [] })
  })

  it.each<[string, { streams: boolean; bytes: number }]>([
    ['before anything was sent', { streams: false, bytes: 10 }],
    ['inside of a stream', { streams: true, bytes: 10 }],
    ['with more than the socket takes at once', { streams: true, bytes: 5_000_000 }],
  ])('survives a handler that ends the response itself, %s', async (_, { streams, bytes }) => {
    const made = router()
    const found = crashes()
    made.tool('rude', {
      description: 'x',
      async handler(_, ctx) {
        const res: ServerResponse = ctx.request?.raw.res
        if (streams) {
          ctx.progress(1)
          await vi.waitFor(() => expect(res.headersSent).toBe(true), { interval: 2 })
        }
        res.write('x'.repeat(bytes))
        res.end()
        ctx.progress(2)
        await settled()
        ctx.progress(3)
        return 'answer'
      },
    })
    const { origin, errors } = await listening(express().use(mcp(made)))
    const answer: Answer = await send(`${origin}/mcp`, asking('rude'))
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('x'.repeat(bytes))
    await vi.waitFor(() => expect(made.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })
    await settled()
    expectResult(await post(`${origin}/mcp`, rpc('ping')))
    await made.close({ drainMs: 60_000 })
    expect({ found, errors }).toEqual({ found: [], errors: [] })
  })
}
