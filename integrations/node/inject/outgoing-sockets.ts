/**
 * Where Node tells of a request of `node:http` only when its head is written (before 22.12), nothing can be added to it. But
 * a request to our own process comes in by the port that it went out by, and there it gets what it should have said.
 */

import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { loopHeader } from './loop-header.js'

/** By the end of a connection that the request went out from. */
const leaving = new Map<string, string>()
let listens = false

/** Follows one request to its end. `loop`: what it should say. */
export function followSocket(request: ClientRequest, loop: string): void {
  watchIncoming()
  if (request.socket !== null) follow(request, request.socket, loop)
  else request.once('socket', (socket) => follow(request, socket, loop))
}

function follow(request: ClientRequest, socket: Socket, loop: string): void {
  const mark = (): void => {
    const end = endOf(socket.localAddress, socket.localPort)
    leaving.set(end, loop)
    // Another request may go out from there afterwards.
    request.once('close', () => leaving.delete(end))
  }
  if (socket.connecting) socket.once('connect', mark)
  else mark()
}

function watchIncoming(): void {
  if (listens) return
  listens = true
  subscribe('http.server.request.start', (message) => {
    if (leaving.size === 0) return
    const { request, socket } = message as { request: IncomingMessage; socket: Socket }
    const loop = leaving.get(endOf(socket.remoteAddress, socket.remotePort))
    if (loop !== undefined) request.headers[loopHeader] ??= loop
  })
}

/** A server that listens for both families has IPv4 in the form of IPv6. */
function endOf(address = '', port = 0): string {
  return `${address.replace(/^::ffff:/i, '')} ${port}`
}
