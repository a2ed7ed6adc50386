/**
 * Legacy sessions. The session id is a token that contains the whole session, so a session takes no memory. Later changes,
 * which can't be in the token, are published to all machines: the end of the session, and its log level. Every machine
 * keeps them in bounded maps, so that calls never wait for the store.
 */

import { loggingLevels } from '../protocol/logging-levels.js'
import type { LoggingLevel } from '../protocol/types.js'
import type { Store } from '../store/store.js'
import { ExpiringMap } from '../support/expiring-map.js'
import type { Log } from '../support/logger.js'
import { streamKey } from './event-log.js'
import type { SealedTokens } from './sealed-tokens.js'
import { type Cancellation, type SessionChange, SessionChanges } from './session-news.js'
import { decodeSession, encodeSession, type SessionClaims } from './session-token.js'
import { SessionValues } from './session-values.js'
import { WriterLiveness } from './stream-life.js'

/**
 * The maximum numbers of remembered ended sessions and log levels. They're separate, so that clients that set many levels
 * can't make the server forget that a session has ended.
 */
const maxEnded = 100_000
const maxLevels = 10_000

/** Listeners for events of sessions on any machine. `key` is the key of the session. */
export interface SessionEvents {
  onEnd(key: string): void
  onCancel(key: string, cancellation: Cancellation): void
}

export interface SessionParts {
  readonly tokens: SealedTokens
  readonly ttlMs: number
  readonly store: Store
  readonly log: Log
  /** Whether other machines share the store and need to know of changes. */
  readonly shared: boolean
  readonly events: SessionEvents
  /** Milliseconds without a response after which the machine that runs a call counts as dead. */
  readonly writerTimeoutMs: number
}

export class Sessions {
  readonly #tokens: SealedTokens
  readonly #ttlMs: number
  readonly #store: Store
  readonly #log: Log
  readonly #events: SessionEvents
  /** `undefined` if no other machine shares the store. */
  readonly #changes: SessionChanges | undefined
  /** `undefined` if no other machine shares the store. */
  readonly liveness: WriterLiveness | undefined
  readonly #opened = new ExpiringMap<SessionClaims>(10_000)
  readonly #ended = new ExpiringMap<true>(maxEnded)
  readonly #levels = new ExpiringMap<LoggingLevel>(maxLevels)

  constructor({ tokens, ttlMs, store, log, shared, events, writerTimeoutMs }: SessionParts) {
    this.#tokens = tokens
    this.#ttlMs = ttlMs
    this.#store = store
    this.#log = log
    this.#events = events
    if (!shared) return
    const changes = new SessionChanges(
      { store, log, ttlMs },
      {
        onChange: (change) => this.#apply(change),
        onCancel: (key, cancellation) => events.onCancel(key, cancellation),
        onProbe: (key, stream) => void this.liveness?.confirm(stream, streamKey(key, stream)),
      },
    )
    this.#changes = changes
    this.liveness = new WriterLiveness({
      store,
      writerTimeoutMs: writerTimeoutMs,
      probe: (session, stream) => changes.probeWriter(session, stream),
    })
  }

  /** Starts to listen to other machines. Call it before the first session, so that no change of that session is missed. */
  startListening(): void {
    this.#changes?.start()
  }

  /**
   * Resolves once this machine listens, or one second after the first call, for the first sessions of a process. Returns
   * `undefined` if there's nothing to wait for.
   */
  whenListening(): Promise<void> | undefined {
    return this.#changes?.whenListening()
  }

  /** Creates an `Mcp-Session-Id`: visible ASCII, at most 512 characters. */
  create(claims: Omit<SessionClaims, 'expiresAt'>): string {
    void this.#changes?.listen()
    const expiresAt = Date.now() + this.#ttlMs
    return this.#tokens.seal('session', encodeSession({ ...claims, expiresAt }))
  }

  /** Returns the claims of a session, or `undefined` if the session is unknown, expired or ended: respond with 404. */
  open(id: string): SessionClaims | undefined {
    const claims = this.#opened.get(id) ?? this.#decode(id)
    if (claims === undefined || claims.expiresAt <= Date.now() || this.#ended.get(keyOf(id)) === true)
      return undefined
    return claims
  }

  /** Ends a session on every machine. Never rejects. */
  async end(id: string, { expiresAt: until }: SessionClaims): Promise<void> {
    const change = { of: keyOf(id), until }
    this.#apply(change)
    await this.#changes?.announce(change)
    try {
      await this.values(id).clear()
    } catch (error) {
      this.#log.warn("the store failed; an ended session's values stay until they expire", { err: error })
    }
  }

  /** Asks other machines to cancel a call. Never rejects. */
  async cancelElsewhere(key: string, cancellation: Cancellation): Promise<void> {
    await this.#changes?.cancel(key, cancellation)
  }

  logLevel(id: string): LoggingLevel | undefined {
    return this.#levels.get(keyOf(id))
  }

  /** Sets the session's log level on every machine. Never rejects. */
  async setLogLevel(id: string, level: LoggingLevel): Promise<void> {
    const until = this.open(id)?.expiresAt
    if (until === undefined) return
    const change = { of: keyOf(id), until, level }
    this.#apply(change)
    await this.#changes?.announce(change)
  }

  /** The app's values for a session: `ctx.session`. */
  values(id: string): SessionValues {
    return new SessionValues(this.#store, keyOf(id), () => this.remainingMs(id))
  }

  /** Milliseconds until the session expires; at least 1. */
  remainingMs(id: string): number {
    return Math.max(1, (this.open(id)?.expiresAt ?? 0) - Date.now())
  }

  /** Stops listening to other machines. */
  close(): void {
    this.#changes?.close()
  }

  #decode(id: string): SessionClaims | undefined {
    const plain = this.#tokens.open('session', id)
    const claims = plain === undefined ? undefined : decodeSession(plain)
    if (claims === undefined) return undefined
    this.#opened.set(id, claims, claims.expiresAt)
    void this.#loadChange(keyOf(id), claims.expiresAt)
    return claims
  }

  async #loadChange(key: string, until: number): Promise<void> {
    const change = await this.#changes?.lookUp(key, until)
    // A level that was published in the meantime is newer.
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

/** The key of a session: the random part of its token, the first 24 bytes. Doesn't grant access to the session. */
export function keyOf(id: string): string {
  return id.slice(0, 32)
}

/** The scope in which request ids are unique: the session, or the connection without a session. */
export function scopeOf<T>(sessionId: string | undefined, connection: T): string | T {
  return sessionId === undefined ? connection : keyOf(sessionId)
}
