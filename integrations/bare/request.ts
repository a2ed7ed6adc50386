/** Adapts a request of `bare-http1` to `HttpRequest`, and writes its response. */

import {
  type Endpoint,
  type HttpRequest,
  type HttpResponse,
  isPieces,
  type Pieces,
  type RequestBody,
  type Sink,
} from '../../src/adapter.js'

/** The members of a request of `bare-http1` that are used. */
export interface BareIncoming {
  readonly method: string
  readonly url: string
  readonly headers: object
  on(event: 'data' | 'end' | 'error' | 'close', listener: (...args: unknown[]) => void): unknown
}

/** The members of its response that are used. */
export interface BareOutgoing {
  statusCode: number
  readonly destroyed: boolean
  readonly socket: { readonly remoteAddress?: string | null | undefined } | null
  setHeader(name: string, value: string | number): unknown
  write(text: string): boolean
  end(text?: string | Uint8Array): unknown
  on(event: 'finish' | 'close' | 'drain', listener: () => void): unknown
}

export class BareRequest implements HttpRequest {
  readonly raw: BareIncoming
  readonly endpoint: Endpoint
  readonly trustsProxy = false
  readonly #response: BareOutgoing
  #written = false

  constructor(request: BareIncoming, response: BareOutgoing, endpoint: Endpoint) {
    this.raw = request
    this.endpoint = endpoint
    this.#response = response
  }

  get method(): string {
    return this.raw.method
  }
  get url(): string {
    return this.raw.url
  }
  get headers(): Record<string, string | string[] | undefined> {
    return this.raw.headers as Record<string, string | string[] | undefined>
  }
  get host(): string | undefined {
    return this.header('host')
  }
  get ip(): string | undefined {
    return this.peerAddress
  }
  get peerAddress(): string | undefined {
    return this.#response.socket?.remoteAddress ?? undefined
  }

  header(name: string): string | undefined {
    const value = this.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  onClose(listener: (answered: boolean) => void): void {
    let notified = false
    const notify = (answered: boolean): void => {
      if (notified) return
      notified = true
      listener(answered)
    }
    this.#response.on('finish', () => notify(this.#written))
    this.#response.on('close', () => notify(false))
  }

  async readBody(maxBytes: number): Promise<RequestBody> {
    const { 'content-encoding': encoding = 'identity' } = this.headers
    if (encoding !== 'identity') return { kind: 'encoded', encoding: String(encoding) }
    return readStream(this.raw, maxBytes)
  }

  respond({ status, headers, body }: HttpResponse): void {
    const response = this.#response
    response.statusCode = status
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (isPieces(body)) {
      body.pipeTo(new ResponseSink(response, body, () => this.#markWritten()))
      return
    }
    this.#markWritten()
    if (body !== undefined) response.setHeader('Content-Length', Buffer.byteLength(body))
    response.end(body)
  }

  #markWritten(): void {
    this.#written = true
  }
}

/** Limit on the bytes of a too large body that are read and discarded so that the client can read the response. */
const maxDiscardedBytes = 64 * 1024 * 1024

/** Reads the body. Resolves with the first outcome; calling `resolve` again has no effect. */
function readStream(request: BareIncoming, maxBytes: number): Promise<RequestBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (piece) => {
      const chunk = piece as Buffer
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else if (size > maxDiscardedBytes) resolve({ kind: 'tooLarge' })
    })
    request.on('end', () => {
      const isWhole = size <= maxBytes
      resolve(isWhole ? { kind: 'text', text: Buffer.concat(chunks).toString() } : { kind: 'tooLarge' })
    })
    const onFailure = (): void => resolve({ kind: 'broken' })
    request.on('error', onFailure)
    request.on('close', onFailure)
  })
}

class ResponseSink implements Sink {
  readonly #response: BareOutgoing
  readonly #pieces: Pieces
  readonly #onEnd: () => void
  #isFull = false

  constructor(response: BareOutgoing, pieces: Pieces, onEnd: () => void) {
    this.#response = response
    this.#pieces = pieces
    this.#onEnd = onEnd
    response.on('close', () => pieces.leave())
    response.on('drain', () => this.#onDrain())
  }

  write(piece: string): boolean {
    if (this.#response.destroyed) return true
    this.#isFull = !this.#response.write(piece)
    return !this.#isFull
  }

  #onDrain(): void {
    if (!this.#isFull) return
    this.#isFull = false
    this.#pieces.resume()
  }

  end(): void {
    this.#onEnd()
    this.#response.end()
  }
}
