/**
 * Keys with expiry, in bounds: what is oldest goes when there is no room left. Durations are counted by a clock that nobody
 * sets: what was promised for a minute is kept for a minute, whatever becomes of the time of day.
 */

import { bytesOf } from '../support/base64.js'

/** Of one kind of keys. */
const mostKeys = 100_000
const mostBytes = 64 * 1024 * 1024

interface Value {
  readonly value: string
  readonly bytes: number
  /** As `performance.now()` counts. */
  readonly expiresAt: number
}

export class BoundedKeys {
  /** Oldest first, as Maps keep them. */
  readonly #values = new Map<string, Value>()
  /** Goes on from the last key that made room: from the start, it would step over the gaps of all those before. */
  #oldest: Iterator<string> | undefined
  /** No key expires before this: spares a full store the search for expired ones. */
  #nextExpiry = Number.POSITIVE_INFINITY
  #bytes = 0

  get size(): number {
    return this.#values.size
  }

  find(key: string): string | undefined {
    const found = this.#values.get(key)
    if (found === undefined || found.expiresAt > performance.now()) return found?.value
    this.drop(key)
    return undefined
  }

  set(key: string, value: string, ttlMs: number): void {
    this.drop(key)
    const bytes = bytesOf(value) + bytesOf(key)
    const expiresAt = performance.now() + ttlMs
    this.#values.set(key, { value, bytes, expiresAt })
    this.#bytes += bytes
    this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt)
    if (this.#isFull) this.dropExpired(performance.now())
    while (this.#isFull) this.#dropOldest()
  }

  drop(key: string): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0
    this.#values.delete(key)
  }

  dropExpired(now: number): void {
    if (now < this.#nextExpiry) return
    this.#nextExpiry = Number.POSITIVE_INFINITY
    for (const [key, { expiresAt }] of this.#values) {
      if (expiresAt <= now) this.drop(key)
      else this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt)
    }
  }

  get #isFull(): boolean {
    return this.#values.size > mostKeys || this.#bytes > mostBytes
  }

  #dropOldest(): void {
    this.#oldest ??= this.#values.keys()
    const { done, value } = this.#oldest.next()
    if (done === true) this.#oldest = undefined
    else this.drop(value)
  }
}
