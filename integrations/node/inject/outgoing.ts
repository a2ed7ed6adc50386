/**
 * Puts the loop header on requests that a route which runs as a tool sends to its own server, by the channels on which Node
 * tells of each request: `fetch` and undici everywhere, `node:http` since Node 22.12; before, its connection is followed.
 * Nothing is patched, and requests to other servers stay as they are.
 */

import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { loopHeader } from './loop-header.js'
import { callAround, isOwnHost, loopOf } from './nesting.js'
import { followSocket } from './outgoing-sockets.js'

interface UndiciRequest {
  readonly origin?: string | URL | undefined
  addHeader(name: string, value: string): unknown
}

interface NodeRequest {
  readonly host?: string
  readonly headersSent?: boolean
  getHeader(name: string): unknown
  setHeader(name: string, value: string): unknown
}

let listens = false

/** Once is enough, and costs every request of the app one look-up. */
export function watchOutgoing(): void {
  if (listens) return
  listens = true
  subscribe('undici:request:create', (message) => {
    const { request } = message as { request: UndiciRequest }
    mark(hostOf(request.origin), (value) => request.addHeader(loopHeader, value))
  })
  if (!tellsOfNewRequests) subscribe('http.client.request.start', follow)
  subscribe('http.client.request.created', (message) => {
    const { request } = message as { request: NodeRequest }
    const host = request.getHeader('host') ?? request.host
    if (request.headersSent !== true) mark(String(host), (value) => request.setHeader(loopHeader, value))
  })
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const tellsOfNewRequests = major > 22 || (major === 22 && minor >= 12)

/** Its head is written by then. */
function follow(message: unknown): void {
  const { request } = message as { request: ClientRequest }
  const host = String(request.getHeader('host') ?? request.host)
  if (request.getHeader(loopHeader) === undefined) mark(host, (loop) => followSocket(request, loop))
}

function mark(host: string, put: (value: string) => unknown): void {
  const call = callAround()
  if (call === undefined || !isOwnHost(call, host)) return
  const loop = loopOf(call)
  if (loop === undefined) return
  try {
    put(loop)
  } catch {
    // The request goes as it is: it is the app's.
  }
}

function hostOf(origin: string | URL | undefined): string {
  return URL.canParse(String(origin)) ? new URL(String(origin)).host : ''
}
