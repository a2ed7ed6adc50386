/** A stdio server with the tool `add`: ours, or a plain line reader that does the same. */

import { createInterface } from 'node:readline'
import { McpRouter } from 'mcp-router'
import { serveStdio } from 'mcp-router/stdio'
import { z } from 'zod'

if (process.argv[2] === 'ours') {
  const router = new McpRouter({ name: 'bench', version: '1.0.0' })
  router.tool('add', {
    description: 'Adds two numbers.',
    input: z.object({ a: z.number(), b: z.number() }),
    handler: ({ a, b }) => String(a + b),
  })
  await serveStdio(router)
} else {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params = {} } = JSON.parse(line)
    if (id === undefined) return
    const { a = 0, b = 0 } = params.arguments ?? {}
    const result = method === 'tools/call' ? { content: [{ type: 'text', text: String(a + b) }] } : {}
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  })
}
