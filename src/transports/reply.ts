/** JSON unless something streams: the answer becomes an event stream at its first notice, before the status went out. */

import type { Core } from '../core.js'
import { PreparedText } from '../prepared.js'
import type { JsonRpcNotification, JsonRpcRequest } from '../protocol/types.js'
import type { EventLog } from '../sessions/event-log.js'
import { isThenable } from '../thenable.js'
import type { Accepted } from './accept.js'
import { AnswerStream } from './answer-stream.js'
import type { HttpResponse } from './shapes.js'
import { type EventStream, frame, type KeepAlive, sseHeaders } from './sse.js'

/** What a request came to: JSON texts (a batch has several), or none when nobody waits. */
export interface Answered {
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
  /** Milliseconds after which an answer begins as a stream, where nothing else would tell that its client has left. */
  readonly streamAfterMs: number | undefined
  /** The host has said who is calling: a status that refuses them would have come by now. */
  readonly isIdentified: boolean
  /** Whether the client could come back for the answer. */
  readonly canResume: boolean
  /** Asked once, when the stream opens: where its events are kept. */
  toLog(): EventLog | undefined
  /** The connection is gone. */
  leave(): void
}

/** An answer whose form is not known yet, or that streams. */
export class Reply {
  readonly #parts: ReplyParts
  readonly #accept: Accepted
  readonly #reader: Reader
  #stream: AnswerStream | undefined
  #resolve: ((response: HttpResponse) => void) | undefined

  constructor(parts: ReplyParts, accept: Accepted, reader: Reader) {
    this.#parts = parts
    this.#accept = accept
    this.#reader = reader
  }

  /** Runs `work`; the answer is there as soon as its form is known. `work` must neither throw nor reject. */
  run(work: () => Answered | Promise<Answered>): HttpResponse | Promise<HttpResponse> {
    const answered = work()
    if (!isThenable(answered)) return this.#end(answered)
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#stream !== undefined) resolve(streamed(this.#stream.connection))
      const timer = this.#streamsSoon()
      void answered.then((known) => {
        clearInterval(timer)
        resolve(this.#end(known))
      })
    })
  }

  /** A stream that begins so is not kept: whoever leaves it ends the call, as whoever leaves before the answer does. */
  #streamsSoon(): ReturnType<typeof setInterval> | undefined {
    const { streamAfterMs } = this.#reader
    if (streamAfterMs === undefined || !this.streams) return undefined
    const timer = setInterval(() => {
      if (!this.#reader.isIdentified) return
      clearInterval(timer)
      this.#open({ isKept: false })
    }, streamAfterMs)
    return timer
  }

  #end(answered: Answered): HttpResponse {
    if (answered.stream !== undefined) return streamed(answered.stream)
    if (this.#stream === undefined) return toResponse(answered, this.#accept)
    this.#stream.finish(answered.messages.map(String))
    return streamed(this.#stream.connection)
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
    const text = JSON.stringify(message)
    return this.#open().notify(text)
  }

  /** Closes the connection; the client comes back for the answer. False where it cannot. */
  pause(retryMs: number): boolean {
    if (!this.#accept.sse) return false
    const { isKept } = this.#stream ?? { isKept: this.#reader.canResume }
    return isKept && this.#open().pause(retryMs)
  }

  /** The connection is gone. */
  leave(): void {
    this.#stream?.leave()
  }

  #open({ isKept }: { readonly isKept: boolean } = { isKept: true }): AnswerStream {
    if (this.#stream !== undefined) return this.#stream
    const reader = this.#reader
    const log = isKept ? reader.toLog() : undefined
    const onReaderGone = (): void => reader.leave()
    this.#stream = new AnswerStream({ ...this.#parts, log, onReaderGone })
    this.#resolve?.(streamed(this.#stream.connection))
    return this.#stream
  }
}

function streamed(body: EventStream): HttpResponse {
  return { status: 200, headers: { ...sseHeaders }, body }
}

function toResponse({ status, headers, messages, batch }: Answered, accept: Accepted): HttpResponse {
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
