/**
 * Legacy sessions: a token that carries everything, so a session costs no memory. What cannot be in the token, because
 * it comes later, is kept in a bounded map: that a session ended, and the log level that a client set.
 */

import type { LoggingLevel } from '../protocol/types.js'
import { ExpiringMap } from './expiring-map.js'
import type { SealedTokens } from './sealed-tokens.js'
import { decodeSession, encodeSession, type SessionClaims } from './session-token.js'

/**
 * How many ended sessions are remembered, and how many sessions with a log level of their own. Apart from each other:
 * strangers that set levels must not bring an ended session back.
 */
const mostEnded = 100_000
const mostLevels = 10_000

export class Sessions {
  readonly #tokens: SealedTokens
  readonly #ttlMs: number
  readonly #opened = new ExpiringMap<SessionClaims>(10_000)
  readonly #ended = new ExpiringMap<true>(mostEnded)
  readonly #levels = new ExpiringMap<LoggingLevel>(mostLevels)

  constructor(tokens: SealedTokens, ttlMs: number) {
    this.#tokens = tokens
    this.#ttlMs = ttlMs
  }

  /** An `Mcp-Session-Id`: visible ASCII, at most 512 characters. */
  create(claims: Omit<SessionClaims, 'expiresAt'>): string {
    return this.#tokens.seal('session', encodeSession({ ...claims, expiresAt: Date.now() + this.#ttlMs }))
  }

  /** `undefined` when the id is unknown, expired or ended: 404. */
  open(id: string): SessionClaims | undefined {
    const claims = this.#opened.get(id) ?? this.#decode(id)
    if (claims === undefined || claims.expiresAt <= Date.now() || this.#ended.get(shortened(id)) === true)
      return undefined
    return claims
  }

  end(id: string, { expiresAt }: SessionClaims): void {
    this.#ended.set(shortened(id), true, expiresAt)
    this.#levels.delete(shortened(id))
  }

  logLevel(id: string): LoggingLevel | undefined {
    return this.#levels.get(shortened(id))
  }

  setLogLevel(id: string, logLevel: LoggingLevel): void {
    const claims = this.open(id)
    if (claims !== undefined) this.#levels.set(shortened(id), logLevel, claims.expiresAt)
  }

  #decode(id: string): SessionClaims | undefined {
    const plain = this.#tokens.open('session', id)
    const claims = plain === undefined ? undefined : decodeSession(plain)
    if (claims !== undefined) this.#opened.set(id, claims, claims.expiresAt)
    return claims
  }
}

/** The random part of a token says which one it is: its first 24 bytes. */
function shortened(id: string): string {
  return id.slice(0, 32)
}
