/** Streamable HTTP, of 2026-07-28 and of the revisions before it. */

import { setTimeout as wait } from 'node:timers/promises'
import {
  isObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../../../src/internal.js'
import { parsed, textOf, tooLarge } from './bounds.js'
import { eventsOf } from './event-stream.js'
import { HttpFailure } from './http-failure.js'
import { mirrorHeaders } from './mirror-headers.js'
import { acceptedInTime } from './patience.js'
import { ServerFailure } from './server-failure.js'
import { cancelled, type Said, type Sending, type Wire } from './wire.js'

const both = 'application/json, text/event-stream'
/** Breaks of one stream after which a server is taken to be gone. */
const mostReturns = 20
/** Before a stream is taken up again, whatever the server asks for. Milliseconds. */
const longestDelay = 60_000
/** What is said in leaving need not arrive. Milliseconds. */
const patience = 2_000

export class HttpWire implements Wire {
  readonly #url: string
  readonly #own: Readonly<Record<string, string>>
  readonly #fetch: typeof fetch
  #version: string | undefined
  #session: string | undefined

  /** `headers` go with every request; `send`: for those who want to see what travels. */
  constructor(url: string, headers: Readonly<Record<string, string>>, send: typeof fetch = fetch) {
    this.#url = url
    this.#own = headers
    this.#fetch = send
  }

  agree(version: string): void {
    this.#version = version
  }

  async request(message: JsonRpcRequest, { hear, signal, headers }: Sending): Promise<JsonRpcResponse> {
    const mirrored = mirrorHeaders(message)
    const left = new AbortController()
    const leave = (): void => left.abort(signal?.reason)
    // Since 2026-07-28 who leaves cancels; before, who leaves may come back, so it must be said. A handshake is never cancelled.
    const cancel = (): void => {
      if (mirrored !== undefined || message.method === 'initialize') leave()
      else void this.#send('POST', {}, AbortSignal.timeout(patience), cancelled(message)).then(leave, leave)
    }
    signal?.throwIfAborted()
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const response = await this.#send('POST', { ...mirrored, ...headers }, left.signal, message)
      this.#session = response.headers.get('mcp-session-id') ?? this.#session
      return await this.#answer(response, { id: message.id, hear, signal: left.signal })
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  async post(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    const response = await this.#send('POST', {}, acceptedInTime(this.#url), message)
    const text = await textOf(response, this.#url)
    if (!response.ok) throw new HttpFailure(this.#url, response, text)
  }

  async close(): Promise<void> {
    if (this.#session === undefined) return
    const response = await this.#send('DELETE', {}, AbortSignal.timeout(patience))
    await response.body?.cancel()
  }

  async #send(
    method: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
    body?: object,
  ): Promise<Response> {
    const all = new Headers({ Accept: both, 'Content-Type': 'application/json' })
    if (this.#version !== undefined) all.set('MCP-Protocol-Version', this.#version)
    if (this.#session !== undefined) all.set('Mcp-Session-Id', this.#session)
    for (const [name, value] of Object.entries({ ...headers, ...this.#own })) all.set(name, value)
    const send = this.#fetch
    return send(this.#url, {
      method,
      headers: all,
      // A redirection would take the token along.
      redirect: 'manual',
      signal: signal ?? null,
      body: body === undefined ? null : JSON.stringify(body),
    })
  }

  async #answer(response: Response, waiting: Waiting): Promise<JsonRpcResponse> {
    if (isStream(response)) return this.#follow(response, waiting)
    const text = await textOf(response, this.#url)
    const body = parsed(text)
    const failure = new HttpFailure(this.#url, response, text)
    // Without an id it is about the request of HTTP, not about what was asked in it.
    const isAboutHttp = failure.isRefusal || (!response.ok && isObject(body) && body.id === undefined)
    if (!isAnswer(body) || isAboutHttp) throw failure
    return body
  }

  /** A stream that breaks after it gave an id is taken up again there (2025-11-25, Resumability). */
  async #follow(first: Response, { id, hear, signal }: Waiting): Promise<JsonRpcResponse> {
    let response = first
    let last: string | undefined
    for (let returns = 0; returns < mostReturns && isStream(response); returns++) {
      let delay = 1_000
      try {
        for await (const event of eventsOf(response.body ?? none(), tooLarge(this.#url))) {
          last = event.id ?? last
          delay = Math.min(event.retry ?? delay, longestDelay)
          const said = parsed(event.data)
          if (isAnswer(said) && said.id === id) return said
          if (isNoAnswer(said, id)) throw noAnswer(this.#url)
          if (isSaid(said)) hear(said)
        }
      } catch (error) {
        if (signal.aborted || last === undefined || error instanceof ServerFailure) throw error
      }
      if (last === undefined) break
      await wait(delay, undefined, { signal })
      response = await this.#send('GET', { Accept: 'text/event-stream', 'Last-Event-ID': last }, signal)
    }
    throw new ServerFailure(`${this.#url} ended its stream before it had answered`)
  }
}

interface Waiting {
  readonly id: unknown
  readonly hear: Sending['hear']
  readonly signal: AbortSignal
}

export function isStream(response: Response): boolean {
  const type = response.headers.get('content-type') ?? ''
  return response.ok && /^text\/event-stream\b/i.test(type)
}

export function isAnswer(value: unknown): value is JsonRpcResponse {
  return isObject(value) && (isObject(value.result) || isError(value.error)) && value.method === undefined
}

/** A message with the id of a request that has neither a result nor an error, nor asks anything. */
export function isNoAnswer(value: unknown, id: unknown): boolean {
  return isObject(value) && value.id === id && value.method === undefined && !isAnswer(value)
}

export function noAnswer(url: string): ServerFailure {
  return new ServerFailure(
    `${url} answers with neither a result nor an error: expected an object as \`result\``,
  )
}

function isError(value: unknown): boolean {
  return isObject(value) && typeof value.code === 'number'
}

export function isSaid(value: unknown): value is Said {
  return isObject(value) && typeof value.method === 'string'
}

async function* none(): AsyncGenerator<Uint8Array> {}
