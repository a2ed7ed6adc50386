/** The book API: a login, its routes, and MCP at /mcp for the same users. `npx tsx server.ts` starts it. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import helmet from 'koa-helmet'
import jwt from 'koa-jwt'
import { mcp } from 'mcp-router/koa'
import { createShelf } from './books.js'
import { router } from './mcp.js'
import { bookRoutes, loginRoute } from './routes.js'
import { ana, logIn } from './users.js'

export async function start(port: number, secret: string = randomBytes(32).toString('hex')) {
  const shelf = createShelf()
  const app = new Koa()
  app.use(helmet())
  app.use(jwt({ secret }).unless({ path: '/login' }))
  app.use(mcp(router, { context: () => ({ shelf }) }))
  app.use(bodyParser())
  app.use(loginRoute(secret))
  app.use(bookRoutes(shelf))

  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo // a server on a port has an AddressInfo

  async function close(): Promise<void> {
    await router.close({ drainMs: 5_000 })
    server.close()
    await once(server, 'close')
  }

  return { url: `http://127.0.0.1:${address.port}`, close }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const secret = process.env.JWT_SECRET ?? randomBytes(32).toString('hex')
  const { url, close } = await start(Number(process.env.PORT ?? 3000), secret)
  const headers = { Authorization: `Bearer ${logIn(ana, secret)}` }
  console.log(`Book API at ${url}. Settings of an MCP client, as ${ana.name}:\n`)
  console.log(
    JSON.stringify({ mcpServers: { books: { type: 'http', url: `${url}/mcp`, headers } } }, null, 2),
  )
  process.once('SIGINT', close).once('SIGTERM', close)
}
