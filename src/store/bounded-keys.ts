/**
 * A bounded map of keys that expire. When it's full, the oldest keys are dropped. Expiry uses a monotonic clock, so that
 * changes of the system time don't affect it.
 */

import { bytesOf } from '../support/base64.js'

/** Limits of one map: keys, and bytes of keys and values together. */
const maxKeys = 100_000
const maxBytes = 64 * 1024 * 1024

interface StoredValue {
  readonly value: string
  readonly bytes: number
  /** In the time of `performance.now()`. */
  readonly expiresAt: number
}

export class BoundedKeys {
  /** Oldest first. */
  readonly #values = new Map<string, StoredValue>()
  /** Continues after the last dropped key: a new iterator would step over all the deleted entries again. */
  #oldest: Iterator<string> | undefined
  /** The earliest expiry, so that a full map isn't searched for expired keys in vain. */
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
    return this.#values.size > maxKeys || this.#bytes > maxBytes
  }

  #dropOldest(): void {
    this.#oldest ??= this.#values.keys()
    const { done, value } = this.#oldest.next()
    if (done === true) this.#oldest = undefined
    else this.drop(value)
  }
}
