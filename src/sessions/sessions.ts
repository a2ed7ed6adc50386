/**
 * Legacy sessions: a token that carries everything, so a session costs no memory. What cannot be in the token, because
 * it comes later, is kept in a bounded map: that a session ended, and the log level that a client set.
 */

import type { LoggingLevel } from '../protocol/types.js'
import { ExpiringMap } from './expiring-map.js'
import type { SealedTokens } from './sealed-tokens.js'
import { decodeSession, encodeSession, type SessionClaims } from './session-token.js'

interface Later {
  readonly ended: boolean
  readonly logLevel: LoggingLevel | undefined
}

/** How many sessions may have something kept for them. The oldest make room. */
const keptSessions = 100_000

export class Sessions {
  readonly #tokens: SealedTokens
  readonly #ttlMs: number
  readonly #opened = new ExpiringMap<SessionClaims>(1_000)
  readonly #later = new ExpiringMap<Later>(keptSessions)

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
    if (claims === undefined || claims.expiresAt <= Date.now() || this.#later.get(id)?.ended === true)
      return undefined
    return claims
  }

  end(id: string, { expiresAt }: SessionClaims): void {
    this.#later.set(id, { ended: true, logLevel: undefined }, expiresAt)
  }

  logLevel(id: string): LoggingLevel | undefined {
    return this.#later.get(id)?.logLevel
  }

  setLogLevel(id: string, logLevel: LoggingLevel): void {
    const claims = this.open(id)
    if (claims !== undefined) this.#later.set(id, { ended: false, logLevel }, claims.expiresAt)
  }

  #decode(id: string): SessionClaims | undefined {
    const plain = this.#tokens.open('session', id)
    const claims = plain === undefined ? undefined : decodeSession(plain)
    if (claims !== undefined) this.#opened.set(id, claims, claims.expiresAt)
    return claims
  }
}
