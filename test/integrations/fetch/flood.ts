/** A tool that says more than a slow reader takes. */

import type { McpRouter } from 'mcp-router'

export const offered = 1_000
const notice = 'x'.repeat(64 * 1024)

/** Offers 64 MiB of notices without waiting for anybody, and answers how many of them were taken. */
export function addFlood(router: McpRouter<object>): void {
  router.tool('flood', {
    description: 'Says more than anybody reads.',
    async handler(_, ctx) {
      let taken = 0
      for (let i = 1; i <= offered; i++) {
        if (ctx.progress(i, offered, notice)) taken += 1
        if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 0))
      }
      return taken
    },
  })
}
