/** The stream that carries one answer and the notices before it; kept in a log where the client may come back for it. */

import type { Core } from '../core.js'
import type { EventLog } from '../sessions/event-log.js'
import { EventStream, type KeepAlive } from './sse.js'

/** When a client whose connection broke is to come back, in milliseconds. */
export const defaultRetryMs = 1_000

export interface AnswerStreamParts {
  readonly core: Core
  readonly keepAlive: KeepAlive
  /** Where its events are kept; `undefined`: they have no ids, and are gone with the connection. */
  readonly log: EventLog | undefined
  readonly onReaderGone: () => void
}

export class AnswerStream {
  /** What the mount reads. */
  readonly connection: EventStream
  readonly #parts: AnswerStreamParts

  constructor(parts: AnswerStreamParts) {
    const { core, keepAlive, log, onReaderGone } = parts
    this.#parts = parts
    this.connection = new EventStream(onReaderGone)
    keepAlive.add(this.connection)
    core.counts.streams += 1
    this.connection.onEnd(() => {
      keepAlive.delete(this.connection)
      core.counts.streams -= 1
    })
    if (log === undefined) return
    log.begin()
    this.connection.prime(log.position, defaultRetryMs)
  }

  /** The answer can be fetched although the connection is gone. */
  get isKept(): boolean {
    return this.#parts.log !== undefined
  }

  /** False when the reader is too far behind, or gone for good. */
  notify(json: string): boolean {
    const { log } = this.#parts
    if (log === undefined) return this.connection.notify(json)
    if (this.connection.isBehind) return false
    this.connection.answer(json, log.write(json))
    return true
  }

  /** The end, with the answers. */
  finish(answers: readonly string[]): void {
    for (const [index, json] of answers.entries()) {
      const id = this.#parts.log?.write(json, index === answers.length - 1)
      this.connection.answer(json, id)
    }
    // A cancelled call has no answer; its stream still has an end, wherever it is read.
    if (answers.length === 0) this.#parts.log?.write('', true)
    this.connection.end()
  }

  /** Closes the connection, not the stream. False where the client could not come back. */
  pause(retryMs: number): boolean {
    const { log } = this.#parts
    if (log === undefined) return false
    log.pause(retryMs)
    this.connection.retry(retryMs)
    this.connection.end()
    return true
  }

  /** Nobody reads this connection any more. */
  leave(): void {
    this.connection.end()
  }
}
