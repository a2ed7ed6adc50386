/** A typical Worker: everything is at the top of the module, where randomness and timers aren't available yet. */

import { McpRouter, memoryStore } from 'mcp-router'
import { mcp } from 'mcp-router/fetch'
import { z } from 'zod'

const router = new McpRouter<object>({ name: 'worker', version: '1.0.0', store: memoryStore() })

router.tool('greet', {
  description: 'Greets',
  input: z.object({ name: z.string() }),
  handler: ({ name }, { user }) => `Hello ${name}, ${user ?? 'whoever you are'}`,
})

export default { fetch: mcp(router) }
