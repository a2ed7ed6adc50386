/** Starts one of the three apps. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function listen(
  app: RequestListener,
  port = 0,
): Promise<{ url: string; close(): Promise<unknown> }> {
  const server = createServer(app).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo // a server on a port has an AddressInfo
  const close = (): Promise<unknown> => {
    server.close()
    return once(server, 'close')
  }
  return { url: `http://127.0.0.1:${address.port}`, close }
}
