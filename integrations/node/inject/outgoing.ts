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
    mark((message as { request: UndiciRequest }).request, originOf, addHeader)
  })
  if (!tellsOfNewRequests) {
    subscribe('http.client.request.start', (message) => {
      mark((message as { request: ClientRequest }).request, hostToFollow, followSocket)
    })
  }
  subscribe('http.client.request.created', (message) => {
    mark((message as { request: NodeRequest }).request, hostOf, setHeader)
  })
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const tellsOfNewRequests = major > 22 || (major === 22 && minor >= 12)

/**
 * Never throws: an error in a subscriber of a channel ends the process. `hostOf`: where the request goes; `undefined`: it
 * stays as it is.
 */
function mark<T>(
  request: T,
  hostOf: (request: T) => string | undefined,
  put: (request: T, loop: string) => unknown,
): void {
  const call = callAround()
  if (call === undefined) return
  try {
    const host = hostOf(request)
    if (host === undefined || !isOwnHost(call, host)) return
    const loop = loopOf(call)
    if (loop !== undefined) put(request, loop)
  } catch {
    // The request goes as it is: it is the app's.
  }
}

function originOf({ origin }: UndiciRequest): string {
  return URL.canParse(String(origin)) ? new URL(String(origin)).host : ''
}

function addHeader(request: UndiciRequest, loop: string): void {
  request.addHeader(loopHeader, loop)
}

function hostOf(request: NodeRequest): string | undefined {
  return request.headersSent === true ? undefined : String(request.getHeader('host') ?? request.host)
}

function setHeader(request: NodeRequest, loop: string): void {
  request.setHeader(loopHeader, loop)
}

/** Its head is written by then. */
function hostToFollow(request: ClientRequest): string | undefined {
  return request.getHeader(loopHeader) === undefined
    ? String(request.getHeader('host') ?? request.host)
    : undefined
}
