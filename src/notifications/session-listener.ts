/** A legacy session's GET streams on this machine. Every notification goes out on exactly one of them. */

import type { EventLog } from '../sessions/event-log.js'
import type { Connection } from '../sessions/read-along.js'
import type { Notification } from './notification.js'
import type { Listener } from './notification-hub.js'
import type { SessionLocation, TakeoverResult } from './session-holders.js'
import type { SessionSubscriptions } from './session-subscriptions.js'
import type { VisibilityFilter } from './visibility-filter.js'

/** The maximum number of notifications that are buffered while a stream is opened. */
const maxBuffered = 1_000

export interface Stream {
  /** `undefined` if events have no ids, so that the stream can't be resumed. */
  readonly log: EventLog | undefined
  /** `undefined` while the client is disconnected. */
  connection: Connection | undefined
  /** In the time of `performance.now()`. */
  disconnectedAt: number
}

export class SessionListener implements Listener {
  readonly key: string
  /** Newest last. */
  streams: readonly Stream[] = []
  /** The machine that sends the session's notifications. */
  location: SessionLocation
  /** The id of the machine that holds the session, if it's another one. */
  holder: string | undefined
  /** Allows what the client may see, by the latest request that opened a stream. */
  filter: VisibilityFilter | undefined
  /** The number of streams that are being opened. */
  opening = 0
  /** Whether a stream is open, but the notifications buffered for it haven't been sent yet. */
  isFlushPending = false
  /** Resolves when all streams are open. They're opened one after the other. */
  lastOpening: Promise<void> = Promise.resolve()
  /** The opening that is running. */
  currentOpening: Promise<void> | undefined
  /** The opening for which this machine took the session. */
  takingOpening: Promise<void> | undefined
  readonly #subscriptions: SessionSubscriptions
  /** Notifications from before this machine took the session. If no machine held it, nobody has sent them. */
  #receivedBeforeTake: Notification[] = []
  /** Log ids of notifications that were sent from the log before the hub delivered them. */
  #sentFromLog = new Set<string | undefined>()
  /** Notifications since then, for the stream that is being opened. */
  #buffered: Notification[] = []

  constructor(key: string, subscriptions: SessionSubscriptions, location: SessionLocation) {
    this.key = key
    this.location = location
    this.#subscriptions = subscriptions
  }

  find(id: string): Stream | undefined {
    return this.streams.find(({ log }) => log?.stream === id)
  }

  add(log: EventLog | undefined): Stream {
    const stream: Stream = { log, connection: undefined, disconnectedAt: 0 }
    this.streams = [...this.streams, stream]
    return stream
  }

  delete(stream: Stream): void {
    this.streams = this.streams.filter((one) => one !== stream)
  }

  deliver(notification: Notification): void {
    if (notification.logId !== undefined && this.#sentFromLog.delete(notification.logId)) return
    if (this.location === 'here') {
      if (this.#mustBuffer) buffer(this.#buffered, notification)
      else this.#send(notification)
    } else if (this.location === 'unknown' || this.opening > 0) buffer(this.#receivedBeforeTake, notification)
  }

  /** Records that another machine holds the session and sends the earlier notifications. */
  handOver(holder: string): void {
    this.location = 'elsewhere'
    this.holder = holder
    this.#receivedBeforeTake = []
  }

  /**
   * Sends the buffered notifications once the stream is open, after `missed`, those that no machine has sent. `last` is the
   * log id of the last received notification.
   */
  flush(takeover: TakeoverResult, missed: readonly Notification[] = [], last?: string): void {
    const pending =
      takeover === 'no-holder' ? [...this.#receivedBeforeTake, ...this.#buffered] : this.#buffered
    this.isFlushPending = false
    this.#receivedBeforeTake = []
    this.#buffered = []
    const sentIds = new Set(missed.map(({ logId }) => logId))
    for (const notification of missed) this.#send(notification)
    for (const notification of pending)
      if (notification.logId === undefined || !sentIds.has(notification.logId)) this.#send(notification)
    this.#sentFromLog = new Set(
      missed.slice(missed.findLastIndex(({ logId }) => logId === last) + 1).map(({ logId }) => logId),
    )
  }

  close(): void {
    for (const { connection } of this.streams) connection?.end()
  }

  /** Whether the only stream is still being opened, or earlier notifications haven't been sent yet. */
  get #mustBuffer(): boolean {
    if (this.isFlushPending || this.#receivedBeforeTake.length > 0) return true
    return this.opening > 0 && !this.streams.some(({ connection }) => connection !== undefined)
  }

  #send(notification: Notification): void {
    const { uri, logId } = notification
    if (uri !== undefined && !this.#subscriptions.has(this.key, uri)) return
    if (this.filter?.allows(notification) === false) return
    for (const { connection, log } of this.streams.toReversed()) {
      if (connection === undefined) continue
      if (!connection.isBehind) {
        connection.notify(notification.text, log?.write(notification.text, false, logId))
        return
      }
      // A slow client reconnects for the rest.
      connection.end()
    }
    this.streams.findLast(({ log }) => log !== undefined)?.log?.write(notification.text, false, logId)
  }
}

function buffer(notifications: Notification[], notification: Notification): void {
  notifications.push(notification)
  if (notifications.length > maxBuffered) notifications.shift()
}
