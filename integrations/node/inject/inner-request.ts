/** Makes a real IncomingMessage say what an `InnerRequest` says, as if it had come over its socket. */

import type { IncomingMessage } from 'node:http'
import type { InnerRequest } from '../../../src/adapter.js'
import { loopHeader } from './loop-header.js'
import { markToolCall } from './tool-call.js'

/** Methods whose requests say how long their body is even when there is none. */
const withBody = new Set(['POST', 'PUT', 'PATCH'])

interface Around {
  /** The framework's own request of the tool call. */
  readonly carrier: unknown
  /** What the loop header says, where there is to be one. */
  readonly loop: string | undefined
}

export function fill(incoming: IncomingMessage, request: InnerRequest, { carrier, loop }: Around): void {
  const body = bytesOf(request.body)
  incoming.method = request.method
  incoming.url = request.url
  incoming.httpVersion = '1.1'
  incoming.httpVersionMajor = 1
  incoming.httpVersionMinor = 1
  setHeaders(incoming, request.headers, loop, body)
  const { tool, identity } = request
  if (tool !== undefined) markToolCall(incoming, { tool, carrier, identity })
  incoming.complete = true
  if (body === undefined || body.length === 0) {
    incoming._read = endNow
    return
  }
  incoming.push(body)
  incoming.push(null)
}

/** That there is no body is told to who asks: to tell everybody takes several turns. */
function endNow(this: IncomingMessage): void {
  this.push(null)
}

function bytesOf(body: InnerRequest['body']): Buffer | undefined {
  if (body === undefined) return undefined
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length)
}

/** Node makes all four forms of the headers from what its parser found, and here there was no parser. */
function setHeaders(
  incoming: IncomingMessage,
  given: InnerRequest['headers'],
  loop: string | undefined,
  body: Buffer | undefined,
): void {
  const headers: Record<string, string> = {}
  const distinct: Record<string, string[]> = {}
  const { rawHeaders } = incoming
  const set = (name: string, value: string): void => {
    headers[name] = value
    distinct[name] = [value]
    rawHeaders.push(name, value)
  }
  for (const name in given) set(name, given[name] as string)
  if (loop !== undefined) set(loopHeader, loop)
  if (body !== undefined || withBody.has(incoming.method as string))
    set('content-length', String(body?.length ?? 0))
  incoming.headers = headers
  incoming.headersDistinct = distinct
}
