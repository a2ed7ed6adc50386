/**
 * A map with a bounded size whose entries expire. It has no timers: expired entries are removed when they're read, or
 * when their room is needed.
 */

interface Entry<V> {
  readonly value: V
  readonly expiresAt: number
}

/** Holds at most `limit` entries. Times are milliseconds since the epoch, or of another clock where each call tells `now`. */
export class ExpiringMap<V> {
  readonly #limit: number
  /** Oldest first. */
  readonly #entries = new Map<string, Entry<V>>()
  /** Continues after the last removed entry. Starting over would walk across the gaps of all removed ones. */
  #oldest: Iterator<string> | undefined
  /** No entry expires before this: spares a full map the search for expired entries. */
  #nextExpiry = Number.POSITIVE_INFINITY

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The number of entries, including expired ones that weren't read since. */
  get size(): number {
    return this.#entries.size
  }

  /** The value, or `undefined` when there is none or it expired at `now` or earlier. */
  get(key: string, now: number = Date.now()): V | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (entry.expiresAt > now) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  /** Stores a value as the newest one. A full map makes room: expired entries go, and if there are none the oldest. */
  set(key: string, value: V, expiresAt: number, now: number = Date.now()): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#limit) this.#makeRoom(now)
    this.#entries.set(key, { value, expiresAt })
    this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt)
  }

  /** Whether there was an entry, expired or not. */
  delete(key: string): boolean {
    return this.#entries.delete(key)
  }

  #makeRoom(now: number): void {
    if (now >= this.#nextExpiry) this.#dropExpired(now)
    if (this.#entries.size < this.#limit) return
    this.#dropOldest()
  }

  #dropOldest(): void {
    this.#oldest ??= this.#entries.keys()
    const { done, value } = this.#oldest.next()
    if (done === true) this.#oldest = undefined
    else this.#entries.delete(value)
    if (done === true && this.#entries.size > 0) this.#dropOldest()
  }

  #dropExpired(now: number): void {
    this.#nextExpiry = Number.POSITIVE_INFINITY
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt <= now) this.#entries.delete(key)
      else this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt)
    }
  }
}
