/** Serves the three APIs side by side, and prints settings for MCP clients. `npx tsx server.ts` starts it. */
import { randomBytes } from 'node:crypto'
import { createKitchen } from './kitchen.js'
import { createLibrary } from './library.js'
import { listen } from './listen.js'
import { createTickets } from './tickets.js'

const first = Number(process.env.PORT ?? 3000)
const tickets = await createTickets(process.env.JWT_SECRET ?? randomBytes(32).toString('hex'))
const library = await createLibrary()

const key = 'Bearer key-of-ana'
const running = [
  { name: 'library', key, ...(await listen(library, first)) },
  { name: 'kitchen', key, ...(await listen(createKitchen().callback(), first + 1)) },
  {
    name: 'tickets',
    key: `Bearer ${tickets.jwt.sign({ sub: 'ana' })}`,
    url: await tickets.listen({ port: first + 2, host: '127.0.0.1' }),
    close: () => tickets.close(),
  },
]
const mcpServers = Object.fromEntries(
  running.map(({ name, key, url }) => [
    name,
    { type: 'http', url: `${url}/mcp`, headers: { Authorization: key } },
  ]),
)
console.log(JSON.stringify({ mcpServers }, null, 2))
const stop = (): unknown => Promise.all(running.map(({ close }) => close()))
process.once('SIGINT', stop).once('SIGTERM', stop)
