/** Writes an `HttpResponse` to a Node response. Keeps headers set by the app, and respects backpressure. */

import type { ServerResponse } from 'node:http'
import type { Http2Stream } from 'node:http2'
import { type HttpResponse, isPieces, type Pieces, type Sink } from '../../src/adapter.js'

type Flushing = ServerResponse & { flush?: () => void }
/** Responses of `http2` have no `destroyed`, but their `stream` does. */
type Streaming = Partial<Pick<ServerResponse, 'destroyed'>> & { readonly stream?: Partial<Http2Stream> }

/** Whether a response was passed to the socket completely. For a streamed body this changes at its end. */
export interface Written {
  readonly whole: boolean
}

/** Length from which text is encoded before it's written. Characters. */
const longTextLength = 16 * 1024

export const writtenWhole: Written = { whole: true }
/** Not written: other code has responded already, or the client has disconnected. */
export const notWritten: Written = { whole: false }

export function writeResponse(response: ServerResponse, { status, headers, body }: HttpResponse): Written {
  if (response.headersSent || isOver(response)) {
    if (isPieces(body)) body.leave()
    return notWritten
  }
  response.statusCode = status
  for (const name in headers) setHeader(response, name, headers[name] as string)
  if (isPieces(body)) {
    response.flushHeaders()
    const sink = new ResponseSink(response, body)
    body.pipeTo(sink)
    return sink
  }
  // Node would otherwise copy a long text twice: to measure it, and to put the head in front of it.
  const bytes = typeof body === 'string' && body.length > longTextLength ? Buffer.from(body) : body
  if (bytes !== undefined) response.setHeader('Content-Length', Buffer.byteLength(bytes))
  response.end(bytes)
  return writtenWhole
}

/** Converts a body for frameworks that accept bytes only as a `Buffer`. */
export function toPayload(body: string | Uint8Array | undefined): string | Buffer | undefined {
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body
}

/** Sets a header. Appends to `Vary`, which earlier middleware may have set. */
function setHeader(response: ServerResponse, name: string, value: string): void {
  const present = name === 'Vary' ? response.getHeader('Vary') : undefined
  response.setHeader(name, present === undefined ? value : `${String(present)}, ${value}`)
}

/** Writes a streamed body. Waits for slow clients, and stops when the client disconnects. */
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
    // Compression middleware buffers what is written until `flush()`.
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

/** Whether the client has disconnected, or other code of the app has ended the response. */
function isOver(response: ServerResponse): boolean {
  return isGone(response) || response.writableEnded
}

/** Whether the connection or HTTP/2 stream is closed, so that nothing more can be written. */
export function isGone(response: ServerResponse): boolean {
  const { destroyed, stream }: Streaming = response
  return destroyed ?? (stream?.destroyed === true || stream?.closed === true)
}
