/** Serves the app on Node. */

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { createApp } from './app.js'
import { router } from './mcp.js'

export async function start(port: number) {
  const secret = process.env.JWT_SECRET ?? crypto.randomUUID()
  const app = createApp(secret, getConnInfo)
  const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1', overrideGlobalObjects: false })
  await once(server, 'listening')
  const address = server.address() as AddressInfo // a server on a port has an AddressInfo

  async function close(): Promise<void> {
    await router.close({ drainMs: 5_000 })
    server.close()
    await once(server, 'close')
  }

  return { url: `http://127.0.0.1:${address.port}`, close }
}
