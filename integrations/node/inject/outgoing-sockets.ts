/**
 * Adds the loop header to requests of `node:http` before Node 22.12, which reports a request only after writing its
 * head. A request to our own process arrives from the port it was sent from, so the header is added on arrival.
 */

import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { loopHeader } from './loop-header.js'

/** Loop headers by local address and port of the connection that the request was sent on. */
const sentLoopHeaders = new Map<string, string>()
let isSubscribed = false

/** Tracks one request until it closes. `loop`: its loop header. */
export function trackRequest(request: ClientRequest, loop: string): void {
  subscribeToIncoming()
  if (request.socket !== null) trackSocket(request, request.socket, loop)
  else request.once('socket', (socket) => trackSocket(request, socket, loop))
}

function trackSocket(request: ClientRequest, socket: Socket, loop: string): void {
  const mark = (): void => {
    const end = endpointKey(socket.localAddress, socket.localPort)
    sentLoopHeaders.set(end, loop)
    // The connection may be reused for another request.
    request.once('close', () => sentLoopHeaders.delete(end))
  }
  if (socket.connecting) socket.once('connect', mark)
  else mark()
}

function subscribeToIncoming(): void {
  if (isSubscribed) return
  isSubscribed = true
  subscribe('http.server.request.start', (message) => {
    if (sentLoopHeaders.size === 0) return
    const { request, socket } = message as { request: IncomingMessage; socket: Socket }
    const loop = sentLoopHeaders.get(endpointKey(socket.remoteAddress, socket.remotePort))
    if (loop !== undefined) request.headers[loopHeader] ??= loop
  })
}

/** Formats an address and port. Dual-stack servers see IPv4 addresses in IPv6 form. */
function endpointKey(address = '', port = 0): string {
  return `${address.replace(/^::ffff:/i, '')} ${port}`
}
