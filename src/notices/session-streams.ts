/**
 * The streams that legacy sessions opened with GET. A notice goes out on exactly one of a session's streams, on
 * whatever machine: the machine that a client opened a stream on last has the session.
 */

import {
  type Connection,
  EventLog,
  type EventLogParts,
  lastNumber,
  newStreamId,
  type Position,
} from '../sessions/event-log.js'
import type { Store } from '../store/store.js'
import type { Notices } from './notices.js'
import { type HolderEvents, SessionHolders } from './session-holders.js'
import { SessionListener, type Stream } from './session-listener.js'
import type { SessionSubscriptions } from './session-subscriptions.js'
import type { Sight } from './sight.js'

/** How long notices are kept for a client whose connection broke, and for how many such streams. */
const graceMs = 60_000
const mostLeft = 10_000
/** More streams of one session than this replace the oldest one. */
const mostPerSession = 8

export interface Opened {
  readonly connection: Connection
  /** Where the events of this session are kept; `undefined`: they have no ids. */
  readonly log: EventLogParts | undefined
  /** Where the client was, when it comes back. */
  readonly after: Position | undefined
  /** What its reader may be told of. */
  readonly sight: Sight
  /** Begins the stream with an event id. */
  readonly prime: (id: string) => void
}

interface Parts {
  readonly store: Store
  readonly notices: Notices
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
    const { shared, store, notices } = parts
    this.#holders = shared ? new SessionHolders(store, notices, this.#holderEvents()) : undefined
  }

  /** Opens a stream, or goes on with the one that the client had. Never rejects for what the store does. */
  async open(key: string, opened: Opened): Promise<void> {
    const { notices, subscriptions } = this.#parts
    await notices.ready()
    await subscriptions.hold(key)
    const session = this.#sessions.get(key) ?? this.#add(key)
    session.opening += 1
    session.sight = opened.sight
    try {
      await this.#holders?.take(key, opened.after?.stream)
      await this.#begin(session, opened)
    } finally {
      session.opening -= 1
      this.#dropUnused(session)
    }
    if (this.#closed) opened.connection.end()
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
    const session = new SessionListener(key, this.#parts.subscriptions, this.#parts.shared)
    this.#parts.notices.add(session)
    this.#sessions.set(key, session)
    return session
  }

  async #begin(session: SessionListener, opened: Opened): Promise<void> {
    const { log, after } = opened
    const found = log && after && (session.find(after.stream) ?? (await this.#adopt(session, log, after)))
    if (found?.log !== undefined) return this.#comeBack(session, found, found.log, opened)
    const own = log && new EventLog(log, newStreamId('standalone'))
    this.#attach(session, session.add(own), opened)
    const [oldest] = session.streams
    if (session.streams.length > mostPerSession && oldest !== undefined) this.#end(session, oldest)
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
    { stream }: Position,
  ): Promise<Stream | undefined> {
    const number = await lastNumber(parts, stream).catch(() => undefined)
    if (number === undefined) return undefined
    return session.add(new EventLog(parts, stream, number))
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
    this.#parts.notices.delete(session)
    this.#sessions.delete(key)
    this.#parts.subscriptions.release(key)
    if (!session.away) void this.#holders?.setFree(key)
  }

  #holderEvents(): HolderEvents {
    return {
      onTaken: (key) => {
        const session = this.#sessions.get(key)
        if (session !== undefined) session.away = false
      },
      onGiven: async (key, moved) => {
        const session = this.#sessions.get(key)
        if (session === undefined) return
        session.away = true
        await Promise.all(session.streams.map(({ log }) => log?.flushed()))
        const stream = moved === undefined ? undefined : session.find(moved)
        if (stream !== undefined) this.#end(session, stream)
      },
      onFree: (key) => {
        if (this.#sessions.get(key)?.away === true) void this.#holders?.take(key)
      },
    }
  }
}
