/** Streamable HTTP, of 2026-07-28 and of the revisions before it. */

import { setTimeout as wait } from 'node:timers/promises'
import {
  isObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../../../src/client-adapter.js'
import { eventsOf } from './event-stream.js'
import { HttpFailure } from './http-failure.js'
import { mirrorHeaders } from './mirror-headers.js'
import { ServerFailure } from './server-failure.js'
import { cancelled, type Said, type Sending, type Wire } from './wire.js'

const both = 'application/json, text/event-stream'
/** Breaks of one stream after which a server is taken to be gone. */
const mostReturns = 20
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
    // Since 2026-07-28 who leaves cancels; before, who leaves may come back, so it must be said.
    const cancel = (): void => {
      if (mirrored !== undefined) leave()
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
    const response = await this.#send('POST', {}, undefined, message)
    const text = await response.text()
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
    const text = await response.text()
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
        for await (const event of eventsOf(response.body ?? none())) {
          last = event.id ?? last
          delay = event.retry ?? delay
          const said = parsed(event.data)
          if (isAnswer(said) && said.id === id) return said
          if (isSaid(said)) hear(said)
        }
      } catch (error) {
        if (signal.aborted || last === undefined) throw error
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

function isError(value: unknown): boolean {
  return isObject(value) && typeof value.code === 'number'
}

export function isSaid(value: unknown): value is Said {
  return isObject(value) && typeof value.method === 'string'
}

/** `undefined` for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function* none(): AsyncGenerator<Uint8Array> {}
