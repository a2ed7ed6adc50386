import Fastify from 'fastify'
import type { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/fastify'

/** The server of this host, with the router at `/mcp`. */
export async function create(router: McpRouter) {
  const app = Fastify()
  await app.register(mcp, { router })
  await app.ready()
  return app.server
}
