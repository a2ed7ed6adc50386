/** A message board: an Express app with a login, an HTTP endpoint, and the same tools over WebSocket. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import express from 'express'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { attachWebSocket } from 'mcp-router/websocket'
import { z } from 'zod'

interface User {
  id: string
  name: string
}

declare module 'mcp-router' {
  interface Register {
    user: User
  }
}

/** The API keys of the two users. A real server stores hashes in its database. */
export const keys = { ana: 'ana-likes-lists', ben: 'ben-likes-boats' }

const users = new Map<string | undefined, User>([
  [`Bearer ${keys.ana}`, { id: '1', name: 'Ana' }],
  [`Bearer ${keys.ben}`, { id: '2', name: 'Ben' }],
])

/** The app's login, for routes and WebSocket connections. */
const userOf = (req: IncomingMessage): User | undefined => users.get(req.headers.authorization)

const messages: string[] = []
const router = new McpRouter({ name: 'board', version: '1.0.0', requireUser: true })

router.resource('board://messages', {
  description: 'What is on the board.',
  handler: () => messages.join('\n'),
})

router.tool('message_post', {
  description: 'Post a message to the board.',
  input: z.object({ text: z.string().min(1).max(500) }),
  async handler({ text }, ctx) {
    messages.push(`${ctx.user.name}: ${text}`)
    await router.notify.resourceUpdated('board://messages')
    return `There are ${messages.length} now.`
  },
})

const app = express()
app.get('/', (_req, res) => {
  res.send('The board is at /mcp.')
})
app.use(mcp(router, { user: (req) => userOf(req) as User }))

/** Listens on loopback only. */
export async function start(port: number) {
  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  attachWebSocket(router, server, { user: (req) => userOf(req) as User })
  const address = server.address() as AddressInfo // a server on a port has an AddressInfo

  async function close(): Promise<void> {
    await router.close({ drainMs: 5_000 })
    server.close()
    await once(server, 'close')
  }

  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    socketUrl: `ws://127.0.0.1:${address.port}/mcp`,
    close,
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url, socketUrl, close } = await start(Number(process.env.PORT ?? 3000))
  console.log(`MCP at ${url} and ${socketUrl}, with Authorization: Bearer ${keys.ana}`)
  process.once('SIGINT', close)
  process.once('SIGTERM', close)
}
