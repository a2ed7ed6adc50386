/** The WebSocket transport, on `ws`, beside the HTTP endpoint of the same server. */

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { McpRouter, OptionsArgument, Register } from '../../src/adapter.js'
import { describe } from '../../src/internal.js'
import { listen } from './listener.js'
import { SocketMount } from './mount.js'
import type { AnyWebSocketOptions, WebSocketOptions } from './options.js'
import { writeRefusal } from './refuse.js'
import { UpgradeRequest } from './request.js'

export { type WebSocketRoute, webSocketRoute } from './fastify.js'
export type { WebSocketOptions } from './options.js'

/**
 * Serves a router to WebSockets at `/mcp` of an HTTP server, beside the app that the server already has: both eras, in
 * both directions, for as long as a connection lasts. What is not ours is left to the app, other upgrades too.
 *
 * ```ts
 * attachWebSocket(router, app.listen(3000), { user: (req) => sessionOf(req)?.user })
 * ```
 *
 * No middleware runs for an upgrade: `user` finds the caller in the request itself, when the connection begins and every
 * 30 seconds from then on. For a ticket that is good once set `recheckUser: false`.
 *
 * Returns a way to take no further connections; `router.close()` ends those that are open.
 * @throws TypeError for options that do not exist or do not fit.
 */
export function attachWebSocket<E extends object = Register>(
  router: McpRouter<E>,
  server: Server,
  ...[given]: OptionsArgument<WebSocketOptions<IncomingMessage, E>>
): () => void {
  if (typeof (server as Partial<Server> | undefined)?.on !== 'function') {
    throw new TypeError(
      `attachWebSocket(): expected the HTTP server, such as \`app.listen(…)\` returns; got ${describe(server)}`,
    )
  }
  const served = router as unknown as McpRouter<object>
  const options = (given ?? {}) as AnyWebSocketOptions
  const mount = new SocketMount(served, options, { owner: 'attachWebSocket()', defaultUser: userOf })
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: mount.limits.maxBodyBytes,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  })
  const take = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // Node listens to it no longer, and nobody else does yet.
    const onError = (): void => void socket.destroy()
    socket.on('error', onError)
    const found = await mount.admit(new UpgradeRequest(request))
    if ('status' in found) return writeRefusal(socket, found)
    socket.off('error', onError)
    sockets.handleUpgrade(request, socket, head, (opened) => mount.serve(opened, found))
  }
  return listen(server, {
    has: (path) => mount.has(path),
    take: (request, socket, head) => void take(request, socket, head),
  })
}

const subprotocol = 'mcp'

function userOf(request: unknown): unknown {
  return (request as { user?: unknown }).user
}
