import { createServer } from 'node:http'
import express from 'express'
import type { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'

/** The server of this host, with the router at `/mcp`. */
export function create(router: McpRouter) {
  const app = express()
  app.use(mcp(router))
  return createServer(app)
}
