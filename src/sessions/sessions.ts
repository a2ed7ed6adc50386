/**
 * Legacy sessions: a token that carries everything, so a session costs no memory. What cannot be in the token, because
 * it comes later, is what machines tell each other: that a session ended, and the log level that a client set. Each
 * keeps what it heard in bounded maps: a call never waits for the store.
 */

import { loggingLevels } from '../protocol/logging-levels.js'
import type { LoggingLevel } from '../protocol/types.js'
import type { Store } from '../store/store.js'
import { ExpiringMap } from '../support/expiring-map.js'
import type { Log } from '../support/logger.js'
import { nameOf } from './event-log.js'
import type { SealedTokens } from './sealed-tokens.js'
import { type Cancellation, type SessionChange, SessionChanges } from './session-news.js'
import { decodeSession, encodeSession, type SessionClaims } from './session-token.js'
import { SessionValues } from './session-values.js'
import { StreamLife } from './stream-life.js'

/**
 * How many ended sessions are remembered, and how many sessions with a log level of their own. Apart from each other:
 * strangers that set levels must not bring an ended session back.
 */
const mostEnded = 100_000
const mostLevels = 10_000

/** What happens to sessions, on whatever machine, by the key of the session. */
export interface SessionEvents {
  onEnd(key: string): void
  onCancel(key: string, cancellation: Cancellation): void
}

export interface SessionParts {
  readonly tokens: SealedTokens
  readonly ttlMs: number
  readonly store: Store
  readonly log: Log
  /** Other machines share the store; otherwise nobody needs to be told. */
  readonly shared: boolean
  readonly events: SessionEvents
  /** How long a machine that runs a call may say nothing until it is taken for dead. */
  readonly silentMs: number
}

export class Sessions {
  readonly #tokens: SealedTokens
  readonly #ttlMs: number
  readonly #store: Store
  readonly #log: Log
  readonly #events: SessionEvents
  /** `undefined`: there are no other machines. */
  readonly #news: SessionChanges | undefined
  /** `undefined`: there are no other machines. */
  readonly life: StreamLife | undefined
  readonly #opened = new ExpiringMap<SessionClaims>(10_000)
  readonly #ended = new ExpiringMap<true>(mostEnded)
  readonly #levels = new ExpiringMap<LoggingLevel>(mostLevels)

  constructor({ tokens, ttlMs, store, log, shared, events, silentMs }: SessionParts) {
    this.#tokens = tokens
    this.#ttlMs = ttlMs
    this.#store = store
    this.#log = log
    this.#events = events
    if (!shared) return
    const news = new SessionChanges(
      { store, log, ttlMs },
      {
        onChange: (change) => this.#apply(change),
        onCancel: (key, cancellation) => events.onCancel(key, cancellation),
        onAsk: (key, stream) => void this.life?.hear(stream, nameOf(key, stream)),
      },
    )
    this.#news = news
    this.life = new StreamLife({ store, silentMs, ask: (session, stream) => news.ask(session, stream) })
  }

  /** Begins to hear other machines: at the first session it would be late for what they say of that one. */
  begin(): void {
    this.#news?.begin()
  }

  /**
   * For the first sessions: resolves once other machines are heard, or a second after the first of them. `undefined`:
   * nothing to wait for.
   */
  heard(): Promise<void> | undefined {
    return this.#news?.heard()
  }

  /** An `Mcp-Session-Id`: visible ASCII, at most 512 characters. */
  create(claims: Omit<SessionClaims, 'expiresAt'>): string {
    void this.#news?.listen()
    const expiresAt = Date.now() + this.#ttlMs
    return this.#tokens.seal('session', encodeSession({ ...claims, expiresAt }))
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
    const change = { of: keyOf(id), until }
    this.#apply(change)
    await this.#news?.tell(change)
    try {
      await this.values(id).clear()
    } catch (error) {
      this.#log.warn('the store failed; what an ended session kept stays until it expires', { err: error })
    }
  }

  /** Looks for the call on other machines. Never rejects. */
  async cancelElsewhere(key: string, cancellation: Cancellation): Promise<void> {
    await this.#news?.cancel(key, cancellation)
  }

  logLevel(id: string): LoggingLevel | undefined {
    return this.#levels.get(keyOf(id))
  }

  /** Never rejects. */
  async setLogLevel(id: string, level: LoggingLevel): Promise<void> {
    const until = this.open(id)?.expiresAt
    if (until === undefined) return
    const change = { of: keyOf(id), until, level }
    this.#apply(change)
    await this.#news?.tell(change)
  }

  /** What an app keeps for a session: `ctx.session`. */
  values(id: string): SessionValues {
    return new SessionValues(this.#store, keyOf(id), () => this.remainingMs(id))
  }

  /** Milliseconds until it expires; at least 1. */
  remainingMs(id: string): number {
    return Math.max(1, (this.open(id)?.expiresAt ?? 0) - Date.now())
  }

  /** Stops listening to other machines. */
  close(): void {
    this.#news?.close()
  }

  #decode(id: string): SessionClaims | undefined {
    const plain = this.#tokens.open('session', id)
    const claims = plain === undefined ? undefined : decodeSession(plain)
    if (claims === undefined) return undefined
    this.#opened.set(id, claims, claims.expiresAt)
    void this.#catchUp(keyOf(id), claims.expiresAt)
    return claims
  }

  async #catchUp(key: string, until: number): Promise<void> {
    const change = await this.#news?.lookUp(key, until)
    // A level that was heard in the meantime is newer.
    if (change === undefined || (change.level !== undefined && this.#levels.get(key) !== undefined)) return
    this.#apply(change)
  }

  #apply({ of, until, level }: SessionChange): void {
    if (level !== undefined) {
      if (loggingLevels.includes(level)) this.#levels.set(of, level, until)
      return
    }
    if (this.#ended.get(of) === true) return
    this.#ended.set(of, true, until)
    this.#levels.delete(of)
    this.#events.onEnd(of)
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
