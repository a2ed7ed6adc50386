/** Limits of what a single caller may take of something that all share. */

import { ErrorCode, type McpError, refusal } from '../errors/errors.js'

/** Counts what each caller holds. A caller that is `undefined` has no limit. */
export class PerCaller {
  readonly #most: number
  readonly #taken = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** False: the caller has as many as one may. */
  take(caller: string | undefined): boolean {
    if (caller === undefined) return true
    const count = this.#taken.get(caller) ?? 0
    if (count >= this.#most) return false
    this.#taken.set(caller, count + 1)
    return true
  }

  give(caller: string | undefined): void {
    if (caller === undefined) return
    const count = (this.#taken.get(caller) ?? 1) - 1
    if (count > 0) this.#taken.set(caller, count)
    else this.#taken.delete(caller)
  }
}

/** The limits of what a caller does in a while, of one router. */
export interface Rates {
  /** Requests of WebSockets and of batches, which no rate limiter in front of the mount can count. */
  readonly calls: RateLimit
  readonly sessions: RateLimit
}

/** Callers that are told apart within a window; beyond, the first of them begin anew. */
const mostCallers = 100_000

/** Counts what each caller did since a window began. All windows begin together: a caller costs no timer. */
export class RateLimit {
  readonly #most: number
  readonly #windowMs: number
  /** As in "Too many calls", and the option that changes the limit. */
  readonly #words: { readonly what: string; readonly option: string }
  readonly #counts = new Map<string, number>()
  #endsAt = 0

  /** `most`: 0 for no limit. */
  constructor(most: number, windowMs: number, words: { readonly what: string; readonly option: string }) {
    this.#most = most
    this.#windowMs = windowMs
    this.#words = words
  }

  /** Counts `count` more, or returns the refusal of a caller who did too much. */
  take(caller: string | undefined, count = 1): McpError | undefined {
    if (caller === undefined || this.#most === 0) return undefined
    const now = performance.now()
    if (now >= this.#endsAt) this.#begin(now)
    const before = this.#counts.get(caller) ?? 0
    if (before + count > this.#most)
      return this.#refusal(Math.max(1, Math.ceil((this.#endsAt - now) / 1_000)))
    this.#counts.set(caller, before + count)
    if (this.#counts.size > mostCallers) this.#counts.delete(this.#counts.keys().next().value as string)
    return undefined
  }

  #refusal(seconds: number): McpError {
    const { what, option } = this.#words
    return refusal(
      ErrorCode.InternalError,
      `Too many ${what}: at most ${this.#most} of one caller (\`${option}\`); try again in ${seconds} seconds`,
      { status: 429, headers: { 'Retry-After': String(seconds) } },
    )
  }

  #begin(now: number): void {
    this.#counts.clear()
    this.#endsAt = now + this.#windowMs
  }
}
