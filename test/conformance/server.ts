/** `npm run conformance:server -- <host>`: the fixtures on that host, at /mcp on 127.0.0.1 and PORT (default 3000). */
import { readdirSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpRouter } from 'mcp-router'
import { conformanceRouter } from './fixtures.js'

/** Each file in `servers/` is one host. */
interface Host {
  create(router: McpRouter): Server | Promise<Server>
}

const hosts = readdirSync(new URL('./servers', import.meta.url))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort()

const host = process.argv[2] ?? ''
if (!hosts.includes(host)) {
  console.error(`${host ? `No host "${host}"` : 'Name a host'}; known: ${hosts.join(', ')}`)
  process.exit(2)
}

const { create } = (await import(`./servers/${host}.ts`)) as Host
const router = conformanceRouter()
const server = await create(router)
server.on('error', (error) => {
  console.error(error.message)
  process.exit(1)
})
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`Listening on http://127.0.0.1:${port}/mcp`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
    void router.close().finally(() => process.exit(0))
  })
}
