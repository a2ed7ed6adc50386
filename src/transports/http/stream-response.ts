/** The stream that carries one answer and the notices before it; kept in a log where the client may come back for it. */

import type { EventLog } from '../../sessions/event-log.js'
import { type EarlyResponse, type EarlyResponseParts, earlyResponseAs, holdOpen } from './early-response.js'
import type { HttpResponse } from './shapes.js'
import { EventStream } from './sse.js'

/** When a client whose connection broke is to come back, in milliseconds. */
export const defaultRetryMs = 1_000

export interface StreamResponseParts extends EarlyResponseParts {
  /** Where its events are kept, begun; `undefined`: they have no ids, and are gone with the connection. */
  readonly log: EventLog | undefined
}

export class StreamResponse implements EarlyResponse {
  readonly response: HttpResponse
  readonly #connection: EventStream
  readonly #log: EventLog | undefined

  constructor(parts: StreamResponseParts) {
    const { log, onReaderGone } = parts
    this.#log = log
    this.#connection = new EventStream(onReaderGone)
    this.response = earlyResponseAs('text/event-stream', this.#connection)
    holdOpen(this.#connection, parts)
    if (log === undefined) return
    this.#connection.prime(log.position, defaultRetryMs)
  }

  /** The answer can be fetched although the connection is gone. */
  get isKept(): boolean {
    return this.#log !== undefined
  }

  /** Sends a message before the answer. False when the reader is too far behind, or gone for good. */
  notify(json: string): boolean {
    const log = this.#log
    if (log === undefined) return this.#connection.notify(json)
    if (this.#connection.isBehind) return false
    this.#connection.notify(json, log.write(json))
    return true
  }

  finish(answers: readonly string[]): void {
    for (const [index, json] of answers.entries()) {
      const id = this.#log?.write(json, index === answers.length - 1)
      this.#connection.answer(json, id)
    }
    // A cancelled call has no answer; its stream still has an end, wherever it is read.
    if (answers.length === 0) this.#log?.write('', true)
    this.#connection.end()
  }

  /** Closes the connection of an answer that is kept: the client comes back for it. */
  pause(retryMs: number): void {
    this.#log?.pause(retryMs)
    this.#connection.retry(retryMs)
    this.#connection.end()
  }

  /** Nobody reads this connection any more. */
  leave(): void {
    this.#connection.end()
  }
}
