/** A router at /mcp of a plain server, until the end of the test. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/node'
import { onTestFinished } from 'vitest'

/** Resolves to the URL of the endpoint. */
export async function serveNode(
  router: McpRouter<object>,
  options: Parameters<typeof mcp>[1] = {},
): Promise<string> {
  const server = createServer(mcp(router, options)).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}
