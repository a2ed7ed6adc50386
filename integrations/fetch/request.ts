/** Adapts a web request to `HttpRequest`, and creates its web response. */

import {
  type Endpoint,
  type HttpRequest,
  type HttpResponse,
  isPieces,
  type RequestBody,
} from '../../src/adapter.js'
import { readBody, takeBody } from './body.js'
import { type Given, peerAddressOf } from './given.js'
import { toStream } from './stream.js'

/** The endpoint and URL of a request, and the host's information about it. */
export interface FetchTarget {
  readonly endpoint: Endpoint
  readonly url: URL
  readonly given: Given<object>
}

/** Statuses whose responses must not have a body, not even an empty one. */
const statusesWithoutBody: readonly number[] = [204, 304]

export class FetchRequest implements HttpRequest {
  readonly raw: Request
  readonly endpoint: Endpoint
  readonly caller: Given<object>
  readonly trustsProxy = false
  /** From `Host`, else from the URL: HTTP/2 requests have it only there. */
  readonly host: string | undefined
  readonly peerAddress: string | undefined
  readonly #url: URL
  readonly #listeners = new Set<(answered: boolean) => void>()
  /** Set once: whether the response was handed over completely. */
  #answered: boolean | undefined
  readonly #onAbort = (): void => this.#settle(false)

  constructor(raw: Request, { endpoint, url, given }: FetchTarget) {
    this.raw = raw
    this.endpoint = endpoint
    this.caller = given
    this.#url = url
    this.host = raw.headers.get('host') ?? (URL.canParse(raw.url) ? url.host : undefined)
    this.peerAddress = peerAddressOf(raw, given)
  }

  get method(): string {
    return this.raw.method
  }
  get url(): string {
    return this.#url.pathname + this.#url.search
  }
  get headers(): Record<string, string> {
    return Object.fromEntries(this.raw.headers)
  }
  get ip(): string | undefined {
    return this.caller.ip ?? this.peerAddress
  }
  get protocol(): string {
    return this.#url.protocol.slice(0, -1)
  }

  get beginAfterMs(): number | undefined {
    return beginAfterMsFor(this.raw)
  }

  header(name: string): string | undefined {
    return this.raw.headers.get(name) ?? undefined
  }

  readBody(maxBytes: number): RequestBody | Promise<RequestBody> {
    const { body } = this.caller
    return body === undefined ? readBody(this.raw, maxBytes) : takeBody(this.raw, body, maxBytes)
  }

  /** Runtimes report a client's disconnect through the request's signal, by cancelling the response stream, or both. */
  onClose(listener: (answered: boolean) => void): void {
    const { signal } = this.raw
    if (signal.aborted) this.#settle(false)
    if (this.#answered !== undefined) {
      listener(this.#answered)
      return
    }
    if (this.#listeners.size === 0) signal.addEventListener('abort', this.#onAbort)
    this.#listeners.add(listener)
  }

  /** Creates the response. A text body counts as sent from here on, because the runtime writes it. */
  respond({ status, headers, body }: HttpResponse): Response {
    if (isPieces(body)) {
      const onEnd = (answered: boolean): void => this.#settle(answered)
      return new Response(toStream(body, { onEnd, probeMs: probeMsFor(this.raw) }), { status, headers })
    }
    this.#settle(true)
    return new Response(statusesWithoutBody.includes(status) ? null : (body ?? null), { status, headers })
  }

  #settle(answered: boolean): void {
    if (this.#answered !== undefined) return
    this.#answered = answered
    if (this.#listeners.size > 0) this.raw.signal.removeEventListener('abort', this.#onAbort)
    for (const listener of this.#listeners) listener(answered)
    this.#listeners.clear()
  }
}

/** Intervals that let a handler notice a disconnect within a second. Milliseconds. */
const probeIntervalMs = 750
const startDelayMs = 200

/**
 * Returns the interval at which to probe a started response: workerd reports a connection that was closed, but not
 * reset, only at the next write. Applies only to calls; the keep-alive comments are enough for other streams.
 * `undefined`: never.
 */
export function probeMsFor(request: Request): number | undefined {
  return isCallOnWorkers(request) ? probeIntervalMs : undefined
}

/** Returns how long a handler may run before its response is started. `undefined`: until the result is known. */
export function beginAfterMsFor(request: Request): number | undefined {
  return isCallOnWorkers(request) ? startDelayMs : undefined
}

function isCallOnWorkers({ method, headers }: Request): boolean {
  const { navigator } = globalThis as { navigator?: { readonly userAgent?: string } }
  if (navigator?.userAgent !== 'Cloudflare-Workers' || method !== 'POST') return false
  return headers.get('mcp-method') !== 'subscriptions/listen'
}
