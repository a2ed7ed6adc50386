/**
 * JSON unless something streams. An answer begins before it is known, and its status with it, as an event stream at its
 * first notice; and where nothing else would tell that its client has left, in the form that the client reads.
 */

import type { JsonRpcNotification, JsonRpcRequest } from '../../protocol/types.js'
import type { Core } from '../../server/core.js'
import type { EventLog } from '../../sessions/event-log.js'
import { jsonText } from '../../support/long-numbers.js'
import { isThenable } from '../../support/maybe-promise.js'
import { PreparedText } from '../../support/prepared-json.js'
import type { Accepted } from './accept.js'
import { type EarlyResponse, type EarlyResponseParts, earlyResponseAs, PaddedJson } from './early-response.js'
import type { HttpResponse } from './shapes.js'
import { type EventStream, frame, type KeepAlive, sseHeaders } from './sse.js'
import { StreamResponse } from './stream-response.js'

/** What a request came to: JSON texts (a batch has several), or none when nobody waits. */
export interface ReplyOutcome {
  readonly status: number
  readonly headers: Record<string, string>
  readonly messages: readonly (string | PreparedText)[]
  /** Sent as an array, however many there are. */
  readonly batch: boolean
  /** Stays open instead. */
  readonly stream?: EventStream
}

export interface ReplyParts {
  readonly core: Core
  readonly keepAlive: KeepAlive
}

/** Who waits for the answer. */
export interface Reader {
  /** How many milliseconds a handler may run before its answer begins. `undefined`: until the answer is known. */
  readonly beginAfterMs: number | undefined
  /** Whether the client could come back for the answer. */
  readonly canResume: boolean
  /** Asked once, when the stream opens: where its events are kept. */
  toLog(): EventLog | undefined
  /** The connection is gone. */
  leave(): void
}

/** An answer whose form is not known yet, or that has begun. */
export class Reply {
  readonly #parts: ReplyParts
  readonly #accept: Accepted
  readonly #reader: Reader
  #early: EarlyResponse | undefined
  /** The same where it began as an event stream: only there something comes before the answer. */
  #stream: StreamResponse | undefined
  #resolve: ((response: HttpResponse) => void) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #ended = false

  constructor(parts: ReplyParts, accept: Accepted, reader: Reader) {
    this.#parts = parts
    this.#accept = accept
    this.#reader = reader
  }

  /** The answer, as soon as its form is known. `answered` must not reject. */
  answer(answered: ReplyOutcome | Promise<ReplyOutcome>): HttpResponse | Promise<HttpResponse> {
    return isThenable(answered) ? this.#whenKnown(answered) : this.#end(answered)
  }

  #whenKnown(answered: Promise<ReplyOutcome>): Promise<HttpResponse> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#early !== undefined) resolve(this.#early.response)
      void answered.then((known) => resolve(this.#end(known)))
    })
  }

  /** A handler runs, so that no status refuses its caller any more: the answer begins soon, where it must. */
  onHandler(): void {
    const { beginAfterMs } = this.#reader
    if (beginAfterMs === undefined || this.#timer !== undefined || this.#ended) return
    this.#timer = setTimeout(() => this.#begin(), beginAfterMs)
  }

  #end(answered: ReplyOutcome): HttpResponse {
    this.#ended = true
    clearTimeout(this.#timer)
    if (answered.stream !== undefined) return earlyResponseAs('text/event-stream', answered.stream)
    if (this.#early === undefined) return toResponse(answered, this.#accept)
    this.#early.finish(answered.messages.map(String), answered.batch)
    return this.#early.response
  }

  /** Whether the client reads event streams. */
  get streams(): boolean {
    return this.#accept.sse
  }

  /** Whether the answer can still be fetched when the connection is gone. */
  get isKept(): boolean {
    return this.#stream?.isKept === true
  }

  /** Sends a notice of the running call, or a question. False: it cannot be sent. */
  send(message: JsonRpcNotification | JsonRpcRequest): boolean {
    if (!this.#accept.sse) return false
    const text = jsonText(message)
    return this.#beginStream().notify(text)
  }

  /** Closes the connection; the client comes back for the answer. False where it cannot. */
  pause(retryMs: number): boolean {
    if (!this.#accept.sse) return false
    const { isKept } = this.#stream ?? { isKept: this.#reader.canResume }
    if (isKept) this.#beginStream().pause(retryMs)
    return isKept
  }

  /** The connection is gone. */
  leave(): void {
    this.#stream?.leave()
  }

  /** Nothing of it is kept: whoever leaves it ends the call, as whoever leaves before it begins. */
  #begin(): void {
    if (this.#early !== undefined) return
    if (this.#accept.sse) this.#beginStream(false)
    else this.#tell(new PaddedJson(this.#begunParts()))
  }

  #beginStream(isKept = true): StreamResponse {
    if (this.#stream === undefined) {
      const log = isKept ? this.#reader.toLog() : undefined
      this.#stream = new StreamResponse({ ...this.#begunParts(), log })
      this.#tell(this.#stream)
    }
    return this.#stream
  }

  #begunParts(): EarlyResponseParts {
    const { core, keepAlive } = this.#parts
    return { core, keepAlive, onReaderGone: () => this.#reader.leave() }
  }

  #tell(begun: EarlyResponse): void {
    this.#early = begun
    this.#resolve?.(begun.response)
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
