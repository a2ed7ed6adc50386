/** Code of the host that responds itself to a request for the endpoint: before the call, or while it runs. */

import { mcp } from 'mcp-router/koa'
import { expect, it, vi } from 'vitest'
import { open, send } from '../../contract/client.js'
import { envelope, mirror, rpc } from '../../contract/clients.js'
import { latch } from '../../contract/fixtures.js'
import { settled, unhandledRejections } from '../../support/time.js'
import { router } from '../placed.js'
import { type KoaModule, listening } from './host.js'

const asking = {
  body: rpc('tools/call', { name: 'hold', arguments: {}, _meta: { ...envelope, progressToken: 1 } }),
  headers: mirror('tools/call', { name: 'hold' }),
}

/** A router whose tool `hold` ends with its signal, and sends progress first if it should stream. */
function holding(streams: boolean) {
  const made = router()
  const running = latch()
  made.tool('hold', {
    description: 'x',
    timeoutMs: 0,
    async handler(_, ctx) {
      if (streams) ctx.progress(1)
      running.open()
      if (!ctx.signal.aborted) await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      ctx.progress(2)
    },
  })
  const idle = () =>
    vi.waitFor(() => expect(made.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })
  return { made, running, idle }
}

export function answeredFirst(Koa: KoaModule): void {
  it.each([false, true])('ends a call that was answered before it started (streams: %s)', async (streams) => {
    const { made, idle } = holding(streams)
    const found = unhandledRejections()
    const app = new Koa().use((ctx, next) => {
      ctx.res.writeHead(503).end('too late')
      return next()
    })
    const { origin, errors } = await listening(app.use(mcp(made)))
    expect(await send(`${origin}/mcp`, asking)).toMatchObject({ status: 503, text: 'too late' })
    await idle()
    await settled()
    expect({ found, errors }).toEqual({ found: [], errors: [] })
  })

  it.each([false, true])("ends a call that the host's timeout answered (streams: %s)", async (streams) => {
    const { made, running, idle } = holding(streams)
    const found = unhandledRejections()
    const app = new Koa().use((ctx, next) =>
      Promise.race([
        next(),
        running.opened.then(() => {
          ctx.status = 503
          ctx.body = 'too late'
        }),
      ]),
    )
    const { origin, errors } = await listening(app.use(mcp(made)))
    const answer = await open(`${origin}/mcp`, asking)
    expect([200, 503]).toContain(answer.status)
    if (answer.status === 200) answer.leave()
    else expect(await answer.rest()).toEqual([])
    await idle()
    await settled()
    expect({ found, errors }).toEqual({ found: [], errors: [] })
  })

  it('adds nothing to a response that the host has started', async () => {
    const { made, idle } = holding(false)
    const app = new Koa().use((ctx, next) => {
      ctx.status = 200
      ctx.res.write('mine ')
      return next()
    })
    const { origin } = await listening(app.use(mcp(made)))
    const body = rpc('tools/call', { name: 'where', arguments: {} })
    expect(await send(`${origin}/mcp`, { body })).toMatchObject({ status: 200, text: 'mine OK' })
    await idle()
  })

  it('ends a call whose stream the host has ended', async () => {
    const { made, running, idle } = holding(true)
    const found = unhandledRejections()
    const end = latch()
    const app = new Koa().use((ctx, next) => {
      void Promise.all([running.opened, end.opened]).then(() => ctx.res.end())
      return next()
    })
    const { origin, errors } = await listening(app.use(mcp(made)))
    const stream = await open(`${origin}/mcp`, asking)
    expect((await stream.next()).params.progress).toBe(1)
    end.open()
    expect(await stream.rest()).toEqual([])
    await idle()
    await settled()
    expect({ found, errors }).toEqual({ found: [], errors: [] })
  })
}
