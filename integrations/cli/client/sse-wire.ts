/** HTTP+SSE, the transport of 2024-11-05: one stream for all that the server says, and an address to post to. */

import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../../src/internal.js'
import { parsed, textOf, tooLarge } from './bounds.js'
import { eventsOf } from './event-stream.js'
import { HttpFailure } from './http-failure.js'
import { isAnswer, isNoAnswer, isSaid, isStream, noAnswer } from './http-wire.js'
import { acceptedInTime } from './patience.js'
import { ServerFailure } from './server-failure.js'
import { cancelled, type Sending, type Wire } from './wire.js'

interface Pending {
  readonly hear: Sending['hear']
  readonly resolve: (answer: JsonRpcResponse) => void
  readonly reject: (error: unknown) => void
}

/** How long a server may take to say where to post. */
const patience = 10_000

/** @throws HttpFailure or ServerFailure where there is no such stream. */
export async function openSse(url: string, headers: Readonly<Record<string, string>>): Promise<Wire> {
  const gone = new AbortController()
  const late = setTimeout(
    () => gone.abort(new ServerFailure(`${url} opens a stream, but says nothing`)),
    patience,
  )
  try {
    const response = await fetch(url, {
      headers: { Accept: 'text/event-stream', ...headers },
      redirect: 'manual',
      signal: gone.signal,
    })
    if (!isStream(response) || response.body === null) {
      gone.abort()
      throw new HttpFailure(url, response, '')
    }
    const events = eventsOf(response.body, tooLarge(url))
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (next.value.event !== 'endpoint') continue
      const endpoint = new URL(next.value.data, url)
      // Tokens go to where the user sent them, nowhere else.
      if (endpoint.origin !== new URL(url).origin)
        throw new ServerFailure(`${url} wants messages at another origin: ${endpoint.origin}`)
      return new SseWire(endpoint.href, headers, events, gone)
    }
    throw new ServerFailure(`${url} ended its stream before it said where to post`)
  } finally {
    clearTimeout(late)
  }
}

class SseWire implements Wire {
  readonly #endpoint: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #gone: AbortController
  readonly #pending = new Map<unknown, Pending>()

  constructor(
    endpoint: string,
    headers: Readonly<Record<string, string>>,
    events: ReturnType<typeof eventsOf>,
    gone: AbortController,
  ) {
    this.#endpoint = endpoint
    this.#headers = headers
    this.#gone = gone
    const over = new ServerFailure(`${endpoint} ended its stream before it had answered`)
    void this.#read(events).then(
      () => this.#fail(over),
      (error) => this.#fail(error),
    )
  }

  agree(): void {}

  request(message: JsonRpcRequest, { hear, signal }: Sending): Promise<JsonRpcResponse> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      this.#pending.set(message.id, { hear, resolve, reject })
      signal?.addEventListener('abort', () => {
        reject(signal.reason)
        void this.post(cancelled(message)).catch(() => {})
      })
      this.post(message).catch(reject)
    })
  }

  async post(message: JsonRpcNotification | JsonRpcResponse | JsonRpcRequest): Promise<void> {
    const response = await fetch(this.#endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...this.#headers },
      redirect: 'manual',
      signal: acceptedInTime(this.#endpoint),
      body: JSON.stringify(message),
    })
    const text = await textOf(response, this.#endpoint)
    if (!response.ok) throw new HttpFailure(this.#endpoint, response, text)
  }

  async close(): Promise<void> {
    this.#gone.abort()
  }

  async #read(events: ReturnType<typeof eventsOf>): Promise<void> {
    for await (const { data } of events) {
      const said = parsed(data)
      const broken = [...this.#pending.keys()].find((id) => isNoAnswer(said, id))
      if (broken !== undefined) this.#pending.get(broken)?.reject(noAnswer(this.#endpoint))
      else if (isAnswer(said)) {
        this.#pending.get(said.id)?.resolve(said)
        this.#pending.delete(said.id)
      } else if (isSaid(said)) {
        // The stream does not say what belongs to which request.
        ;[...this.#pending.values()].at(-1)?.hear(said)
      }
    }
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}
