/**
 * Adds the loop header to requests that a route running as a tool sends to its own server, through Node's diagnostics
 * channels: for `fetch` and undici, and for `node:http` since Node 22.12. Before, the request's connection is tracked
 * instead. Nothing is patched, and requests to other servers stay unchanged.
 */

import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { loopHeader } from './loop-header.js'
import { currentCall, isOwnHost, loopHeaderFor } from './nesting.js'
import { trackRequest } from './outgoing-sockets.js'

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

let isSubscribed = false

/** Subscribes once per process. Every outgoing request of the app then costs one lookup. */
export function subscribeToOutgoing(): void {
  if (isSubscribed) return
  isSubscribed = true
  subscribe('undici:request:create', (message) => {
    addLoopHeader((message as { request: UndiciRequest }).request, originOf, addHeader)
  })
  if (!reportsNewRequests) {
    subscribe('http.client.request.start', (message) => {
      addLoopHeader((message as { request: ClientRequest }).request, hostToTrack, trackRequest)
    })
  }
  subscribe('http.client.request.created', (message) => {
    addLoopHeader((message as { request: NodeRequest }).request, hostOf, setHeader)
  })
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const reportsNewRequests = major > 22 || (major === 22 && minor >= 12)

/**
 * Adds the loop header to a request to the own server. Never throws: an error in a channel's subscriber ends the
 * process. `hostOf`: returns the request's destination, or `undefined` to leave the request unchanged.
 */
function addLoopHeader<T>(
  request: T,
  hostOf: (request: T) => string | undefined,
  setLoop: (request: T, loop: string) => unknown,
): void {
  const call = currentCall()
  if (call === undefined) return
  try {
    const host = hostOf(request)
    if (host === undefined || !isOwnHost(call, host)) return
    const loop = loopHeaderFor(call)
    if (loop !== undefined) setLoop(request, loop)
  } catch {
    // The app's request must not fail because of us: send it without the header.
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

/** Returns the host of a request whose head has already been written. */
function hostToTrack(request: ClientRequest): string | undefined {
  return request.getHeader(loopHeader) === undefined
    ? String(request.getHeader('host') ?? request.host)
    : undefined
}
