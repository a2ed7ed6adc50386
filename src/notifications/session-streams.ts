/**
 * The streams that legacy sessions open with GET. Every notification goes out on exactly one of a session's streams, across
 * all machines: the machine on which the client last opened a stream holds the session.
 */

import { EventLog, type EventLogParts, lastEvent, newStreamId, type Position } from '../sessions/event-log.js'
import type { Connection } from '../sessions/read-along.js'
import type { Store } from '../store/store.js'
import type { Notification } from './notification.js'
import type { NotificationHub } from './notification-hub.js'
import { type HolderEvents, SessionHolders, type TakeoverResult } from './session-holders.js'
import { SessionListener, type Stream } from './session-listener.js'
import type { SessionSubscriptions } from './session-subscriptions.js'
import type { VisibilityFilter } from './visibility-filter.js'

/** Milliseconds that notifications are kept for a disconnected client, and the maximum number of such streams. */
const reconnectGraceMs = 60_000
const maxDisconnected = 8_000
/** The maximum number of streams of one session. A further one replaces the oldest. */
const maxPerSession = 8

export interface OpenStreamInput {
  readonly connection: Connection
  /** For the log of the stream's events; `undefined` if events have no ids. */
  readonly log: EventLogParts | undefined
  /** The client's position, if it resumes a stream. */
  readonly after: Position | undefined
  /** Allows what the client may see. */
  readonly filter: VisibilityFilter
  /** Sends an event id as the first event, so that the client can resume the stream. */
  readonly prime: (id: string) => void
}

interface Parts {
  readonly store: Store
  readonly notifications: NotificationHub
  readonly subscriptions: SessionSubscriptions
  /** Whether other machines share the store. */
  readonly shared: boolean
}

export class SessionStreams {
  readonly #parts: Parts
  readonly #sessions = new Map<string, SessionListener>()
  /** Streams of disconnected clients, in the order in which they disconnected. */
  readonly #disconnected = new Map<Stream, SessionListener>()
  /** `undefined` if no other machine shares the store. */
  readonly #holders: SessionHolders | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
    const { shared, store, notifications } = parts
    this.#holders = shared ? new SessionHolders(store, notifications, this.#holderEvents()) : undefined
  }

  /** Opens a stream, or resumes the client's earlier one. Doesn't reject if the store fails. */
  async open(key: string, opened: OpenStreamInput): Promise<void> {
    await this.#parts.notifications.ready()
    // From here on, notifications are buffered for the stream.
    const session = this.#sessions.get(key) ?? this.#add(key)
    session.opening += 1
    session.filter = opened.filter
    try {
      await this.#queue(session, async () => {
        const takeover = (await this.#holders?.take(key, opened.after?.stream)) ?? 'self'
        session.isFlushPending = true
        const lastSentId = await this.#openStream(session, opened)
        return { takeover, lastSentId }
      })
    } finally {
      session.opening -= 1
      this.#dropUnused(session)
    }
    if (this.#closed) opened.connection.end()
  }

  /** Opens streams one after the other, so that the next one finds the session taken. */
  #queue(session: SessionListener, work: () => Promise<TakeResult>): Promise<void> {
    const opening = session.lastOpening.then(async () => {
      await this.#parts.subscriptions.track(session.key)
      session.currentOpening = opening
      let taken: TakeResult = { takeover: 'no-holder' }
      let missed: readonly Notification[] = []
      try {
        taken = await work()
        missed = await this.#missedNotifications(taken)
      } finally {
        session.flush(taken.takeover, missed, this.#parts.notifications.lastLogId)
      }
    })
    session.lastOpening = opening.catch(nothing)
    return opening
  }

  /** The notifications that the stream's previous machine hasn't sent, because it died or released the session. */
  async #missedNotifications({ takeover, lastSentId }: TakeResult): Promise<readonly Notification[]> {
    return takeover === 'no-holder' && lastSentId !== undefined
      ? this.#parts.notifications.after(lastSentId)
      : []
  }

  /** Ends all streams of a session, when the session ends. */
  end(key: string): void {
    const session = this.#sessions.get(key)
    if (session === undefined) return
    for (const stream of session.streams) this.#end(session, stream)
  }

  close(): void {
    this.#closed = true
    for (const [stream, session] of [...this.#disconnected]) this.#drop(session, stream)
    clearInterval(this.#timer)
  }

  #add(key: string): SessionListener {
    const { subscriptions, shared } = this.#parts
    const session = new SessionListener(key, subscriptions, shared ? 'unknown' : 'here')
    this.#parts.notifications.add(session)
    this.#sessions.set(key, session)
    return session
  }

  /** Resolves to the log id of the last notification that another machine sent on the stream, if known. */
  async #openStream(session: SessionListener, opened: OpenStreamInput): Promise<string | undefined> {
    const { log, after } = opened
    const known = log && after && session.find(after.stream)
    const adopted = log && after && known === undefined && (await this.#adopt(session, log, after))
    const found = known ?? (adopted ? adopted.stream : undefined)
    if (found?.log !== undefined) {
      await this.#resume(session, found, found.log, opened)
      return adopted ? adopted.lastSentId : undefined
    }
    const newLog = log && new EventLog(log, newStreamId('standalone'))
    const { lastLogId } = this.#parts.notifications
    if (lastLogId !== undefined) newLog?.markNotification(lastLogId)
    this.#attach(session, session.add(newLog), opened)
    const [oldest] = session.streams
    if (session.streams.length > maxPerSession && oldest !== undefined) this.#end(session, oldest)
    return undefined
  }

  /** Resumes a stream: sends the missed events, then attaches the new connection. */
  async #resume(
    session: SessionListener,
    stream: Stream,
    log: EventLog,
    opened: OpenStreamInput,
  ): Promise<void> {
    const old = stream.connection
    stream.connection = undefined
    old?.end()
    this.#disconnected.delete(stream)
    let number = opened.after?.number ?? 0
    // Repeats until no event was written during the last read, so that the connection takes over without a gap.
    while (number < log.number) {
      await log.flushed()
      const events = await log.after(number).catch(() => undefined)
      if (events === undefined) break
      for (const event of events) opened.connection.answer(event.json, log.idOf(event.number))
      number = events.at(-1)?.number ?? log.number
    }
    this.#attach(session, stream, opened)
  }

  /** Takes over a stream that another machine wrote. */
  async #adopt(
    session: SessionListener,
    parts: EventLogParts,
    { stream, number }: Position,
  ): Promise<AdoptedStream | undefined> {
    const last = await lastEvent(parts, stream).catch(() => undefined)
    if (last === undefined) return undefined
    // The client may have got events that the store didn't take. Their numbers must not be reused.
    const log = new EventLog(parts, stream, Math.max(last.number, number))
    return { stream: session.add(log), lastSentId: last.notificationId }
  }

  #attach(session: SessionListener, stream: Stream, { connection, prime }: OpenStreamInput): void {
    if (stream.log !== undefined) prime(stream.log.position)
    stream.connection = connection
    connection.onEnd(() => this.#disconnect(session, stream, connection))
  }

  #disconnect(session: SessionListener, stream: Stream, connection: Connection): void {
    if (stream.connection !== connection || !session.streams.includes(stream)) return
    stream.connection = undefined
    if (stream.log === undefined || this.#closed) {
      this.#drop(session, stream)
      return
    }
    stream.disconnectedAt = performance.now()
    this.#disconnected.set(stream, session)
    this.#timer ??= setInterval(() => this.#sweep(performance.now()), reconnectGraceMs / 4)
    ;(this.#timer as { unref?: () => void }).unref?.()
    if (this.#disconnected.size > maxDisconnected)
      this.#sweep(performance.now(), this.#disconnected.size - maxDisconnected)
  }

  #sweep(now: number, atLeast = 0): void {
    let gone = 0
    for (const [stream, session] of this.#disconnected) {
      if (stream.disconnectedAt + reconnectGraceMs > now && gone >= atLeast) break
      this.#drop(session, stream)
      gone += 1
    }
    if (this.#disconnected.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #end(session: SessionListener, stream: Stream): void {
    const { connection } = stream
    this.#drop(session, stream)
    connection?.end()
  }

  #drop(session: SessionListener, stream: Stream): void {
    this.#disconnected.delete(stream)
    session.delete(stream)
    this.#dropUnused(session)
  }

  #dropUnused(session: SessionListener): void {
    const { key, streams, opening } = session
    if (streams.length > 0 || opening > 0 || this.#sessions.get(key) !== session) return
    this.#parts.notifications.delete(session)
    this.#sessions.delete(key)
    this.#parts.subscriptions.untrack(key)
    if (session.location === 'here') void this.#holders?.release(key)
  }

  #holderEvents(): HolderEvents {
    return {
      locationOf: (key) => this.#sessions.get(key)?.location ?? 'unknown',
      onTaken: (key) => {
        const session = this.#sessions.get(key)
        if (session === undefined) return
        session.location = 'here'
        session.takingOpening = session.currentOpening
      },
      onHandedOver: async (key, by, moved) => {
        const session = this.#sessions.get(key)
        if (session === undefined) return
        session.handOver(by)
        // Notifications buffered for a stream that is being opened go to its log first.
        await session.takingOpening?.catch(nothing)
        await Promise.all(session.streams.map(({ log }) => log?.flushed()))
        const stream = moved === undefined ? undefined : session.find(moved)
        if (stream !== undefined) this.#end(session, stream)
      },
      onReleased: (key, by) => {
        const session = this.#sessions.get(key)
        if (session?.holder !== by || session.location !== 'elsewhere') return
        session.location = 'unknown'
        if (session.opening === 0) void this.#queue(session, () => this.#takeReleased(key))
      },
    }
  }

  async #takeReleased(key: string): Promise<TakeResult> {
    const isFree = this.#sessions.get(key)?.location === 'unknown'
    return { takeover: isFree ? ((await this.#holders?.take(key)) ?? 'self') : 'self' }
  }
}

interface TakeResult {
  readonly takeover: TakeoverResult
  /** The log id of the last notification that another machine sent on the stream. */
  readonly lastSentId?: string | undefined
}

interface AdoptedStream {
  readonly stream: Stream
  readonly lastSentId: string | undefined
}

function nothing(): void {}
