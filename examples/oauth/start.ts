/** Starts the authorization server and the API on two ports. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApi } from './api.js'
import { createAuthorizationServer } from './authorization-server.js'
import { router, scopes } from './mcp.js'
import { createPages } from './pages.js'

interface Started {
  /** The URL of the MCP endpoint. */
  mcpUrl: string
  issuer: string
  close(): Promise<void>
}

/** Starts both servers; port 0 is any free port. `fetchDocument` fetches the metadata documents of clients. */
export async function start(apiPort: number, loginPort: number, fetchDocument = fetch): Promise<Started> {
  // Each server needs the URL of the other one.
  const [api, login] = [createServer(), createServer()]
  const mcpUrl = `${await listen(api, apiPort)}/mcp`
  const issuer = await listen(login, loginPort)
  const provider = await createAuthorizationServer({ issuer, resource: mcpUrl, scopes, fetch: fetchDocument })
  login.on('request', createPages(provider))
  api.on('request', createApi(mcpUrl, issuer))

  async function close(): Promise<void> {
    await router.close({ drainMs: 5_000 })
    for (const server of [api, login]) {
      server.close()
      server.closeAllConnections()
    }
    await Promise.all([once(api, 'close'), once(login, 'close')])
  }
  return { mcpUrl, issuer, close }
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a server on a port has an AddressInfo
}
