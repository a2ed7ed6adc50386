/** An event stream with a call's notifications and response. It has a log if the client can resume it. */

import type { EventLog } from '../../sessions/event-log.js'
import {
  type EarlyResponse,
  type EarlyResponseParts,
  toEarlyResponse,
  trackStream,
} from './early-response.js'
import type { HttpResponse } from './shapes.js'
import { EventStream } from './sse.js'

/** Milliseconds after which a client should reconnect. */
export const defaultRetryMs = 1_000

export interface StreamResponseParts extends EarlyResponseParts {
  /** The started log of the events; `undefined` if events have no ids, so that the stream can't be resumed. */
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
    this.response = toEarlyResponse('text/event-stream', this.#connection)
    trackStream(this.#connection, parts)
    if (log === undefined) return
    this.#connection.prime(log.position, defaultRetryMs)
  }

  /** Whether the client can resume the response after a disconnect. */
  get isResumable(): boolean {
    return this.#log !== undefined
  }

  /** Sends a message before the response. Returns false if the client is too slow or has disconnected for good. */
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
    // A cancelled call has no response, but machines that read the stream's log must see its end.
    if (answers.length === 0) this.#log?.write('', true)
    this.#connection.end()
  }

  /** Closes the connection of a resumable response, so that the client reconnects after `retryMs`. */
  pause(retryMs: number): void {
    this.#log?.pause(retryMs)
    this.#connection.retry(retryMs)
    this.#connection.end()
  }

  /** Ends the connection after a disconnect. */
  leave(): void {
    this.#connection.end()
  }
}
