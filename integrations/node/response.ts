/** Writes an `HttpResponse` to a Node response: headers of the host stay, slow readers are waited for. */

import type { ServerResponse } from 'node:http'
import type { Http2Stream } from 'node:http2'
import type { HttpResponse } from '../../src/adapter.js'

type Flushing = ServerResponse & { flush?: () => void }
/** Responses of `http2` have no `destroyed` of their own, but a stream that has. */
type Streaming = Partial<Pick<ServerResponse, 'destroyed'>> & { readonly stream?: Partial<Http2Stream> }

/**
 * Resolves when everything was handed to the socket: `true`. `false` when it could not be, because the client is gone
 * or somebody else has answered already. Never rejects.
 */
export async function writeResponse(
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
): Promise<boolean> {
  if (response.headersSent || isOver(response)) {
    if (typeof body === 'object') await discard(body)
    return false
  }
  response.statusCode = status
  for (const name in headers) setHeader(response, name, headers[name] as string)
  if (typeof body === 'object') return writePieces(response, body)
  if (body !== undefined) response.setHeader('Content-Length', Buffer.byteLength(body))
  response.end(body)
  return true
}

/** `Vary` is a list that earlier middleware may have begun. */
function setHeader(response: ServerResponse, name: string, value: string): void {
  const present = name === 'Vary' ? response.getHeader('Vary') : undefined
  response.setHeader(name, present === undefined ? value : `${String(present)}, ${value}`)
}

async function writePieces(response: ServerResponse, pieces: AsyncIterable<string>): Promise<boolean> {
  response.flushHeaders()
  for await (const piece of pieces) {
    if (isOver(response)) return false
    const flows = response.write(piece)
    // Compression middleware holds pieces back until it is told to let go.
    ;(response as Flushing).flush?.()
    if (!flows && !(await drained(response))) return false
  }
  if (isOver(response)) return false
  response.end()
  return true
}

/** Leaving the loop tells the stream that nobody reads it. */
export async function discard(pieces: AsyncIterable<string>): Promise<void> {
  for await (const _ of pieces) return
}

/** The client is gone, or earlier code of the host has ended the response. */
function isOver(response: ServerResponse): boolean {
  return isGone(response) || response.writableEnded
}

/** Nothing can be written any more, because the connection or its stream is closed. */
export function isGone(response: ServerResponse): boolean {
  const { destroyed, stream }: Streaming = response
  return destroyed ?? (stream?.destroyed === true || stream?.closed === true)
}

/** False when the client left instead. */
function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const onDrain = (): void => settle(true)
    const onClose = (): void => settle(false)
    const settle = (flows: boolean): void => {
      response.off('drain', onDrain).off('close', onClose)
      resolve(flows)
    }
    response.on('drain', onDrain).on('close', onClose)
  })
}
