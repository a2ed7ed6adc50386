import { createServer } from 'node:http'
import Koa from 'koa'
import type { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/koa'

/** The server of this host, with the router at `/mcp`. */
export function create(router: McpRouter) {
  const app = new Koa()
  app.use(mcp(router))
  return createServer(app.callback())
}
