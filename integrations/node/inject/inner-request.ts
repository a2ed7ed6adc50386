/** A real IncomingMessage made of an `InnerRequest`, as if it had come over the stand-in socket. */

import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { InnerRequest } from '../../../src/adapter.js'
import { loopHeader } from './loop-header.js'
import type { StandInSocket } from './stand-in-socket.js'
import { markToolCall } from './tool-call.js'

/** Methods whose requests say how long their body is even when there is none. */
const withBody = new Set(['POST', 'PUT', 'PATCH'])

interface Around {
  readonly socket: StandInSocket
  /** The framework's own request of the tool call. */
  readonly carrier: unknown
  /** What the loop header says, where there is to be one. */
  readonly loop: string | undefined
}

export function toIncoming(request: InnerRequest, { socket, carrier, loop }: Around): IncomingMessage {
  const incoming = new IncomingMessage(socket as unknown as Socket)
  const body = bytesOf(request.body)
  incoming.method = request.method
  incoming.url = request.url
  incoming.httpVersion = '1.1'
  incoming.httpVersionMajor = 1
  incoming.httpVersionMinor = 1
  const headers = { ...request.headers }
  if (loop !== undefined) headers[loopHeader] = loop
  setHeaders(incoming, headers, body)
  const { tool, identity } = request
  if (tool !== undefined) markToolCall(incoming, { tool, carrier, identity })
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
function setHeaders(
  incoming: IncomingMessage,
  headers: Record<string, string>,
  body: Buffer | undefined,
): void {
  if (body !== undefined || withBody.has(incoming.method as string))
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
