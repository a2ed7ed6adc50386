/** The store for a server that runs in one process. It's bounded: when it's full, the oldest entries are dropped. */

import { bytesOf } from '../support/base64.js'
import { BoundedKeys } from './bounded-keys.js'
import type { LogBound, LogEntry, Store } from './store.js'

/** Limits of all logs together. */
const maxLogs = 100_000
const maxLogBytes = 64 * 1024 * 1024
/** Further kinds share one map and its limits. */
const maxKinds = 16
const sweepMs = 30_000

interface StoredEntry extends LogEntry {
  readonly bytes: number
  /** In the time of `performance.now()`. */
  readonly at: number
}

interface StoredLog {
  /** Oldest first. */
  entries: StoredEntry[]
  bytes: number
  bound: LogBound
  next: number
  /** The id of the last dropped entry. A reader that has read it has missed nothing. */
  dropped: string | undefined
}

/**
 * Returns a store that keeps keys, channels and logs in the memory of this process and shares them with no other process.
 * It holds at most 100,000 keys and 64 MiB of each kind (the part of a key before its first colon), and at most 100,000
 * logs and 64 MiB of all logs together. Beyond that it drops the oldest. While anything can expire, one timer runs.
 */
export function memoryStore(): Store {
  return new MemoryStore()
}

class MemoryStore implements Store {
  /** By the part of a key before its first colon, so that a client that fills one kind takes no room from another. */
  readonly #kinds = new Map<string, BoundedKeys>()
  readonly #logs = new Map<string, StoredLog>()
  readonly #listeners = new Map<string, Set<(message: string) => void>>()
  #logBytes = 0
  #timer: ReturnType<typeof setInterval> | undefined
  /** Tells the entry ids of this process from those of an earlier one. */
  readonly #instanceId = `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 4).toString(36)}`

  async get(key: string): Promise<string | undefined> {
    return this.#keysOfKind(key).find(key)
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    this.#keysOfKind(key).set(key, value, ttlMs)
    this.#startSweeping()
  }

  async delete(key: string): Promise<boolean> {
    const keys = this.#keysOfKind(key)
    const found = keys.find(key) !== undefined
    keys.drop(key)
    return found
  }

  async claim(key: string, value: string, ttlMs: number): Promise<string | undefined> {
    const found = this.#keysOfKind(key).find(key)
    if (found === undefined) await this.set(key, value, ttlMs)
    return found
  }

  async publish(channel: string, message: string): Promise<void> {
    // One turn later, so that every listener gets this message before any that a listener publishes in response.
    await undefined
    for (const listener of [...(this.#listeners.get(channel) ?? [])]) deliver(listener, message)
  }

  async subscribe(channel: string, listener: (message: string) => void): Promise<() => void> {
    const ownListener = (message: string): void => listener(message)
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(ownListener))
    return () => {
      listeners.delete(ownListener)
      if (listeners.size === 0 && this.#listeners.get(channel) === listeners) this.#listeners.delete(channel)
    }
  }

  async append(name: string, value: string, bound: LogBound): Promise<string> {
    const now = performance.now()
    const log = this.#logs.get(name) ?? { entries: [], bytes: 0, bound, next: 0, dropped: undefined }
    // Moves the log to the end of the map: the log written last is dropped last.
    this.#logs.delete(name)
    this.#logs.set(name, log)
    const entry = { id: `${this.#instanceId}-${log.next++}`, value, bytes: bytesOf(value), at: now }
    log.entries.push(entry)
    log.bound = bound
    this.#grow(log, entry.bytes)
    this.#trim(log, now)
    while (this.#logs.size > maxLogs || this.#logBytes > maxLogBytes) this.#dropLog(oldestOf(this.#logs))
    this.#startSweeping()
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

  #keysOfKind(key: string): BoundedKeys {
    const kind = key.slice(0, Math.max(0, key.indexOf(':')))
    const group = this.#kinds.has(kind) || this.#kinds.size < maxKinds ? kind : ''
    const keys = this.#kinds.get(group) ?? new BoundedKeys()
    this.#kinds.set(group, keys)
    return keys
  }

  #dropLog(name: string): void {
    this.#logBytes -= this.#logs.get(name)?.bytes ?? 0
    this.#logs.delete(name)
  }

  #grow(log: StoredLog, bytes: number): void {
    log.bytes += bytes
    this.#logBytes += bytes
  }

  #trim(log: StoredLog, now: number): void {
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

  #startSweeping(): void {
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#sweep(performance.now()), sweepMs)
    // Lets the process exit while the timer runs. Timers have `unref` only on Node-like runtimes.
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

/** Calls a listener. If it throws, the other listeners still get the message. */
function deliver(listener: (message: string) => void, message: string): void {
  try {
    listener(message)
  } catch {}
}

function oldestOf(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value as string
}

function toEntry({ id, value }: StoredEntry): LogEntry {
  return { id, value }
}
