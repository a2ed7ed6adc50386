/** The WebSocket transport, based on `ws`, on the same server as the app. */

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { McpRouter, OptionsArgument, Register } from '../../src/adapter.js'
import { describe, userOf } from '../../src/internal.js'
import { listen } from './listener.js'
import { SocketMount } from './mount.js'
import type { AnyWebSocketOptions, WebSocketOptions } from './options.js'
import { writeRefusal } from './refuse.js'
import { UpgradeRequest } from './request.js'

export { type WebSocketRoute, webSocketRoute } from './fastify.js'
export type { WebSocketOptions } from './options.js'

/**
 * Serves a router to WebSockets at `/mcp` of an HTTP server that already serves an app. Supports both protocol eras,
 * with requests in both directions while the connection is open. Other requests and upgrades are left to the app.
 *
 * ```ts
 * attachWebSocket(router, app.listen(3000), { user: (req) => sessionOf(req)?.user })
 * ```
 *
 * No middleware runs for an upgrade: `user` finds the caller in the upgrade request, when the connection opens and then
 * every 30 seconds. If `user` takes a single-use ticket, set `recheckUser: false`.
 *
 * Returns a function that stops accepting connections. `router.close()` closes the open ones.
 * @throws TypeError for unknown or invalid options.
 */
export function attachWebSocket<E extends object = Register>(
  router: McpRouter<E>,
  server: Server,
  ...[given]: OptionsArgument<WebSocketOptions<IncomingMessage, E>>
): () => void {
  if (typeof (server as Partial<Server> | undefined)?.on !== 'function') {
    throw new TypeError(
      `attachWebSocket(): expected an HTTP server, as \`app.listen(…)\` returns it, got ${describe(server)}`,
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
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // During `admit`, neither Node nor ws listens for errors of the socket.
    const onError = (): void => void socket.destroy()
    socket.on('error', onError)
    const found = await mount.admit(new UpgradeRequest(request))
    if ('status' in found) return writeRefusal(socket, found)
    socket.off('error', onError)
    sockets.handleUpgrade(request, socket, head, (opened) => mount.serve(opened, found))
  }
  return listen(server, {
    has: (path) => mount.has(path),
    onUpgrade: (request, socket, head) => void upgrade(request, socket, head),
  })
}

const subprotocol = 'mcp'
