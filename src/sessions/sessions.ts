/**
 * Legacy sessions: a token that carries everything, so a session costs no memory. What cannot be in the token, because
 * it comes later, is in the store: that a session ended, and the log level that a client set. Machines tell each other
 * of both, and keep what they heard in bounded maps: a call never waits for the store.
 */

import type { Log } from '../log.js'
import { loggingLevels } from '../protocol/logging-levels.js'
import type { LoggingLevel } from '../protocol/types.js'
import { Retries } from '../store/retries.js'
import type { Store } from '../store/store.js'
import { ExpiringMap } from './expiring-map.js'
import type { SealedTokens } from './sealed-tokens.js'
import { decodeSession, encodeSession, type SessionClaims } from './session-token.js'
import { SessionValues } from './session-values.js'

/**
 * How many ended sessions are remembered, and how many sessions with a log level of their own. Apart from each other:
 * strangers that set levels must not bring an ended session back.
 */
const mostEnded = 100_000
const mostLevels = 10_000

/** What machines tell each other of a session: that it ended, its log level, or that a call of it is cancelled. */
type News = Change | Cancelled

interface Change {
  readonly of: string
  /** Milliseconds since the epoch: when the session would expire. */
  readonly until: number
  /** Without one the session has ended. */
  readonly level?: LoggingLevel
}

interface Cancelled {
  readonly of: string
  readonly cancel: Cancellation
}

/** A `notifications/cancelled` for a call that runs elsewhere. */
export interface Cancellation {
  readonly requestId: unknown
  readonly reason: string
}

/** Told of what happens to sessions, on whatever machine, by the key of the session. */
export interface SessionListener {
  onEnd(key: string): void
  onCancel(key: string, cancellation: Cancellation): void
}

const channel = 'sessions'

export interface SessionParts {
  readonly tokens: SealedTokens
  readonly ttlMs: number
  readonly store: Store
  readonly log: Log
  /** Other machines share the store; otherwise nobody needs to be told. */
  readonly shared: boolean
}

/** How long the first sessions of a process wait for the store. */
const longestWaitMs = 1_000

export class Sessions {
  readonly #parts: SessionParts
  readonly #opened = new ExpiringMap<SessionClaims>(10_000)
  readonly #ended = new ExpiringMap<true>(mostEnded)
  readonly #levels = new ExpiringMap<LoggingLevel>(mostLevels)
  #listener: SessionListener | undefined
  readonly #untold = new Retries()
  #listening: Promise<(() => void) | undefined> | undefined
  #first: Promise<unknown> | undefined
  #wait: Promise<void> | undefined
  #hasWaited = false

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** Begins to hear other machines: at the first session it would be late for what they say of that one. */
  begin(): void {
    if (!this.#parts.shared) return
    this.#first ??= this.#hearOthers().then(() => {
      this.#hasWaited = true
    })
  }

  /**
   * For the first sessions: resolves once other machines are heard, or a second after the first of them. `undefined`:
   * nothing to wait for.
   */
  heard(): Promise<void> | undefined {
    if (this.#first === undefined || this.#hasWaited) return undefined
    this.#wait ??= this.#waitFor(this.#first)
    return this.#wait
  }

  async #waitFor(first: Promise<unknown>): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const longEnough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, longestWaitMs)
    })
    await Promise.race([first, longEnough])
    clearTimeout(timer)
    this.#hasWaited = true
  }

  /** An `Mcp-Session-Id`: visible ASCII, at most 512 characters. */
  create(claims: Omit<SessionClaims, 'expiresAt'>): string {
    const { tokens, ttlMs, shared } = this.#parts
    if (shared) void this.#hearOthers()
    return tokens.seal('session', encodeSession({ ...claims, expiresAt: Date.now() + ttlMs }))
  }

  /** `undefined` when the id is unknown, expired or ended: 404. */
  open(id: string): SessionClaims | undefined {
    const claims = this.#opened.get(id) ?? this.#decode(id)
    if (claims === undefined || claims.expiresAt <= Date.now() || this.#ended.get(keyOf(id)) === true)
      return undefined
    return claims
  }

  /** Ends it on every machine. Never rejects. */
  async end(id: string, { expiresAt: until }: SessionClaims): Promise<void> {
    const of = keyOf(id)
    this.#hear({ of, until })
    const { store, shared, ttlMs } = this.#parts
    if (shared) {
      // Not by this machine's time of day alone: where that is ahead, others would forget it while the session goes on.
      const keptMs = Math.max(ttlMs, until - Date.now())
      await this.#tell(of, async () => {
        await store.set(endedKey(of), '1', keptMs)
        await store.publish(channel, JSON.stringify({ of, until } satisfies News))
        await store.delete(levelKey(of))
      })
    }
    await this.#attempt(() => this.values(id).clear())
  }

  /** There is one. */
  listen(listener: SessionListener): void {
    this.#listener = listener
  }

  /** Looks for the call on other machines. Never rejects. */
  async cancelElsewhere(of: string, cancel: Cancellation): Promise<void> {
    const { store, shared } = this.#parts
    if (!shared) return
    await this.#attempt(() => store.publish(channel, JSON.stringify({ of, cancel } satisfies News)))
  }

  logLevel(id: string): LoggingLevel | undefined {
    return this.#levels.get(keyOf(id))
  }

  /** Never rejects. */
  async setLogLevel(id: string, level: LoggingLevel): Promise<void> {
    const until = this.open(id)?.expiresAt
    if (until === undefined) return
    const news: News = { of: keyOf(id), until, level }
    this.#hear(news)
    const { store, shared } = this.#parts
    if (!shared) return
    await this.#tell(news.of, async () => {
      await store.set(levelKey(news.of), level, this.remainingMs(id))
      await store.publish(channel, JSON.stringify(news))
    })
  }

  /** What an app keeps for a session: `ctx.session`. */
  values(id: string): SessionValues {
    return new SessionValues(this.#parts.store, keyOf(id), () => this.remainingMs(id))
  }

  /** Milliseconds until it expires; at least 1. */
  remainingMs(id: string): number {
    return Math.max(1, (this.open(id)?.expiresAt ?? 0) - Date.now())
  }

  /** Stops listening to other machines. */
  close(): void {
    void this.#listening?.then((stop) => stop?.())
    this.#listening = undefined
    this.#untold.close()
  }

  /** The client was told that it is so; where the store fails, others hear of it once it works again. Never rejects. */
  async #tell(of: string, work: () => Promise<void>): Promise<void> {
    if ((await this.#attempt(async () => work().then(() => true))) === true) return
    this.#untold.add(of, work)
  }

  #decode(id: string): SessionClaims | undefined {
    const plain = this.#parts.tokens.open('session', id)
    const claims = plain === undefined ? undefined : decodeSession(plain)
    if (claims === undefined) return undefined
    this.#opened.set(id, claims, claims.expiresAt)
    if (this.#parts.shared) void this.#catchUp(keyOf(id), claims.expiresAt)
    return claims
  }

  /** What other machines said of a session before this one listened, or saw it. */
  async #catchUp(of: string, until: number): Promise<void> {
    const { store } = this.#parts
    await this.#hearOthers()
    await this.#attempt(async () => {
      if ((await store.get(endedKey(of))) !== undefined) return this.#hear({ of, until })
      const level = (await store.get(levelKey(of))) as LoggingLevel | undefined
      if (level !== undefined && this.#levels.get(of) === undefined) this.#hear({ of, until, level })
    })
  }

  /** Where the store is away, the next session tries again. */
  #hearOthers(): Promise<unknown> {
    this.#listening ??= this.#attempt(() =>
      this.#parts.store.subscribe(channel, (message) => this.#hear(JSON.parse(message) as News)),
    ).then((stop) => {
      if (stop === undefined) this.#listening = undefined
      return stop
    })
    return this.#listening
  }

  #hear(news: News): void {
    if ('cancel' in news) {
      this.#listener?.onCancel(news.of, news.cancel)
      return
    }
    const { of, until, level } = news
    if (level !== undefined) {
      if (loggingLevels.includes(level)) this.#levels.set(of, level, until)
      return
    }
    if (this.#ended.get(of) === true) return
    this.#ended.set(of, true, until)
    this.#levels.delete(of)
    this.#listener?.onEnd(of)
  }

  /** Calls are served without the store: what fails there is logged. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#parts.log.warn('the store failed; sessions go on with what this machine knows', { err: error })
      return undefined
    }
  }
}

/** The random part of a token says which one it is: its first 24 bytes. */
export function keyOf(id: string): string {
  return id.slice(0, 32)
}

/** What the ids of requests are unique in: the session, else the connection; `undefined` where that cannot be told. */
export function scopeOf<T>(sessionId: string | undefined, connection: T): string | T {
  return sessionId === undefined ? connection : keyOf(sessionId)
}

const endedKey = (of: string): string => `ended:${of}`
const levelKey = (of: string): string => `level:${of}`
