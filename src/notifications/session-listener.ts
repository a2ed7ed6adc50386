/** One legacy session that has GET streams on this machine: a notice goes out on exactly one of them. */

import type { EventLog } from '../sessions/event-log.js'
import type { Connection } from '../sessions/read-along.js'
import type { Notification } from './notification.js'
import type { Listener } from './notification-hub.js'
import type { Before, Place } from './session-holders.js'
import type { SessionSubscriptions } from './session-subscriptions.js'
import type { VisibilityFilter } from './visibility-filter.js'

/** Notices that are kept for a stream that is about to be here. */
const mostKept = 1_000

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
  /** Which machine sends its notices. */
  place: Place
  /** The machine that has it, where that is another one. */
  holder: string | undefined
  /** What its client may be told of, as it came last. */
  filter: VisibilityFilter | undefined
  /** Streams that are about to be here. */
  opening = 0
  /** One of them is, and what was kept for it has not gone out. */
  settling = false
  /** Resolves when all of them are: they are opened one after the other. */
  opened: Promise<void> = Promise.resolve()
  /** The opening that is under way, and the one that this machine took the session for. */
  current: Promise<void> | undefined
  taken: Promise<void> | undefined
  readonly #subscriptions: SessionSubscriptions
  /** Came before this machine took the session: nobody has sent them if no machine had it. */
  #early: Notification[] = []
  /** Were found in the log of notices before they were heard. */
  #found = new Set<string | undefined>()
  /** Came since, for the stream that is about to be here. */
  #kept: Notification[] = []

  constructor(key: string, subscriptions: SessionSubscriptions, place: Place) {
    this.key = key
    this.place = place
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

  deliver(notice: Notification): void {
    if (notice.at !== undefined && this.#found.delete(notice.at)) return
    if (this.place === 'here') {
      if (this.#waits) keep(this.#kept, notice)
      else this.#send(notice)
    } else if (this.place === 'unknown' || this.opening > 0) keep(this.#early, notice)
  }

  /** Another machine has it: what came before is not this one's to send. */
  give(holder: string): void {
    this.place = 'elsewhere'
    this.holder = holder
    this.#early = []
  }

  /**
   * The stream is here: what was kept for it goes out, after what nobody has sent. `last`: the place of the last notice
   * that was heard.
   */
  settle(before: Before, missed: readonly Notification[] = [], last?: string): void {
    const kept = before === 'nobody' ? [...this.#early, ...this.#kept] : this.#kept
    this.settling = false
    this.#early = []
    this.#kept = []
    const found = new Set(missed.map(({ at }) => at))
    for (const notice of missed) this.#send(notice)
    for (const notice of kept) if (notice.at === undefined || !found.has(notice.at)) this.#send(notice)
    this.#found = new Set(missed.slice(missed.findLastIndex(({ at }) => at === last) + 1).map(({ at }) => at))
  }

  close(): void {
    for (const { connection } of this.streams) connection?.end()
  }

  /** A stream is about to be here and no other one is, or notices that came earlier have not been sent. */
  get #waits(): boolean {
    if (this.settling || this.#early.length > 0) return true
    return this.opening > 0 && !this.streams.some(({ connection }) => connection !== undefined)
  }

  #send(notice: Notification): void {
    const { uri } = notice
    if (uri !== undefined && !this.#subscriptions.has(this.key, uri)) return
    if (this.filter?.allows(notice) === false) return
    for (const { connection, log } of this.streams.toReversed()) {
      if (connection === undefined) continue
      if (!connection.isBehind) {
        connection.notify(notice.text, log?.write(notice.text, false, notice.at))
        return
      }
      // A reader that slow comes back for the rest.
      connection.end()
    }
    this.streams.findLast(({ log }) => log !== undefined)?.log?.write(notice.text, false, notice.at)
  }
}

function keep(notices: Notification[], notice: Notification): void {
  notices.push(notice)
  if (notices.length > mostKept) notices.shift()
}
