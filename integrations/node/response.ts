/** Writes an `HttpResponse` to a Node response: headers of the host stay, slow readers are waited for. */

import type { ServerResponse } from 'node:http'
import type { Http2Stream } from 'node:http2'
import { type HttpResponse, isPieces, type Pieces, type Sink } from '../../src/adapter.js'

type Flushing = ServerResponse & { flush?: () => void }
/** Responses of `http2` have no `destroyed` of their own, but a stream that has. */
type Streaming = Partial<Pick<ServerResponse, 'destroyed'>> & { readonly stream?: Partial<Http2Stream> }

/** Whether an answer was handed to the socket whole. Pieces go out later, as they come. */
export interface Written {
  readonly whole: boolean
}

/** Characters. */
const longText = 16 * 1024

export const written: Written = { whole: true }
/** Somebody else has answered already, or the client is gone. */
export const refused: Written = { whole: false }

export function writeResponse(response: ServerResponse, { status, headers, body }: HttpResponse): Written {
  if (response.headersSent || isOver(response)) {
    if (isPieces(body)) body.leave()
    return refused
  }
  response.statusCode = status
  for (const name in headers) setHeader(response, name, headers[name] as string)
  if (isPieces(body)) {
    response.flushHeaders()
    const sink = new ResponseSink(response, body)
    body.pipeTo(sink)
    return sink
  }
  // A long text would be copied for its length, and again with the head in front of it.
  const bytes = typeof body === 'string' && body.length > longText ? Buffer.from(body) : body
  if (bytes !== undefined) response.setHeader('Content-Length', Buffer.byteLength(bytes))
  response.end(bytes)
  return written
}

/** For frameworks that know bytes as buffers alone. */
export function toPayload(body: string | Uint8Array | undefined): string | Buffer | undefined {
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body
}

/** `Vary` is a list that earlier middleware may have begun. */
function setHeader(response: ServerResponse, name: string, value: string): void {
  const present = name === 'Vary' ? response.getHeader('Vary') : undefined
  response.setHeader(name, present === undefined ? value : `${String(present)}, ${value}`)
}

/** Slow readers are waited for; whoever is gone is left. */
class ResponseSink implements Sink, Written {
  whole = false
  readonly #response: Flushing
  readonly #pieces: Pieces

  constructor(response: ServerResponse, pieces: Pieces) {
    this.#response = response
    this.#pieces = pieces
  }

  write(piece: string): boolean {
    const response = this.#response
    if (isOver(response)) {
      this.#pieces.leave()
      return true
    }
    const flows = response.write(piece)
    // Compression middleware holds pieces back until it is told to let go.
    response.flush?.()
    if (!flows) response.once('drain', () => this.#pieces.resume())
    return flows
  }

  end(): void {
    if (isOver(this.#response)) return
    this.whole = true
    this.#response.end()
  }
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
