/** A real IncomingMessage made of an `InnerRequest`, as if it had come over the stand-in socket. */

import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { InnerRequest } from '../../../src/adapter.js'
import type { StandInSocket } from './stand-in-socket.js'
import { markToolCall } from './tool-call.js'

/** Methods whose requests say how long their body is even when there is none. */
const withBody = new Set(['POST', 'PUT', 'PATCH'])

/** `carrier`: the framework's own request of the tool call. */
export function toIncoming(request: InnerRequest, socket: StandInSocket, carrier: unknown): IncomingMessage {
  const incoming = new IncomingMessage(socket as unknown as Socket)
  const body = bytesOf(request.body)
  incoming.method = request.method
  incoming.url = request.url
  incoming.httpVersion = '1.1'
  incoming.httpVersionMajor = 1
  incoming.httpVersionMinor = 1
  setHeaders(incoming, request, body)
  if (request.tool !== undefined) markToolCall(incoming, { tool: request.tool, carrier })
  incoming.complete = true
  if (body !== undefined && body.length > 0) incoming.push(body)
  incoming.push(null)
  return incoming
}

function bytesOf(body: InnerRequest['body']): Buffer | undefined {
  if (body === undefined) return undefined
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length)
}

/** Node makes all four forms of the headers from what its parser found, and here there was no parser. */
function setHeaders(incoming: IncomingMessage, request: InnerRequest, body: Buffer | undefined): void {
  const headers: Record<string, string> = { ...request.headers }
  if (body !== undefined || withBody.has(request.method))
    headers['content-length'] = String(body?.length ?? 0)
  const distinct: Record<string, string[]> = {}
  for (const name in headers) {
    const value = headers[name] as string
    distinct[name] = [value]
    incoming.rawHeaders.push(name, value)
  }
  incoming.headers = headers
  incoming.headersDistinct = distinct
}
