/** Fills a real IncomingMessage from an `InnerRequest`, as if it had been parsed from a socket. */

import type { IncomingMessage } from 'node:http'
import type { InnerRequest } from '../../../src/adapter.js'
import { loopHeader } from './loop-header.js'
import { markToolCall } from './tool-call.js'

/** Methods whose requests have a `Content-Length` even without a body. */
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH'])

interface RequestOrigin {
  /** The framework's own request of the tool call. */
  readonly carrier: unknown
  /** Value of the loop header, if the request should have one. */
  readonly loop: string | undefined
}

export function fillRequest(
  incoming: IncomingMessage,
  request: InnerRequest,
  { carrier, loop }: RequestOrigin,
): void {
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
    incoming._read = endOnRead
    return
  }
  incoming.push(body)
  incoming.push(null)
}

/** Ends the body when it's read: pushing the end in advance would cost every request several ticks. */
function endOnRead(this: IncomingMessage): void {
  this.push(null)
}

function bytesOf(body: InnerRequest['body']): Buffer | undefined {
  if (body === undefined) return undefined
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length)
}

/** Sets all four forms of the headers, which Node otherwise creates from its parser's output. */
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
  if (body !== undefined || methodsWithBody.has(incoming.method as string))
    set('content-length', String(body?.length ?? 0))
  incoming.headers = headers
  incoming.headersDistinct = distinct
}
