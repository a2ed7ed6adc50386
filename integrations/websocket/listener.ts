/** Listens for a server's upgrades: passes them to the mounts, and keeps the server's behavior for all others. */

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import { locationOf } from '../node/host.js'

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** A WebSocket endpoint of a server, at one or more paths. */
export interface UpgradeMount {
  has(path: string): boolean
  readonly onUpgrade: UpgradeHandler
}

interface ServerListener {
  readonly mounts: Set<UpgradeMount>
  readonly stop: () => void
}

/**
 * Listeners by server. Several mounts share one, because only a shared listener knows that no mount takes an upgrade.
 */
const listeners = new WeakMap<Server, ServerListener>()

/** Adds a mount. Returns a function that removes it. */
export function listen(server: Server, mount: UpgradeMount): () => void {
  const { mounts, stop } = listeners.get(server) ?? createListener(server)
  mounts.add(mount)
  return () => {
    mounts.delete(mount)
    if (mounts.size === 0) stop()
  }
}

function createListener(server: Server): ServerListener {
  const mounts = new Set<UpgradeMount>()
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const wantsSocket = request.headers.upgrade?.toLowerCase() === 'websocket'
    const path = wantsSocket ? locationOf(request)?.path : undefined
    const mount = path === undefined ? undefined : [...mounts].find((one) => one.has(path))
    if (mount !== undefined) mount.onUpgrade(request, socket, head)
    else if (server.listenerCount('upgrade') === 1) serveAsRequest(server, { request, socket, head })
  }
  const stop = (): void => {
    server.off('upgrade', onUpgrade)
    listeners.delete(server)
  }
  server.on('upgrade', onUpgrade)
  listeners.set(server, { mounts, stop })
  return { mounts, stop }
}

interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/**
 * Serves a request with an `Upgrade` as an ordinary request, as a server without an upgrade listener does. For
 * example, Java clients offer HTTP/2 with each request. With a listener, Node has stopped parsing HTTP on the socket,
 * so this feeds the same bytes, without the offer, to the server as a new connection.
 */
function serveAsRequest(server: Server, { request, socket, head }: Upgrade): void {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!/^(upgrade|http2-settings)$/i.test(name))
      lines.push(`${name}: ${withoutUpgradeToken(name, rawHeaders[at + 1])}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  // TLS servers expect an unencrypted socket in `connection`, so use the event that follows the handshake.
  server.emit((server as unknown) instanceof TlsServer ? 'secureConnection' : 'connection', socket)
}

function withoutUpgradeToken(name: string, value = ''): string {
  if (!/^connection$/i.test(name)) return value
  return value
    .split(',')
    .filter((token) => !/^\s*(upgrade|http2-settings)\s*$/i.test(token))
    .join(',')
}
