/** A Worker as people write it: everything at the top of the module, where there is no randomness and no timer yet. */

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
