/** The store of a server that runs in one process. Bounded: what is oldest goes when there is no room left. */

import type { LogBound, LogEntry, Store } from './store.js'

/** Bounds of everything together; keys and logs apart from each other. */
const mostKeys = 100_000
const mostLogs = 100_000
const mostBytes = 64 * 1024 * 1024
const sweepMs = 30_000

interface Value {
  readonly value: string
  readonly bytes: number
  readonly expiresAt: number
}

interface Kept extends LogEntry {
  readonly bytes: number
  readonly at: number
}

interface Log {
  /** Oldest first. */
  entries: Kept[]
  bytes: number
  bound: LogBound
  next: number
  /** The last entry that went; a reader who has it misses nothing. */
  dropped: string | undefined
}

/**
 * Keys, channels and logs in the memory of this process; nobody else sees them. It holds at most 100,000 keys and as
 * many logs, of 64 MiB each, and drops the oldest beyond that. One timer, while there is something that expires.
 */
export function memoryStore(): Store {
  return new MemoryStore()
}

class MemoryStore implements Store {
  /** Oldest first, as Maps keep them. */
  readonly #values = new Map<string, Value>()
  readonly #logs = new Map<string, Log>()
  readonly #listeners = new Map<string, Set<(message: string) => void>>()
  /** No key expires before this: spares a full store the search for expired ones. */
  /** Goes on from the last key that made room: from the start, it would step over the gaps of all those before. */
  #oldest: Iterator<string> | undefined
  #nextExpiry = Number.POSITIVE_INFINITY
  #valueBytes = 0
  #logBytes = 0
  #timer: ReturnType<typeof setInterval> | undefined
  /** Ids of another life of the process must not be taken for ids of this one. */
  readonly #life = `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 4).toString(36)}`

  async get(key: string): Promise<string | undefined> {
    return this.#find(key)?.value
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    this.#set(key, value, ttlMs)
  }

  async delete(key: string): Promise<boolean> {
    const found = this.#find(key) !== undefined
    this.#drop(key)
    return found
  }

  async claim(key: string, value: string, ttlMs: number): Promise<string | undefined> {
    const found = this.#find(key)
    if (found === undefined) this.#set(key, value, ttlMs)
    return found?.value
  }

  async publish(channel: string, message: string): Promise<void> {
    // One turn later: what a listener publishes then comes after this message for everybody.
    await undefined
    for (const listener of [...(this.#listeners.get(channel) ?? [])]) deliver(listener, message)
  }

  async subscribe(channel: string, listener: (message: string) => void): Promise<() => void> {
    const own = (message: string): void => listener(message)
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(own))
    return () => {
      listeners.delete(own)
      if (listeners.size === 0 && this.#listeners.get(channel) === listeners) this.#listeners.delete(channel)
    }
  }

  async append(name: string, value: string, bound: LogBound): Promise<string> {
    const now = Date.now()
    const log = this.#logs.get(name) ?? { entries: [], bytes: 0, bound, next: 0, dropped: undefined }
    // The log that was written last is the newest one.
    this.#logs.delete(name)
    this.#logs.set(name, log)
    const entry = { id: `${this.#life}-${log.next++}`, value, bytes: bytesOf(value), at: now }
    log.entries.push(entry)
    log.bound = bound
    this.#grow(log, entry.bytes)
    this.#trim(log, now)
    while (this.#logs.size > mostLogs || this.#logBytes > mostBytes) this.#dropLog(oldestOf(this.#logs))
    this.#watch()
    return entry.id
  }

  async read(name: string, after?: string): Promise<readonly LogEntry[] | undefined> {
    const log = this.#logs.get(name)
    if (log !== undefined) this.#trim(log, Date.now())
    const kept = log?.entries ?? []
    if (after === undefined) return kept.map(toEntry)
    const found = kept.findIndex(({ id }) => id === after)
    if (found < 0 && log?.dropped !== after) return undefined
    return kept.slice(found + 1).map(toEntry)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#values.clear()
    this.#logs.clear()
    this.#listeners.clear()
    this.#valueBytes = 0
    this.#logBytes = 0
  }

  #find(key: string): Value | undefined {
    const found = this.#values.get(key)
    if (found === undefined || found.expiresAt > Date.now()) return found
    this.#drop(key)
    return undefined
  }

  #set(key: string, value: string, ttlMs: number): void {
    this.#drop(key)
    const bytes = bytesOf(value) + bytesOf(key)
    this.#values.set(key, { value, bytes, expiresAt: Date.now() + ttlMs })
    this.#valueBytes += bytes
    this.#nextExpiry = Math.min(this.#nextExpiry, Date.now() + ttlMs)
    if (this.#isFull) this.#dropExpired(Date.now())
    while (this.#isFull) this.#dropOldest()
    this.#watch()
  }

  get #isFull(): boolean {
    return this.#values.size > mostKeys || this.#valueBytes > mostBytes
  }

  #drop(key: string): void {
    this.#valueBytes -= this.#values.get(key)?.bytes ?? 0
    this.#values.delete(key)
  }

  #dropOldest(): void {
    this.#oldest ??= this.#values.keys()
    const { done, value } = this.#oldest.next()
    if (done === true) this.#oldest = undefined
    else this.#drop(value)
  }

  #dropExpired(now: number): void {
    if (now < this.#nextExpiry) return
    this.#nextExpiry = Number.POSITIVE_INFINITY
    for (const [key, { expiresAt }] of this.#values) {
      if (expiresAt <= now) this.#drop(key)
      else this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt)
    }
  }

  #dropLog(name: string): void {
    this.#logBytes -= this.#logs.get(name)?.bytes ?? 0
    this.#logs.delete(name)
  }

  #grow(log: Log, bytes: number): void {
    log.bytes += bytes
    this.#logBytes += bytes
  }

  #trim(log: Log, now: number): void {
    const { entries, bound } = log
    let dropped = 0
    for (const { id, bytes, at } of entries) {
      const fits = entries.length - dropped <= bound.entries && log.bytes <= bound.bytes
      if (fits && at + bound.ageMs > now) break
      dropped += 1
      log.dropped = id
      this.#grow(log, -bytes)
    }
    if (dropped > 0) log.entries = entries.slice(dropped)
  }

  #watch(): void {
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#sweep(Date.now()), sweepMs)
    // Nobody waits for what expires: where timers hold a process, this one does not.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  #sweep(now: number): void {
    this.#dropExpired(now)
    for (const [name, log] of this.#logs) {
      this.#trim(log, now)
      if (log.entries.length === 0) this.#dropLog(name)
    }
    if (this.#values.size > 0 || this.#logs.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Listeners answer for their own failures; one must not keep the message from the others. */
function deliver(listener: (message: string) => void, message: string): void {
  try {
    listener(message)
  } catch {}
}

function oldestOf(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value as string
}

function toEntry({ id, value }: Kept): LogEntry {
  return { id, value }
}

const encoder = new TextEncoder()

function bytesOf(text: string): number {
  return encoder.encode(text).length
}
