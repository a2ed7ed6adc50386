/** One host in a process of its own, whose owner ends it as docs say: `server.ts HOST`. Tells its URL, then each call that ran. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpRouter } from 'mcp-router'
import { z } from 'zod'
import { silent } from '../support/silent.js'

const router = new McpRouter({ name: 'faults', version: '1.0.0', logger: silent })
router.tool('work', {
  description: 'Takes a moment, and tells the parent that it was done',
  input: z.object({ n: z.number(), streams: z.boolean() }),
  async handler({ n, streams }, ctx) {
    if (streams) ctx.progress(1, 2)
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.send?.(n)
    return `did ${n}`
  },
})

const { create } = (await import(`../conformance/servers/${process.argv[2]}.ts`)) as {
  create(router: McpRouter): Server | Promise<Server>
}
const server = await create(router)
server.listen(0, '127.0.0.1', () =>
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
)

process.once('SIGTERM', async () => {
  await router.close({ drainMs: 20_000 })
  server.close(() => process.exit(0))
  server.closeIdleConnections()
})
