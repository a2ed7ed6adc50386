/**
 * The response to a POST request: JSON by default. It becomes an event stream at the first notification of the call. On
 * runtimes that only detect a disconnect while they write, it starts early, as a stream or as padded JSON.
 */

import type { JsonRpcNotification, JsonRpcRequest } from '../../protocol/types.js'
import type { Core } from '../../server/core.js'
import type { EventLog } from '../../sessions/event-log.js'
import { jsonText } from '../../support/long-numbers.js'
import { isThenable } from '../../support/maybe-promise.js'
import { PreparedText } from '../../support/prepared-json.js'
import type { Accepted } from './accept.js'
import { type EarlyResponse, type EarlyResponseParts, PaddedJson, toEarlyResponse } from './early-response.js'
import type { HttpResponse } from './shapes.js'
import { type EventStream, frame, type KeepAlive, sseHeaders } from './sse.js'
import { StreamResponse } from './stream-response.js'

/** The outcome of a request: JSON texts (several for a batch), or none for a cancelled request. */
export interface ReplyOutcome {
  readonly status: number
  readonly headers: Record<string, string>
  readonly messages: readonly (string | PreparedText)[]
  /** Whether to send the messages as an array, even a single one. */
  readonly batch: boolean
  /** The stream of a subscription, sent instead of messages. */
  readonly stream?: EventStream
}

export interface ReplyParts {
  readonly core: Core
  readonly keepAlive: KeepAlive
}

/** The client that waits for the response. */
export interface ReplyReader {
  /** Milliseconds that a handler may run before its response starts. If `undefined`, it starts when the result is known. */
  readonly beginAfterMs: number | undefined
  /** Whether the client can resume the response. */
  readonly canResume: boolean
  /** Creates the log of the response's events. Called once, when the stream opens. */
  toLog(): EventLog | undefined
  /** Handles a disconnect. */
  leave(): void
}

/** The response to one POST request, which may still become a stream. */
export class Reply {
  readonly #parts: ReplyParts
  readonly #accept: Accepted
  readonly #reader: ReplyReader
  #early: EarlyResponse | undefined
  /** The early response if it's an event stream, which can carry notifications. */
  #stream: StreamResponse | undefined
  #resolve: ((response: HttpResponse) => void) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #ended = false

  constructor(parts: ReplyParts, accept: Accepted, reader: ReplyReader) {
    this.#parts = parts
    this.#accept = accept
    this.#reader = reader
  }

  /** Returns the response as soon as its form is known. `outcome` must not reject. */
  respond(outcome: ReplyOutcome | Promise<ReplyOutcome>): HttpResponse | Promise<HttpResponse> {
    return isThenable(outcome) ? this.#respondLater(outcome) : this.#finish(outcome)
  }

  #respondLater(outcome: Promise<ReplyOutcome>): Promise<HttpResponse> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#early !== undefined) resolve(this.#early.response)
      void outcome.then((known) => resolve(this.#finish(known)))
    })
  }

  /** Schedules an early response, if needed, when a handler starts. From then on, the status is always 200. */
  onHandlerStart(): void {
    const { beginAfterMs } = this.#reader
    if (beginAfterMs === undefined || this.#timer !== undefined || this.#ended) return
    this.#timer = setTimeout(() => this.#beginEarly(), beginAfterMs)
  }

  #finish(outcome: ReplyOutcome): HttpResponse {
    this.#ended = true
    clearTimeout(this.#timer)
    if (outcome.stream !== undefined) return toEarlyResponse('text/event-stream', outcome.stream)
    if (this.#early === undefined) return toResponse(outcome, this.#accept)
    this.#early.finish(outcome.messages.map(String), outcome.batch)
    return this.#early.response
  }

  /** Whether the client accepts event streams. */
  get canStream(): boolean {
    return this.#accept.sse
  }

  /** Whether the client can resume the response after a disconnect. */
  get isResumable(): boolean {
    return this.#stream?.isResumable === true
  }

  /** Sends a notification of the running call, or a request to the client. Returns false if it can't be sent. */
  send(message: JsonRpcNotification | JsonRpcRequest): boolean {
    if (!this.#accept.sse) return false
    const text = jsonText(message)
    return this.#beginStream().notify(text)
  }

  /** Closes the connection, so that the client resumes later. Returns false if the response can't be resumed. */
  pause(retryMs: number): boolean {
    if (!this.#accept.sse) return false
    const { isResumable } = this.#stream ?? { isResumable: this.#reader.canResume }
    if (isResumable) this.#beginStream().pause(retryMs)
    return isResumable
  }

  /** Handles a disconnect. */
  leave(): void {
    this.#stream?.leave()
  }

  /** Starts the response before its result is known. It can't be resumed: a disconnect cancels the call. */
  #beginEarly(): void {
    if (this.#early !== undefined) return
    if (this.#accept.sse) this.#beginStream(false)
    else this.#startEarly(new PaddedJson(this.#earlyParts()))
  }

  #beginStream(isKept = true): StreamResponse {
    if (this.#stream === undefined) {
      const log = isKept ? this.#reader.toLog() : undefined
      this.#stream = new StreamResponse({ ...this.#earlyParts(), log })
      this.#startEarly(this.#stream)
    }
    return this.#stream
  }

  #earlyParts(): EarlyResponseParts {
    const { core, keepAlive } = this.#parts
    return { core, keepAlive, onReaderGone: () => this.#reader.leave() }
  }

  #startEarly(early: EarlyResponse): void {
    this.#early = early
    this.#resolve?.(early.response)
  }
}

function toResponse({ status, headers, messages, batch }: ReplyOutcome, accept: Accepted): HttpResponse {
  if (messages.length === 0) return { status, headers, body: undefined }
  if (!accept.json && status === 200) {
    const body = messages.map((message) => frame(String(message))).join('')
    return { status, headers: { ...headers, ...sseHeaders }, body }
  }
  headers['Content-Type'] = 'application/json'
  if (batch) return { status, headers, body: `[${messages.join(',')}]` }
  const [message] = messages
  return { status, headers, body: message instanceof PreparedText ? message.toBody() : message }
}
