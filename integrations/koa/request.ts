/** Koa's `ctx` as `HttpRequest`: its own words for host and address, and the answer through its own `ctx.body`. */

import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import {
  type Endpoint,
  type HttpRequest,
  type HttpResponse,
  isPieces,
  type McpError,
  type RequestBody,
} from '../../src/adapter.js'
import type { OnClose } from '../node/closing.js'
import { type NodeHost, NodeRequest } from '../node/request.js'
import { isGone, toPayload, writtenWhole } from '../node/response.js'
import type { KoaContext } from './context.js'

export class KoaRequest implements HttpRequest {
  readonly raw: KoaContext
  readonly endpoint: Endpoint
  readonly #node: NodeRequest

  constructor(ctx: KoaContext, endpoint: Endpoint) {
    this.raw = ctx
    this.endpoint = endpoint
    this.#node = new NodeRequest(ctx.req, ctx.res, endpoint, new KoaHost(ctx))
  }

  get method(): string {
    return this.raw.method
  }
  get url(): string {
    return this.#node.url
  }
  get headers(): IncomingHttpHeaders {
    return this.#node.headers
  }
  get ip(): string | undefined {
    return this.#node.ip
  }
  get host(): string | undefined {
    return this.#node.host
  }
  get protocol(): string {
    return this.raw.protocol
  }
  get trustsProxy(): boolean {
    return this.#node.trustsProxy
  }
  get refused(): McpError | undefined {
    return this.#node.refused
  }
  get peerAddress(): string | undefined {
    return this.#node.peerAddress
  }

  header(name: string): string | undefined {
    return this.#node.header(name)
  }

  readBody(maxBytes: number): RequestBody | Promise<RequestBody> {
    return this.#node.readBody(maxBytes)
  }

  onClose(listener: OnClose): void {
    this.#node.onClose(listener)
  }

  /** Leaves the answer to Koa, which writes it when the middleware in front of us is done. */
  respond({ status, headers, body }: HttpResponse): void {
    const ctx = this.raw
    if (ctx.headerSent || isGone(ctx.res)) {
      if (isPieces(body)) body.leave()
      return
    }
    ctx.status = body === undefined ? 204 : status
    for (const name in headers) setHeader(ctx, name, headers[name] as string)
    ctx.body = isPieces(body) ? this.#streamOf(body) : (toPayload(body) ?? null)
    // A stream, once it was read to its end.
    if (!isPieces(body)) this.#node.written = writtenWhole
    // Koa makes 204 of no body, unless the status allows for none.
    if (body === undefined) ctx.status = status
  }

  /** Koa destroys it when the client leaves; a slow client is waited for. */
  #streamOf(pieces: AsyncIterable<string>): Readable {
    const stream = Readable.from(pieces, { objectMode: false })
    stream.once('end', () => {
      this.#node.written = writtenWhole
    })
    expectLeaving(this.raw)
    return stream
  }
}

class KoaHost implements NodeHost {
  readonly #ctx: KoaContext

  constructor(ctx: KoaContext) {
    this.#ctx = ctx
  }

  get url(): string {
    return this.#ctx.originalUrl
  }
  get trustsProxy(): boolean {
    return this.#ctx.app.proxy
  }
  /** `X-Forwarded-Host` counts where the app says `proxy: true`. */
  get host(): string | undefined {
    return this.#ctx.host || undefined
  }
  /** Parsers of Koa leave it there. */
  get body(): unknown {
    return (this.#ctx.request as { readonly body?: unknown }).body
  }

  ip(): string | undefined {
    return this.#ctx.ip || undefined
  }
}

/** `Vary` is a list that earlier middleware may have begun. */
function setHeader(ctx: KoaContext, name: string, value: string): void {
  if (name === 'Vary') ctx.vary(value)
  else ctx.set(name, value)
}

/** How a client that leaves looks to Koa: in the middle of a stream, with or without unread bytes on the way. */
const leaving: readonly unknown[] = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE']

/** Koa tells the app of clients that leave a stream. With event streams that is how they end, and no error. */
function expectLeaving(ctx: KoaContext): void {
  const { onerror } = ctx
  ctx.onerror = (error) => {
    const { code } = (error ?? {}) as { code?: unknown }
    if (!leaving.includes(code)) onerror.call(ctx, error)
  }
}
