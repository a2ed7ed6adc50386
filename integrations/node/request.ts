/** A Node request as `HttpRequest`: headers and address as Node has them, the body read or taken from a parser. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Endpoint, HttpRequest, HttpResponse, McpError, RequestBody } from '../../src/adapter.js'
import { ClosingRequest } from './closing.js'
import { nestedCall } from './inject/nesting.js'
import { writeResponse } from './response.js'

/** What a framework knows better than plain Node does. */
export interface NodeHost {
  /** The path and query as the client sent them. */
  readonly url: string
  readonly host: string | undefined
  readonly protocol?: string | undefined
  readonly trustsProxy: boolean
  /** What a parser made of the body, where the framework's parsers leave it elsewhere than on the request. */
  readonly body?: unknown
  /** The client's address; asked for only when somebody looks. */
  ip(): string | undefined
}

/** How much of a body that is too large is read away, so that the client gets to read the answer. */
const mostDiscarded = 64 * 1024 * 1024

type ParsedRequest = IncomingMessage & { body?: unknown }

export class NodeRequest extends ClosingRequest implements HttpRequest {
  readonly endpoint: Endpoint
  readonly #host: NodeHost
  constructor(request: IncomingMessage, response: ServerResponse, endpoint: Endpoint, host: NodeHost) {
    super(request, response)
    this.endpoint = endpoint
    this.#host = host
  }

  get raw(): IncomingMessage {
    return this.incoming
  }
  get method(): string {
    return this.raw.method ?? 'GET'
  }
  get url(): string {
    return this.#host.url
  }
  get headers(): IncomingMessage['headers'] {
    return this.raw.headers
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
  /** A route that runs as a tool may not call tools of its own app. */
  get refused(): McpError | undefined {
    return nestedCall(this.raw.headers)
  }
  get peerAddress(): string | undefined {
    return this.raw.socket.remoteAddress
  }

  header(name: string): string | undefined {
    return headerOf(this.raw, name)
  }

  /** Writes the answer. Never rejects. */
  respond(response: HttpResponse): void {
    this.written = writeResponse(this.response, response)
  }

  readBody(maxBytes: number): RequestBody | Promise<RequestBody> {
    const { body = this.#host.body, readableDidRead, readableEnded, headers } = this.raw as ParsedRequest
    // A stream of HTTP/2 that was cancelled is not destroyed: it ends, as if it were complete.
    if (this.raw.aborted) return { kind: 'broken' }
    // Parsers of Express 4 leave `{}` behind on bodies that they did not read, so the stream decides.
    if (!readableDidRead && !readableEnded) return readUnread(this.raw, maxBytes)
    if (body === undefined) return readableDidRead ? { kind: 'gone' } : { kind: 'text', text: '' }
    if (typeof body === 'string') return sized(body, Buffer.byteLength(body), maxBytes)
    if (body instanceof Uint8Array) return sized(Buffer.from(body).toString(), body.length, maxBytes)
    if (Number(headers['content-length']) > maxBytes) return { kind: 'tooLarge' }
    return { kind: 'parsed', value: body }
  }
}

/** One header by its lower-case name; repeated ones joined. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  if (name === 'authorization') return authorizationOf(request)
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Of this one Node keeps the first alone; which of several a proxy looked at is unknown. */
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

function sized(text: string, bytes: number, maxBytes: number): RequestBody {
  return bytes > maxBytes ? { kind: 'tooLarge' } : { kind: 'text', text }
}

function readUnread(request: IncomingMessage, maxBytes: number): RequestBody | Promise<RequestBody> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return { kind: 'encoded', encoding }
  return readStream(request, maxBytes)
}

/** Without a copy of all bytes in one place: memory outside of its heap makes V8 collect garbage early. */
function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only.toString()
  const decoder = new StringDecoder('utf8')
  let text = ''
  for (const chunk of chunks) text += decoder.write(chunk)
  return text + decoder.end()
}

/** The first outcome counts. */
export function readStream(request: Readable, maxBytes: number): Promise<RequestBody> {
  return new Promise((resolve) => {
    if (request.destroyed) return resolve({ kind: 'broken' })
    // None once there is an outcome: every request closes at its end, and Node tells the process of each second outcome.
    let chunks: Buffer[] | undefined = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks?.push(chunk)
      else if (size > mostDiscarded && chunks !== undefined) {
        chunks = undefined
        resolve({ kind: 'tooLarge' })
      }
    })
    request.on('end', () => {
      if (chunks === undefined) return
      const text = size > maxBytes ? undefined : textOf(chunks)
      // The listeners stay as long as the request does, which may be a stream.
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
