/** Web requests and responses, served by Node. */

import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { Host } from '../../contract/host.js'
import { fetchHost } from '../../integrations/fetch/host.js'

export const webHost: Host = fetchHost(async (fetch) => {
  const server = serve({
    fetch: (request) => fetch(request, { peerAddress: '127.0.0.1' }),
    port: 0,
    hostname: '127.0.0.1',
  }) as Server
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo // what a server on a port has
  const close = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
  }
  return { origin: `http://127.0.0.1:${port}`, close }
}, [])
