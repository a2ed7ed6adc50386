/** The interface of the store for sessions, notifications and tasks: in memory, or shared between machines. */

/** Limits of one log. When any of them is exceeded, the oldest entries are dropped. */
export interface LogBound {
  /** Maximum number of entries. */
  readonly entries: number
  /** Maximum size of all entries together, in bytes of UTF-8. */
  readonly bytes: number
  /** Milliseconds that an entry is kept. The log itself expires this long after its last entry. */
  readonly ageMs: number
}

/** One entry of a log, with its position. */
export interface LogEntry {
  /** The position: an opaque string that increases within one log. */
  readonly id: string
  readonly value: string
}

/** The health of a shared store, as this process sees it. */
export interface StoreStatus {
  /** Milliseconds that the store took to respond to a probe; `undefined` if it didn't respond. */
  readonly lagMs: number | undefined
  /** How often this process lost its connection for so long that it missed messages from other machines. */
  readonly gaps: number
}

/**
 * The store that a router keeps its state in: keys with expiry, atomic claims, publish and subscribe, and bounded
 * append-only logs. Values are strings. `memoryStore()` serves one process; use a store from `mcp-router/redis` to share
 * state between machines.
 */
export interface Store {
  get(key: string): Promise<string | undefined>
  /** Sets `key` to `value`. The key expires after `ttlMs` milliseconds. */
  set(key: string, value: string, ttlMs: number): Promise<void>
  /** Deletes `key`. Resolves to `false` if it didn't exist. */
  delete(key: string): Promise<boolean>
  /** Atomically sets `value` and resolves to `undefined` if `key` doesn't exist; otherwise resolves to its value. */
  claim(key: string, value: string, ttlMs: number): Promise<string | undefined>
  /** Sends a message to every subscriber of the channel on every machine, once. One publisher's messages keep their order. */
  publish(channel: string, message: string): Promise<void>
  /** Resolves once the listener is subscribed. Call the returned function to unsubscribe. */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => void>
  /** Appends an entry to `log` and resolves to its id. */
  append(log: string, value: string, bound: LogBound): Promise<string>
  /**
   * Resolves to the entries after the id `after`, oldest first, or to all kept entries without `after`. Resolves to
   * `undefined` if entries after `after` were dropped.
   */
  read(log: string, after?: string): Promise<readonly LogEntry[] | undefined>
  /** Resolves to the store's health within one second. Used by the server's health endpoint. Never rejects. */
  status?(): Promise<StoreStatus>
  /** Closes connections and stops timers. */
  close(): Promise<void>
}
