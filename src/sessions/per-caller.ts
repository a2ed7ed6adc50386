/** Limits for single callers on resources that all callers share. */

import { ErrorCode, type McpError, refusal } from '../errors/errors.js'

/** Limits how many of a resource each caller holds at once. The caller `undefined` has no limit. */
export class PerCaller {
  readonly #limit: number
  readonly #counts = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts one more for a caller. Returns false if the caller has reached the limit. */
  acquire(caller: string | undefined): boolean {
    if (caller === undefined) return true
    const count = this.#counts.get(caller) ?? 0
    if (count >= this.#limit) return false
    this.#counts.set(caller, count + 1)
    return true
  }

  release(caller: string | undefined): void {
    if (caller === undefined) return
    const count = (this.#counts.get(caller) ?? 1) - 1
    if (count > 0) this.#counts.set(caller, count)
    else this.#counts.delete(caller)
  }
}

/** The rate limits of one router. */
export interface Rates {
  /** Requests over WebSockets and in batches, which a rate limiter in front of the mount can't count. */
  readonly calls: RateLimit
  readonly sessions: RateLimit
}

/** The maximum number of callers counted within a window. Beyond it, the oldest counts are dropped. */
const maxCallers = 100_000

/** Limits each caller's operations per time window. All callers share one window, so callers need no timers. */
export class RateLimit {
  readonly #limit: number
  readonly #windowMs: number
  /** For the error message: the counted operations, as in "Too many calls", and the option that sets the limit. */
  readonly #labels: { readonly what: string; readonly option: string }
  readonly #counts = new Map<string, number>()
  #endsAt = 0

  /** A `limit` of 0 means no limit. */
  constructor(limit: number, windowMs: number, labels: { readonly what: string; readonly option: string }) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#labels = labels
  }

  /** Counts `count` more operations, or returns a 429 error if they would exceed the limit. */
  consume(caller: string | undefined, count = 1): McpError | undefined {
    if (caller === undefined || this.#limit === 0) return undefined
    const now = performance.now()
    if (now >= this.#endsAt) this.#startWindow(now)
    const before = this.#counts.get(caller) ?? 0
    if (before + count > this.#limit)
      return this.#refusal(Math.max(1, Math.ceil((this.#endsAt - now) / 1_000)))
    this.#counts.set(caller, before + count)
    if (this.#counts.size > maxCallers) this.#counts.delete(this.#counts.keys().next().value as string)
    return undefined
  }

  #refusal(seconds: number): McpError {
    const { what, option } = this.#labels
    return refusal(
      ErrorCode.InternalError,
      `Too many ${what}: at most ${this.#limit} of one caller (\`${option}\`); try again in ${seconds} seconds`,
      { status: 429, headers: { 'Retry-After': String(seconds) } },
    )
  }

  #startWindow(now: number): void {
    this.#counts.clear()
    this.#endsAt = now + this.#windowMs
  }
}
