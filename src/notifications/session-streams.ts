/**
 * The streams that legacy sessions opened with GET. A notice goes out on exactly one of a session's streams, on
 * whatever machine: the machine that a client opened a stream on last has the session.
 */

import { EventLog, type EventLogParts, lastEvent, newStreamId, type Position } from '../sessions/event-log.js'
import type { Connection } from '../sessions/read-along.js'
import type { Store } from '../store/store.js'
import type { Notification } from './notification.js'
import type { NotificationHub } from './notification-hub.js'
import { type Before, type HolderEvents, SessionHolders } from './session-holders.js'
import { SessionListener, type Stream } from './session-listener.js'
import type { SessionSubscriptions } from './session-subscriptions.js'
import type { VisibilityFilter } from './visibility-filter.js'

/** How long notices are kept for a client whose connection broke, and for how many such streams. */
const graceMs = 60_000
const mostLeft = 8_000
/** More streams of one session than this replace the oldest one. */
const mostPerSession = 8

export interface Opened {
  readonly connection: Connection
  /** Where the events of this session are kept; `undefined`: they have no ids. */
  readonly log: EventLogParts | undefined
  /** Where the client was, when it comes back. */
  readonly after: Position | undefined
  /** What its reader may be told of. */
  readonly filter: VisibilityFilter
  /** Begins the stream with an event id. */
  readonly prime: (id: string) => void
}

interface Parts {
  readonly store: Store
  readonly notifications: NotificationHub
  readonly subscriptions: SessionSubscriptions
  /** The store is shared with other machines. */
  readonly shared: boolean
}

export class SessionStreams {
  readonly #parts: Parts
  readonly #sessions = new Map<string, SessionListener>()
  /** Streams whose clients are away, the first to go first. */
  readonly #left = new Map<Stream, SessionListener>()
  /** `undefined`: there are no other machines. */
  readonly #holders: SessionHolders | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
    const { shared, store, notifications } = parts
    this.#holders = shared ? new SessionHolders(store, notifications, this.#holderEvents()) : undefined
  }

  /** Opens a stream, or goes on with the one that the client had. Never rejects for what the store does. */
  async open(key: string, opened: Opened): Promise<void> {
    await this.#parts.notifications.ready()
    // Whatever comes from here on is kept for the stream.
    const session = this.#sessions.get(key) ?? this.#add(key)
    session.opening += 1
    session.filter = opened.filter
    try {
      await this.#queue(session, async () => {
        const before = (await this.#holders?.take(key, opened.after?.stream)) ?? 'self'
        session.settling = true
        const sent = await this.#begin(session, opened)
        return { before, sent }
      })
    } finally {
      session.opening -= 1
      this.#dropUnused(session)
    }
    if (this.#closed) opened.connection.end()
  }

  /** One after the other: the next one finds what this one took. */
  #queue(session: SessionListener, work: () => Promise<Taken>): Promise<void> {
    const opening = session.opened.then(async () => {
      await this.#parts.subscriptions.hold(session.key)
      session.current = opening
      let taken: Taken = { before: 'nobody' }
      let missed: readonly Notification[] = []
      try {
        taken = await work()
        missed = await this.#missed(taken)
      } finally {
        session.settle(taken.before, missed, this.#parts.notifications.last)
      }
    })
    session.opened = opening.catch(nothing)
    return opening
  }

  /** What the machine has not sent that had the stream: it is dead, or has let go. */
  async #missed({ before, sent }: Taken): Promise<readonly Notification[]> {
    return before === 'nobody' && sent !== undefined ? this.#parts.notifications.after(sent) : []
  }

  /** The session is over: so are its streams. */
  end(key: string): void {
    const session = this.#sessions.get(key)
    if (session === undefined) return
    for (const stream of session.streams) this.#end(session, stream)
  }

  close(): void {
    this.#closed = true
    for (const [stream, session] of [...this.#left]) this.#drop(session, stream)
    clearInterval(this.#timer)
  }

  #add(key: string): SessionListener {
    const { subscriptions, shared } = this.#parts
    const session = new SessionListener(key, subscriptions, shared ? 'unknown' : 'here')
    this.#parts.notifications.add(session)
    this.#sessions.set(key, session)
    return session
  }

  /** Resolves to the place of the last notice that another machine sent on it, where that is known. */
  async #begin(session: SessionListener, opened: Opened): Promise<string | undefined> {
    const { log, after } = opened
    const known = log && after && session.find(after.stream)
    const adopted = log && after && known === undefined && (await this.#adopt(session, log, after))
    const found = known ?? (adopted ? adopted.stream : undefined)
    if (found?.log !== undefined) {
      await this.#comeBack(session, found, found.log, opened)
      return adopted ? adopted.sent : undefined
    }
    const own = log && new EventLog(log, newStreamId('standalone'))
    const { last } = this.#parts.notifications
    if (last !== undefined) own?.markNotification(last)
    this.#attach(session, session.add(own), opened)
    const [oldest] = session.streams
    if (session.streams.length > mostPerSession && oldest !== undefined) this.#end(session, oldest)
    return undefined
  }

  /** Brings the client up to date. */
  async #comeBack(session: SessionListener, stream: Stream, log: EventLog, opened: Opened): Promise<void> {
    const old = stream.connection
    stream.connection = undefined
    old?.end()
    this.#left.delete(stream)
    let number = opened.after?.number ?? 0
    // Until nothing was written while the rest was read: then the connection takes over without a gap.
    while (number < log.number) {
      await log.flushed()
      const events = await log.after(number).catch(() => undefined)
      if (events === undefined) break
      for (const event of events) opened.connection.answer(event.json, log.idOf(event.number))
      number = events.at(-1)?.number ?? log.number
    }
    this.#attach(session, stream, opened)
  }

  /** A stream that another machine had. */
  async #adopt(
    session: SessionListener,
    parts: EventLogParts,
    { stream, number }: Position,
  ): Promise<Adopted | undefined> {
    const last = await lastEvent(parts, stream).catch(() => undefined)
    if (last === undefined) return undefined
    // The client may have what the store refused: its number is not given again.
    const log = new EventLog(parts, stream, Math.max(last.number, number))
    return { stream: session.add(log), sent: last.notificationId }
  }

  #attach(session: SessionListener, stream: Stream, { connection, prime }: Opened): void {
    if (stream.log !== undefined) prime(stream.log.position)
    stream.connection = connection
    connection.onEnd(() => this.#leave(session, stream, connection))
  }

  #leave(session: SessionListener, stream: Stream, connection: Connection): void {
    if (stream.connection !== connection || !session.streams.includes(stream)) return
    stream.connection = undefined
    if (stream.log === undefined || this.#closed) {
      this.#drop(session, stream)
      return
    }
    stream.leftAt = performance.now()
    this.#left.set(stream, session)
    this.#timer ??= setInterval(() => this.#sweep(performance.now()), graceMs / 4)
    ;(this.#timer as { unref?: () => void }).unref?.()
    if (this.#left.size > mostLeft) this.#sweep(performance.now(), this.#left.size - mostLeft)
  }

  #sweep(now: number, atLeast = 0): void {
    let gone = 0
    for (const [stream, session] of this.#left) {
      if (stream.leftAt + graceMs > now && gone >= atLeast) break
      this.#drop(session, stream)
      gone += 1
    }
    if (this.#left.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #end(session: SessionListener, stream: Stream): void {
    const { connection } = stream
    this.#drop(session, stream)
    connection?.end()
  }

  #drop(session: SessionListener, stream: Stream): void {
    this.#left.delete(stream)
    session.delete(stream)
    this.#dropUnused(session)
  }

  #dropUnused(session: SessionListener): void {
    const { key, streams, opening } = session
    if (streams.length > 0 || opening > 0 || this.#sessions.get(key) !== session) return
    this.#parts.notifications.delete(session)
    this.#sessions.delete(key)
    this.#parts.subscriptions.release(key)
    if (session.place === 'here') void this.#holders?.setFree(key)
  }

  #holderEvents(): HolderEvents {
    return {
      placeOf: (key) => this.#sessions.get(key)?.place ?? 'unknown',
      onTaken: (key) => {
        const session = this.#sessions.get(key)
        if (session === undefined) return
        session.place = 'here'
        session.taken = session.current
      },
      onGiven: async (key, by, moved) => {
        const session = this.#sessions.get(key)
        if (session === undefined) return
        session.give(by)
        // What is kept for a stream that is about to be here goes to its log first.
        await session.taken?.catch(nothing)
        await Promise.all(session.streams.map(({ log }) => log?.flushed()))
        const stream = moved === undefined ? undefined : session.find(moved)
        if (stream !== undefined) this.#end(session, stream)
      },
      onFree: (key, by) => {
        const session = this.#sessions.get(key)
        if (session?.holder !== by || session.place !== 'elsewhere') return
        session.place = 'unknown'
        if (session.opening === 0) void this.#queue(session, () => this.#takeFree(key))
      },
    }
  }

  async #takeFree(key: string): Promise<Taken> {
    const isFree = this.#sessions.get(key)?.place === 'unknown'
    return { before: isFree ? ((await this.#holders?.take(key)) ?? 'self') : 'self' }
  }
}

interface Taken {
  readonly before: Before
  /** The place of the last notice that another machine sent on the stream. */
  readonly sent?: string | undefined
}

interface Adopted {
  readonly stream: Stream
  readonly sent: string | undefined
}

function nothing(): void {}
