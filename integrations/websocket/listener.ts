/** What becomes of the upgrades of a server: ours go to their mounts, all others stay what they were before. */

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import { locationOf } from '../node/host.js'

export type Take = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** One of the paths of a server that are asked for as WebSockets. */
export interface Mount {
  has(path: string): boolean
  readonly take: Take
}

interface Listening {
  readonly mounts: Set<Mount>
  readonly stop: () => void
}

/** By server: several mounts share one listener, which knows whether anybody at all wants an upgrade. */
const listeners = new WeakMap<Server, Listening>()

/** Returns a way to end it. */
export function listen(server: Server, mount: Mount): () => void {
  const { mounts, stop } = listeners.get(server) ?? begin(server)
  mounts.add(mount)
  return () => {
    mounts.delete(mount)
    if (mounts.size === 0) stop()
  }
}

function begin(server: Server): Listening {
  const mounts = new Set<Mount>()
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const wantsSocket = request.headers.upgrade?.toLowerCase() === 'websocket'
    const path = wantsSocket ? locationOf(request)?.path : undefined
    const mount = path === undefined ? undefined : [...mounts].find((one) => one.has(path))
    if (mount !== undefined) mount.take(request, socket, head)
    else if (server.listenerCount('upgrade') === 1) asOrdinary(server, { request, socket, head })
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
 * Without a listener a server answers such a request like any other: clients of Java, for one, offer HTTP/2 with each.
 * With one it has stopped reading HTTP, so it begins anew with the same bytes, but for the offer.
 */
function asOrdinary(server: Server, { request, socket, head }: Upgrade): void {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!/^(upgrade|http2-settings)$/i.test(name))
      lines.push(`${name}: ${withoutOffer(name, rawHeaders[at + 1])}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  // Servers of TLS take a new socket for one whose handshake is still to come.
  server.emit((server as unknown) instanceof TlsServer ? 'secureConnection' : 'connection', socket)
}

function withoutOffer(name: string, value = ''): string {
  if (!/^connection$/i.test(name)) return value
  return value
    .split(',')
    .filter((token) => !/^\s*(upgrade|http2-settings)\s*$/i.test(token))
    .join(',')
}
