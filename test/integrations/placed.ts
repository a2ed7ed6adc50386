/** A router for tests of where and beside what it is mounted. */

import { McpRouter } from 'mcp-router'
import { envelope, mirror, rpc } from '../contract/clients.js'
import { type Latch, latch } from '../contract/fixtures.js'
import { quiet } from '../contract/host.js'

/** Tells where it was reached and who calls; `steps` streams until it is released. */
export function placed(): { router: McpRouter<object>; running: Latch<AbortSignal>; release: Latch<void> } {
  const router = new McpRouter<object>({ name: 'placed', logger: quiet })
  const [running, release] = [latch<AbortSignal>(), latch()]
  router.tool('where', { description: 'x', handler: (_, { request }) => request?.url })
  router.tool('me', { description: 'x', handler: (_, { user }) => JSON.stringify(user ?? null) })
  router.tool('steps', {
    description: 'x',
    async handler(_, ctx) {
      ctx.progress(1, 2)
      running.open(ctx.signal)
      await release.opened
      ctx.progress(2, 2)
      return 'x'.repeat(5000)
    },
  })
  return { router, running, release }
}

export const router = (): McpRouter<object> => placed().router

export const streaming = { name: 'steps', arguments: {}, _meta: { progressToken: 1 } }

/** The same as a 2026-07-28 client sends it. */
export const stepping = {
  body: rpc('tools/call', { ...streaming, _meta: { ...envelope, progressToken: 1 } }),
  headers: mirror('tools/call', streaming),
}
