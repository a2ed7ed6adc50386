/** The smallest server: one tool, and callers with API keys. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/node'
import { z } from 'zod'

interface User {
  id: string
  name: string
}

declare module 'mcp-router' {
  interface Register {
    user: User | undefined
  }
}

/** The API keys of the two users. A real server stores hashes in its database. */
export const keys = { ana: 'ana-likes-lists', ben: 'ben-likes-boats' }

const users = new Map<string | undefined, User>([
  [`Bearer ${keys.ana}`, { id: '1', name: 'Ana' }],
  [`Bearer ${keys.ben}`, { id: '2', name: 'Ben' }],
])

const router = new McpRouter({ name: 'greeter', version: '1.0.0' })

router.tool('greet', {
  description: 'Greets me in the words that I choose.',
  input: z.object({ words: z.string().max(100).default('Hello') }),
  annotations: { readOnly: true },
  requireUser: true,
  handler: ({ words }, ctx) => `${words}, ${ctx.user.name}!`,
})

const listener = mcp(router, { user: (req) => users.get(req.headers.authorization), health: true })

/** Listens on loopback only. */
export async function start(port: number) {
  const server = createServer(listener).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo // a server on a port has an AddressInfo

  async function close(): Promise<void> {
    await router.close({ drainMs: 5_000 })
    server.close()
    await once(server, 'close')
  }

  return { url: `http://127.0.0.1:${address.port}/mcp`, close }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url, close } = await start(Number(process.env.PORT ?? 3000))
  console.log(`MCP at ${url}\nclaude mcp add --transport http greeter ${url} \\`)
  console.log(`  --header "Authorization: Bearer ${keys.ana}"`)
  process.once('SIGINT', close)
  process.once('SIGTERM', close)
}
