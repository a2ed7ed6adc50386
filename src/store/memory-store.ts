/** The store of a server that runs in one process. Bounded: what is oldest goes when there is no room left. */

import { bytesOf } from '../support/base64.js'
import { BoundedKeys } from './bounded-keys.js'
import type { LogBound, LogEntry, Store } from './store.js'

/** Bounds of all logs together. */
const mostLogs = 100_000
const mostBytes = 64 * 1024 * 1024
/** Further ones share their bounds. */
const mostKinds = 16
const sweepMs = 30_000

interface Kept extends LogEntry {
  readonly bytes: number
  /** As `performance.now()` counts. */
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
 * Keys, channels and logs in the memory of this process; nobody else sees them. It holds at most 100,000 keys of each
 * kind (what stands before their first colon) and as many logs, of 64 MiB each, and drops the oldest beyond that. One
 * timer, while there is something that expires.
 */
export function memoryStore(): Store {
  return new MemoryStore()
}

class MemoryStore implements Store {
  /** By what their keys begin with, before the first colon: what a client can fill one with takes no room from another. */
  readonly #kinds = new Map<string, BoundedKeys>()
  readonly #logs = new Map<string, Log>()
  readonly #listeners = new Map<string, Set<(message: string) => void>>()
  #logBytes = 0
  #timer: ReturnType<typeof setInterval> | undefined
  /** Ids of another life of the process must not be taken for ids of this one. */
  readonly #life = `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 4).toString(36)}`

  async get(key: string): Promise<string | undefined> {
    return this.#keysLike(key).find(key)
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    this.#keysLike(key).set(key, value, ttlMs)
    this.#watch()
  }

  async delete(key: string): Promise<boolean> {
    const keys = this.#keysLike(key)
    const found = keys.find(key) !== undefined
    keys.drop(key)
    return found
  }

  async claim(key: string, value: string, ttlMs: number): Promise<string | undefined> {
    const found = this.#keysLike(key).find(key)
    if (found === undefined) await this.set(key, value, ttlMs)
    return found
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
    const now = performance.now()
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
    if (log !== undefined) this.#trim(log, performance.now())
    const kept = log?.entries ?? []
    if (after === undefined) return kept.map(toEntry)
    const found = kept.findIndex(({ id }) => id === after)
    if (found < 0 && log?.dropped !== after) return undefined
    return kept.slice(found + 1).map(toEntry)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#kinds.clear()
    this.#logs.clear()
    this.#listeners.clear()
    this.#logBytes = 0
  }

  #keysLike(key: string): BoundedKeys {
    const kind = key.slice(0, Math.max(0, key.indexOf(':')))
    const own = this.#kinds.has(kind) || this.#kinds.size < mostKinds ? kind : ''
    const keys = this.#kinds.get(own) ?? new BoundedKeys()
    this.#kinds.set(own, keys)
    return keys
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
    this.#timer = setInterval(() => this.#sweep(performance.now()), sweepMs)
    // Nobody waits for what expires: where timers hold a process, this one does not.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  #sweep(now: number): void {
    let size = this.#logs.size
    for (const keys of this.#kinds.values()) {
      keys.dropExpired(now)
      size += keys.size
    }
    for (const [name, log] of this.#logs) {
      this.#trim(log, now)
      if (log.entries.length > 0) continue
      this.#dropLog(name)
      size -= 1
    }
    if (size > 0) return
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
