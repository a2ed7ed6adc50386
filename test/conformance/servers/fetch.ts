import type { Server } from 'node:http'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import type { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/fetch'

/** The server of this host, with the router at `/mcp`. */
export function create(router: McpRouter): Server {
  const handler = mcp(router)
  return createAdaptorServer({
    overrideGlobalObjects: false,
    fetch: (request, env) => {
      const { remoteAddress } = (env as HttpBindings).incoming.socket
      return handler(request, { peerAddress: remoteAddress })
    },
  }) as Server // without `createServer` it is one of node:http
}
