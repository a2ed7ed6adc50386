/** A web request as `HttpRequest`, and the web response that ends it. */

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

/** What was found out about a request before it became one of ours. */
export interface FetchTarget {
  readonly endpoint: Endpoint
  readonly url: URL
  readonly given: Given<object>
}

/** These statuses have no body, not even an empty one. */
const bodiless: readonly number[] = [204, 304]

export class FetchRequest implements HttpRequest {
  readonly raw: Request
  readonly endpoint: Endpoint
  readonly caller: Given<object>
  readonly trustsProxy = false
  /** Over HTTP/2 it stands in the URL alone. */
  readonly host: string | undefined
  readonly peerAddress: string | undefined
  readonly #url: URL
  readonly #listeners = new Set<(answered: boolean) => void>()
  /** Set once: our answer was handed over whole, or cannot be any more. */
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

  /** A runtime tells of a client that left by the signal of the request, by no longer reading the answer, or by both. */
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

  /** The answer; from here on a text is in the hands of the runtime, and counts as sent. */
  respond({ status, headers, body }: HttpResponse): Response {
    if (isPieces(body)) {
      const onEnd = (answered: boolean): void => this.#settle(answered)
      return new Response(toStream(body, { onEnd, probeMs: probeMsFor(this.raw) }), { status, headers })
    }
    this.#settle(true)
    return new Response(bodiless.includes(status) ? null : (body ?? null), { status, headers })
  }

  #settle(answered: boolean): void {
    if (this.#answered !== undefined) return
    this.#answered = answered
    if (this.#listeners.size > 0) this.raw.signal.removeEventListener('abort', this.#onAbort)
    for (const listener of this.#listeners) listener(answered)
    this.#listeners.clear()
  }
}

/** A handler is to hear of it within a second. */
const everyMs = 750
const soonMs = 200

/**
 * How often an answer that has begun must be tried: workerd tells of a connection that was closed, and not reset, with the
 * next write. Only while a call runs: what else streams can wait for the comments that all streams have. `undefined`: never.
 */
export function probeMsFor(request: Request): number | undefined {
  return isCallOnWorkers(request) ? everyMs : undefined
}

/** How long a handler may run before its answer begins. `undefined`: until the answer is known. */
export function beginAfterMsFor(request: Request): number | undefined {
  return isCallOnWorkers(request) ? soonMs : undefined
}

function isCallOnWorkers({ method, headers }: Request): boolean {
  const { navigator } = globalThis as { navigator?: { readonly userAgent?: string } }
  if (navigator?.userAgent !== 'Cloudflare-Workers' || method !== 'POST') return false
  return headers.get('mcp-method') !== 'subscriptions/listen'
}
