/** One legacy session that has GET streams on this machine: a notice goes out on exactly one of them. */

import type { Connection, EventLog } from '../sessions/event-log.js'
import type { Notice } from './notice.js'
import type { Listener } from './notices.js'
import type { SessionSubscriptions } from './session-subscriptions.js'
import type { Sight } from './sight.js'

export interface Stream {
  /** `undefined`: its events have no ids, so nobody can come back for them. */
  readonly log: EventLog | undefined
  /** `undefined`: the client is away. */
  connection: Connection | undefined
  /** As `performance.now()` counts. */
  leftAt: number
}

export class SessionListener implements Listener {
  readonly key: string
  /** The newest last. */
  streams: readonly Stream[] = []
  /** Another machine has the session. */
  away: boolean
  /** What its client may be told of, as it came last. */
  sight: Sight | undefined
  /** Streams that are about to be here. */
  opening = 0
  readonly #subscriptions: SessionSubscriptions

  constructor(key: string, subscriptions: SessionSubscriptions, away: boolean) {
    this.key = key
    this.away = away
    this.#subscriptions = subscriptions
  }

  find(id: string): Stream | undefined {
    return this.streams.find(({ log }) => log?.stream === id)
  }

  add(log: EventLog | undefined): Stream {
    const stream: Stream = { log, connection: undefined, leftAt: 0 }
    this.streams = [...this.streams, stream]
    return stream
  }

  delete(stream: Stream): void {
    this.streams = this.streams.filter((one) => one !== stream)
  }

  hear(notice: Notice): void {
    const { uri } = notice
    if (this.away || (uri !== undefined && !this.#subscriptions.has(this.key, uri))) return
    if (this.sight?.allows(notice) === false) return
    for (const { connection, log } of this.streams.toReversed()) {
      if (connection === undefined) continue
      if (!connection.isBehind) {
        connection.answer(notice.text, log?.write(notice.text))
        return
      }
      // A reader that slow comes back for the rest.
      connection.end()
    }
    this.streams.findLast(({ log }) => log !== undefined)?.log?.write(notice.text)
  }

  close(): void {
    for (const { connection } of this.streams) connection?.end()
  }
}
