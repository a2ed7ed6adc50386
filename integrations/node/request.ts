/** Adapts a Node request to `HttpRequest`, and reads its body or takes it from a body parser. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Endpoint, HttpRequest, HttpResponse, McpError, RequestBody } from '../../src/adapter.js'
import { ClosingRequest } from './closing.js'
import { nestedCallError } from './inject/nesting.js'
import { writeResponse } from './response.js'

/** Properties of a request that a framework knows better than plain Node. */
export interface NodeHost {
  /** The path and query as the client sent them. */
  readonly url: string
  readonly host: string | undefined
  readonly protocol?: string | undefined
  readonly trustsProxy: boolean
  /** The parsed body, for frameworks whose parsers don't put it on the Node request. */
  readonly body?: unknown
  /** Returns the client's address. Called only when the address is needed. */
  ip(): string | undefined
}

/** Limit on the bytes of a too large body that are read and discarded so that the client can read the response. */
const maxDiscardedBytes = 64 * 1024 * 1024

type ParsedRequest = IncomingMessage & { body?: unknown }

export class NodeRequest extends ClosingRequest implements HttpRequest {
  readonly endpoint: Endpoint
  readonly #host: NodeHost
  constructor(request: IncomingMessage, response: ServerResponse, endpoint: Endpoint, host: NodeHost) {
    super(request, response)
    this.endpoint = endpoint
    this.#host = host
  }

  /** The argument of the options `user` and `context`. */
  get raw(): unknown {
    return this.incoming
  }
  get method(): string {
    return this.incoming.method ?? 'GET'
  }
  get url(): string {
    return this.#host.url
  }
  get headers(): IncomingMessage['headers'] {
    return this.incoming.headers
  }
  get ip(): string | undefined {
    return this.#host.ip()
  }
  get host(): string | undefined {
    return this.#host.host
  }
  get protocol(): string | undefined {
    return this.#host.protocol
  }
  get trustsProxy(): boolean {
    return this.#host.trustsProxy
  }
  /** A nested call: a route that runs as a tool must not call tools of its own app. */
  get refused(): McpError | undefined {
    return nestedCallError(this.incoming.headers)
  }
  get peerAddress(): string | undefined {
    return this.incoming.socket.remoteAddress
  }

  header(name: string): string | undefined {
    return headerOf(this.incoming, name)
  }

  /** Writes the response. Never throws. */
  respond(response: HttpResponse): void {
    this.written = writeResponse(this.response, response)
  }

  readBody(maxBytes: number): RequestBody | Promise<RequestBody> {
    const { body = this.#host.body, readableDidRead, readableEnded, headers } = this.incoming as ParsedRequest
    // A cancelled HTTP/2 stream isn't destroyed: it ends as if it were complete.
    if (this.incoming.aborted) return { kind: 'broken' }
    // Body parsers of Express 4 set `body` to `{}` even if they didn't read it, so check the stream.
    if (!readableDidRead && !readableEnded) return readUnread(this.incoming, maxBytes)
    if (body === undefined) return readableDidRead ? { kind: 'gone' } : { kind: 'text', text: '' }
    if (typeof body === 'string') return textBody(body, Buffer.byteLength(body), maxBytes)
    if (body instanceof Uint8Array) return textBody(Buffer.from(body).toString(), body.length, maxBytes)
    if (Number(headers['content-length']) > maxBytes) return { kind: 'tooLarge' }
    return { kind: 'parsed', value: body }
  }
}

/** Returns a header by its lower-case name. Repeated headers are joined. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  if (name === 'authorization') return authorizationOf(request)
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/**
 * Returns all `Authorization` headers. Node's `headers` has only the first, but a proxy may have checked another one.
 */
function authorizationOf({ rawHeaders, headers }: IncomingMessage): string | undefined {
  let all: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length !== 13 || name.toLowerCase() !== 'authorization') continue
    const value = rawHeaders[at + 1] as string
    all = all === undefined ? value : `${all}, ${value}`
  }
  return all ?? headers.authorization
}

function textBody(text: string, bytes: number, maxBytes: number): RequestBody {
  return bytes > maxBytes ? { kind: 'tooLarge' } : { kind: 'text', text }
}

function readUnread(request: IncomingMessage, maxBytes: number): RequestBody | Promise<RequestBody> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return { kind: 'encoded', encoding }
  return readStream(request, maxBytes)
}

/** Decodes chunk by chunk instead of concatenating: memory outside V8's heap triggers early garbage collection. */
function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only.toString()
  const decoder = new StringDecoder('utf8')
  let text = ''
  for (const chunk of chunks) text += decoder.write(chunk)
  return text + decoder.end()
}

/** Reads the body from a stream. Resolves with the first outcome: complete, too large or broken. */
export function readStream(request: Readable, maxBytes: number): Promise<RequestBody> {
  return new Promise((resolve) => {
    if (request.destroyed) return resolve({ kind: 'broken' })
    // `undefined` after the first outcome: a request always emits `close`, and Node reports each repeated `resolve`.
    let chunks: Buffer[] | undefined = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks?.push(chunk)
      else if (size > maxDiscardedBytes && chunks !== undefined) {
        chunks = undefined
        resolve({ kind: 'tooLarge' })
      }
    })
    request.on('end', () => {
      if (chunks === undefined) return
      const text = size > maxBytes ? undefined : textOf(chunks)
      // Listeners live as long as the request, which may stay open for a stream: free the chunks.
      chunks = undefined
      resolve(text === undefined ? { kind: 'tooLarge' } : { kind: 'text', text })
    })
    const onFailure = (): void => {
      if (chunks !== undefined) resolve({ kind: 'broken' })
      chunks = undefined
    }
    request.on('error', onFailure).on('close', onFailure)
  })
}
