import { createServer } from 'node:http'
import type { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/node'

/** The server of this host, with the router at `/mcp`. */
export function create(router: McpRouter) {
  return createServer(mcp(router))
}
