/** What legacy conversations, notices and tasks need to remember: one small interface, in memory or shared. */

/** How much of a log is kept; whatever bound is reached first drops the oldest entries. */
export interface LogBound {
  /** Entries. */
  readonly entries: number
  /** Bytes of all entries together, as UTF-8. */
  readonly bytes: number
  /** Milliseconds since an entry was appended; the log itself is gone this long after the last one. */
  readonly ageMs: number
}

/** One entry of a log, with the place at which it stands. */
export interface LogEntry {
  /** Rises within one log; opaque otherwise. */
  readonly id: string
  readonly value: string
}

/** How a store that others share is, as this process sees it. */
export interface StoreStatus {
  /** Milliseconds that it took to answer just now; `undefined`: it did not. */
  readonly lagMs: number | undefined
  /** How often this process was cut off from it for so long that it missed messages of other machines. */
  readonly gaps: number
}

/**
 * Keys with expiry, atomic claims, publish and subscribe, and append-only logs with a bound. Values are text.
 * `memoryStore()` serves one process; several machines share one of `mcp-router/redis`.
 */
export interface Store {
  get(key: string): Promise<string | undefined>
  /** Milliseconds until it is forgotten. */
  set(key: string, value: string, ttlMs: number): Promise<void>
  /** False when there was none. */
  delete(key: string): Promise<boolean>
  /** Atomic: sets `value` where there is none and resolves to `undefined`; else resolves to what is there. */
  claim(key: string, value: string, ttlMs: number): Promise<string | undefined>
  /** Reaches every subscriber of the channel, on every machine, once, in the order of one publisher. */
  publish(channel: string, message: string): Promise<void>
  /** Resolves once listening; call what it resolves to, to stop. */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => void>
  /** Resolves to the id of the new entry. */
  append(log: string, value: string, bound: LogBound): Promise<string>
  /** The entries after `after`, oldest first; all that are kept without one. `undefined`: some were dropped since. */
  read(log: string, after?: string): Promise<readonly LogEntry[] | undefined>
  /** Within a second; for the health of the server. Never rejects. */
  status?(): Promise<StoreStatus>
  /** Lets go of connections and timers. */
  close(): Promise<void>
}
