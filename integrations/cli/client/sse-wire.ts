/** The HTTP+SSE transport of 2024-11-05: one stream for all messages of the server, and an endpoint to post to. */

import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../../src/internal.js'
import { bodyText, parseJson, tooLarge } from './bounds.js'
import { eventsOf } from './event-stream.js'
import { HttpFailure } from './http-failure.js'
import { isMalformedResponse, isResponse, isServerMessage, isStream, malformedResponse } from './http-wire.js'
import { acceptanceTimeout } from './patience.js'
import { ServerFailure } from './server-failure.js'
import { cancelledNotification, type SendOptions, type Wire } from './wire.js'

interface Pending {
  readonly onMessage: SendOptions['onMessage']
  readonly resolve: (answer: JsonRpcResponse) => void
  readonly reject: (error: unknown) => void
}

/** How long a server may take to send its endpoint. Milliseconds. */
const endpointTimeoutMs = 10_000

/** Opens the stream and waits for the endpoint. @throws HttpFailure or ServerFailure if there's no such stream */
export async function openSse(url: string, headers: Readonly<Record<string, string>>): Promise<Wire> {
  const aborting = new AbortController()
  const timer = setTimeout(
    () => aborting.abort(new ServerFailure(`${url} opened a stream, but sent no endpoint`)),
    endpointTimeoutMs,
  )
  try {
    const response = await fetch(url, {
      headers: { Accept: 'text/event-stream', ...headers },
      redirect: 'manual',
      signal: aborting.signal,
    })
    if (!isStream(response) || response.body === null) {
      aborting.abort()
      throw new HttpFailure(url, response, '')
    }
    const events = eventsOf(response.body, tooLarge(url))
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (next.value.event !== 'endpoint') continue
      const endpoint = new URL(next.value.data, url)
      // The user's token must not go to another origin.
      if (endpoint.origin !== new URL(url).origin)
        throw new ServerFailure(`${url}: expected an endpoint of the same origin, got ${endpoint.origin}`)
      return new SseWire(endpoint.href, headers, events, aborting)
    }
    throw new ServerFailure(`${url} closed its stream without sending an endpoint`)
  } finally {
    clearTimeout(timer)
  }
}

class SseWire implements Wire {
  readonly #endpoint: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #aborting: AbortController
  readonly #pending = new Map<unknown, Pending>()

  constructor(
    endpoint: string,
    headers: Readonly<Record<string, string>>,
    events: ReturnType<typeof eventsOf>,
    aborting: AbortController,
  ) {
    this.#endpoint = endpoint
    this.#headers = headers
    this.#aborting = aborting
    const closed = new ServerFailure(`${endpoint} closed its stream without a response`)
    void this.#read(events).then(
      () => this.#fail(closed),
      (error) => this.#fail(error),
    )
  }

  negotiated(): void {}

  request(message: JsonRpcRequest, { onMessage, signal }: SendOptions): Promise<JsonRpcResponse> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      this.#pending.set(message.id, { onMessage, resolve, reject })
      signal?.addEventListener('abort', () => {
        reject(signal.reason)
        void this.post(cancelledNotification(message)).catch(() => {})
      })
      this.post(message).catch(reject)
    })
  }

  async post(message: JsonRpcNotification | JsonRpcResponse | JsonRpcRequest): Promise<void> {
    const response = await fetch(this.#endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...this.#headers },
      redirect: 'manual',
      signal: acceptanceTimeout(this.#endpoint),
      body: JSON.stringify(message),
    })
    const text = await bodyText(response, this.#endpoint)
    if (!response.ok) throw new HttpFailure(this.#endpoint, response, text)
  }

  async close(): Promise<void> {
    this.#aborting.abort()
  }

  async #read(events: ReturnType<typeof eventsOf>): Promise<void> {
    for await (const { data } of events) {
      const message = parseJson(data)
      const malformedId = [...this.#pending.keys()].find((id) => isMalformedResponse(message, id))
      if (malformedId !== undefined) this.#pending.get(malformedId)?.reject(malformedResponse(this.#endpoint))
      else if (isResponse(message)) {
        this.#pending.get(message.id)?.resolve(message)
        this.#pending.delete(message.id)
      } else if (isServerMessage(message)) {
        // Messages in the stream don't name their request, so the latest request gets them.
        ;[...this.#pending.values()].at(-1)?.onMessage(message)
      }
    }
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}
