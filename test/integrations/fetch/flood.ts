/** A tool that sends more than a slow reader accepts. */

import type { McpRouter } from 'mcp-router'

export const offered = 1_000
const notice = 'x'.repeat(64 * 1024)

/** Sends 64 MiB of notifications without waiting, and returns how many of them were accepted. */
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
