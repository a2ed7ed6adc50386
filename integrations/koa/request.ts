/** Adapts Koa's `ctx` to `HttpRequest`: host and address as Koa has them, and the response through `ctx.body`. */

import { Readable } from 'node:stream'
import { type Endpoint, type HttpResponse, isPieces } from '../../src/adapter.js'
import { type NodeHost, NodeRequest } from '../node/request.js'
import { isGone, toPayload, writtenWhole } from '../node/response.js'
import type { KoaContext } from './context.js'

export class KoaRequest extends NodeRequest {
  readonly #ctx: KoaContext

  constructor(ctx: KoaContext, endpoint: Endpoint) {
    super(ctx.req, ctx.res, endpoint, new KoaHost(ctx))
    this.#ctx = ctx
  }

  override get raw(): KoaContext {
    return this.#ctx
  }

  /** Sets the response. Koa writes it when the middleware in front of the mount is done. */
  override respond({ status, headers, body }: HttpResponse): void {
    const ctx = this.#ctx
    if (ctx.headerSent || isGone(ctx.res)) {
      if (isPieces(body)) body.leave()
      return
    }
    ctx.status = body === undefined ? 204 : status
    for (const name in headers) setHeader(ctx, name, headers[name] as string)
    ctx.body = isPieces(body) ? this.#streamOf(body) : (toPayload(body) ?? null)
    // For a stream, this is set at its end.
    if (!isPieces(body)) this.written = writtenWhole
    // Koa changes the status to 204 when the body is unset, so set it again.
    if (body === undefined) ctx.status = status
  }

  /** Creates a stream for the body. Koa destroys it when the client disconnects, and respects backpressure. */
  #streamOf(pieces: AsyncIterable<string>): Readable {
    const stream = Readable.from(pieces, { objectMode: false })
    stream.once('end', () => {
      this.written = writtenWhole
    })
    ignoreDisconnects(this.#ctx)
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
  get protocol(): string {
    return this.#ctx.protocol
  }
  get trustsProxy(): boolean {
    return this.#ctx.app.proxy
  }
  /** Returns the host. Koa uses `X-Forwarded-Host` if the app has `proxy: true`. */
  get host(): string | undefined {
    return this.#ctx.host || undefined
  }
  /** Returns the parsed body: Koa's body parsers set it on `ctx.request`. */
  get body(): unknown {
    return (this.#ctx.request as { readonly body?: unknown }).body
  }

  ip(): string | undefined {
    return this.#ctx.ip || undefined
  }
}

/** Sets a header. Appends to `Vary`, which earlier middleware may have set. */
function setHeader(ctx: KoaContext, name: string, value: string): void {
  if (name === 'Vary') ctx.vary(value)
  else ctx.set(name, value)
}

/** Codes of the errors that Koa gets when a client disconnects from a stream. */
const disconnectCodes: readonly unknown[] = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE']

/** Keeps disconnects from the app's error handler: clients end event streams this way, so they aren't errors. */
function ignoreDisconnects(ctx: KoaContext): void {
  const { onerror } = ctx
  ctx.onerror = (error) => {
    const { code } = (error ?? {}) as { code?: unknown }
    if (!disconnectCodes.includes(code)) onerror.call(ctx, error)
  }
}
