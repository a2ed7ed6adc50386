/** Clients that disconnect: the handler's signal aborts, and the app gets no error. */

import { mcp } from 'mcp-router/koa'
import { expect, it, vi } from 'vitest'
import { modern, stateless } from '../../contract/clients.js'
import { latch } from '../../contract/fixtures.js'
import { settled } from '../../support/time.js'
import { placed, router, streaming } from '../placed.js'
import { type KoaModule, listening } from './host.js'

export function leavingStreams(Koa: KoaModule): void {
  it.each([
    ['that was read', 1, 10],
    ['that was not read', 200, 100_000],
  ])('aborts the signal of a stream %s, without an error of the app', async (_, notices, size) => {
    const made = router()
    const [said, aborted] = [latch(), latch()]
    made.tool('hold', {
      description: 'x',
      async handler(_, ctx) {
        for (let index = 0; index < notices; index += 1) ctx.progress(index, notices, 'x'.repeat(size))
        ctx.signal.addEventListener('abort', () => aborted.open())
        said.open()
        await aborted.opened
      },
    })
    const { origin, errors } = await listening(new Koa().use(mcp(made)))
    const params = { name: 'hold', arguments: {}, _meta: { progressToken: 1 } }
    const stream = await modern(`${origin}/mcp`).open('tools/call', params)
    await said.opened
    stream.leave()
    await aborted.opened
    await vi.waitFor(() => expect(made.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })
    await settled()
    expect(errors).toEqual([])
  })

  it.each([stateless, modern])(
    'lets a client disconnect while middleware in front works on a stream',
    async (make) => {
      const { router: made, release } = placed()
      const began = latch()
      const app = new Koa().use(async (ctx, next) => {
        await next()
        began.open()
        await new Promise((resolve) => ctx.res.once('close', resolve))
      })
      const { origin, errors } = await listening(app.use(mcp(made)))
      const request = (await make(`${origin}/mcp`)).abandon('tools/call', streaming)
      await began.opened
      request.leave()
      await vi.waitFor(() => expect(made.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })
      await settled()
      release.open()
      expect(errors).toEqual([])
    },
  )

  it("still reports the app's own errors to it after a stream was opened", async () => {
    const made = router()
    const release = latch()
    made.tool('hold', {
      description: 'x',
      async handler(_, ctx) {
        ctx.progress(1)
        await release.opened
      },
    })
    const app = new Koa().use((ctx, next) => {
      void release.opened.then(() => ctx.onerror(new Error('of the app')))
      return next()
    })
    const { origin, errors } = await listening(app.use(mcp(made)))
    const params = { name: 'hold', arguments: {}, _meta: { progressToken: 1 } }
    const stream = await modern(`${origin}/mcp`).open('tools/call', params)
    await stream.next()
    release.open()
    await stream.rest()
    expect(errors).toMatchObject([{ message: 'of the app' }])
  })
}
