/** The Streamable HTTP transport of 2026-07-28 and of earlier revisions, including resumption. */

import { setTimeout as wait } from 'node:timers/promises'
import {
  isObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../../../src/internal.js'
import { bodyText, parseJson, tooLarge } from './bounds.js'
import { eventsOf } from './event-stream.js'
import { HttpFailure } from './http-failure.js'
import { mirrorHeaders } from './mirror-headers.js'
import { acceptanceTimeout } from './patience.js'
import { ServerFailure } from './server-failure.js'
import { cancelledNotification, type SendOptions, type ServerMessage, type Wire } from './wire.js'

const acceptedTypes = 'application/json, text/event-stream'
/** How often one broken stream is resumed. */
const maxReconnects = 20
/** The longest delay before a stream is resumed, even if the server asks for more. Milliseconds. */
const maxReconnectDelayMs = 60_000
/** Time limit of cancellations and of ending the session, which are best effort. Milliseconds. */
const leaveTimeoutMs = 2_000

export class HttpWire implements Wire {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #fetch: typeof fetch
  #version: string | undefined
  #session: string | undefined

  /** `headers` are sent with every request. `send` replaces `fetch`, such as to record traffic. */
  constructor(url: string, headers: Readonly<Record<string, string>>, send: typeof fetch = fetch) {
    this.#url = url
    this.#headers = headers
    this.#fetch = send
  }

  negotiated(version: string): void {
    this.#version = version
  }

  async request(
    message: JsonRpcRequest,
    { onMessage, signal, headers }: SendOptions,
  ): Promise<JsonRpcResponse> {
    const mirrored = mirrorHeaders(message)
    const aborting = new AbortController()
    const abort = (): void => aborting.abort(signal?.reason)
    // Since 2026-07-28 disconnecting cancels the request. Earlier clients may disconnect and resume, so they must send a
    // notification. `initialize` can't be cancelled.
    const cancel = (): void => {
      if (mirrored !== undefined || message.method === 'initialize') abort()
      else
        void this.#send('POST', {}, AbortSignal.timeout(leaveTimeoutMs), cancelledNotification(message)).then(
          abort,
          abort,
        )
    }
    signal?.throwIfAborted()
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const response = await this.#send('POST', { ...mirrored, ...headers }, aborting.signal, message)
      this.#session = response.headers.get('mcp-session-id') ?? this.#session
      return await this.#answer(response, { id: message.id, onMessage, signal: aborting.signal })
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  async post(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    const response = await this.#send('POST', {}, acceptanceTimeout(this.#url), message)
    const text = await bodyText(response, this.#url)
    if (!response.ok) throw new HttpFailure(this.#url, response, text)
  }

  async close(): Promise<void> {
    if (this.#session === undefined) return
    const response = await this.#send('DELETE', {}, AbortSignal.timeout(leaveTimeoutMs))
    await response.body?.cancel()
  }

  async #send(
    method: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
    body?: object,
  ): Promise<Response> {
    const all = new Headers({ Accept: acceptedTypes, 'Content-Type': 'application/json' })
    if (this.#version !== undefined) all.set('MCP-Protocol-Version', this.#version)
    if (this.#session !== undefined) all.set('Mcp-Session-Id', this.#session)
    for (const [name, value] of Object.entries({ ...headers, ...this.#headers })) all.set(name, value)
    const send = this.#fetch
    return send(this.#url, {
      method,
      headers: all,
      // A redirect would forward the token.
      redirect: 'manual',
      signal: signal ?? null,
      body: body === undefined ? null : JSON.stringify(body),
    })
  }

  async #answer(response: Response, pending: PendingRequest): Promise<JsonRpcResponse> {
    if (isStream(response)) return this.#readStream(response, pending)
    const text = await bodyText(response, this.#url)
    const body = parseJson(text)
    const failure = new HttpFailure(this.#url, response, text)
    // An error without an id is about the HTTP request, not about the JSON-RPC request in it.
    const isAboutHttp = failure.isRefusal || (!response.ok && isObject(body) && body.id === undefined)
    if (!isResponse(body) || isAboutHttp) throw failure
    return body
  }

  /** Reads a stream until the response. A stream that breaks after an event id is resumed (2025-11-25, Resumability). */
  async #readStream(first: Response, { id, onMessage, signal }: PendingRequest): Promise<JsonRpcResponse> {
    let response = first
    let last: string | undefined
    for (let reconnects = 0; reconnects < maxReconnects && isStream(response); reconnects++) {
      let delay = 1_000
      try {
        for await (const event of eventsOf(response.body ?? emptyBody(), tooLarge(this.#url))) {
          last = event.id ?? last
          delay = Math.min(event.retry ?? delay, maxReconnectDelayMs)
          const message = parseJson(event.data)
          if (isResponse(message) && message.id === id) return message
          if (isMalformedResponse(message, id)) throw malformedResponse(this.#url)
          if (isServerMessage(message)) onMessage(message)
        }
      } catch (error) {
        if (signal.aborted || last === undefined || error instanceof ServerFailure) throw error
      }
      if (last === undefined) break
      await wait(delay, undefined, { signal })
      response = await this.#send('GET', { Accept: 'text/event-stream', 'Last-Event-ID': last }, signal)
    }
    throw new ServerFailure(`${this.#url} closed its stream without a response`)
  }
}

interface PendingRequest {
  readonly id: unknown
  readonly onMessage: SendOptions['onMessage']
  readonly signal: AbortSignal
}

export function isStream(response: Response): boolean {
  const type = response.headers.get('content-type') ?? ''
  return response.ok && /^text\/event-stream\b/i.test(type)
}

export function isResponse(value: unknown): value is JsonRpcResponse {
  return isObject(value) && (isObject(value.result) || isError(value.error)) && value.method === undefined
}

/** Whether a message has the id of the request, but no result, error or method. */
export function isMalformedResponse(value: unknown, id: unknown): boolean {
  return isObject(value) && value.id === id && value.method === undefined && !isResponse(value)
}

export function malformedResponse(url: string): ServerFailure {
  return new ServerFailure(
    `${url} responded with neither a result nor an error: expected an object as \`result\``,
  )
}

function isError(value: unknown): boolean {
  return isObject(value) && typeof value.code === 'number'
}

export function isServerMessage(value: unknown): value is ServerMessage {
  return isObject(value) && typeof value.method === 'string'
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
