/**
 * Limits the space that each caller's tasks take in the store. Counts only writes of this process. A caller over its
 * limits loses its own oldest results. All anonymous callers together have a further limit.
 */

import { bytesOf } from '../support/base64.js'

/** Limits for one caller. */
export interface KeptLimits {
  readonly maxKept: number
  readonly maxKeptBytes: number
}

/** All anonymous callers together get this many times the limits of one caller, since one client can use many addresses. */
export const anonymousFactor = 10

interface KeptTask {
  readonly id: string
  /** The usages that the task counts towards. */
  readonly usages: readonly Usage[]
  /** In the time of `performance.now()`. */
  readonly expiresAt: number
  /** The keys written to the store. */
  readonly keys: Set<string>
  bytes: number
}

interface TaskWrite {
  /** `undefined` for an anonymous caller whose address is unknown. */
  readonly caller: string | undefined
  readonly anonymous: boolean
  readonly key: string
  readonly text: string
  readonly ttlMs: number
}

interface Usage {
  readonly caller: string | undefined
  readonly limits: KeptLimits
  /** The tasks that have ended, in the order of their ends. */
  readonly evictable: Set<KeptTask>
  count: number
  bytes: number
}

const sweepMs = 60_000

export class KeptTasks {
  readonly #limits: KeptLimits
  readonly #drop: (id: string, keys: ReadonlySet<string>) => void
  readonly #byId = new Map<string, KeptTask>()
  readonly #callers = new Map<string, Usage>()
  readonly #anonymous: Usage
  #sweepAt = 0

  /** `drop` deletes a task from the store: the keys counted in this process, and those that others wrote. */
  constructor(limits: KeptLimits, drop: (id: string, keys: ReadonlySet<string>) => void) {
    this.#limits = limits
    this.#drop = drop
    const { maxKept, maxKeptBytes } = limits
    this.#anonymous = createUsage(undefined, {
      maxKept: maxKept * anonymousFactor,
      maxKeptBytes: maxKeptBytes * anonymousFactor,
    })
  }

  /** Counts a write to the store for a task. Evicts the caller's oldest ended tasks if that exceeds the limits. */
  add(id: string, written: TaskWrite): void {
    this.#sweep(performance.now())
    const task = this.#byId.get(id) ?? this.#start(id, written)
    const bytes = bytesOf(written.key) + bytesOf(written.text)
    task.keys.add(written.key)
    task.bytes += bytes
    for (const holding of task.usages) {
      holding.bytes += bytes
      this.#evict(holding, task)
    }
  }

  /** Marks a task as ended, so that it may be evicted. */
  end(id: string): void {
    const task = this.#byId.get(id)
    if (task !== undefined) for (const { evictable } of task.usages) evictable.add(task)
  }

  #start(id: string, { caller, anonymous, ttlMs }: TaskWrite): KeptTask {
    const own = caller === undefined ? [] : [this.#usageOf(caller)]
    const holdings = anonymous ? [...own, this.#anonymous] : own
    const task: KeptTask = {
      id,
      usages: holdings,
      expiresAt: performance.now() + ttlMs,
      keys: new Set(),
      bytes: 0,
    }
    this.#byId.set(id, task)
    for (const holding of holdings) holding.count += 1
    return task
  }

  #usageOf(caller: string): Usage {
    const known = this.#callers.get(caller)
    if (known !== undefined) return known
    const holding = createUsage(caller, this.#limits)
    this.#callers.set(caller, holding)
    return holding
  }

  #evict(holding: Usage, newest: KeptTask): void {
    const { maxKept, maxKeptBytes } = holding.limits
    for (const task of holding.evictable) {
      if (holding.count <= maxKept && holding.bytes <= maxKeptBytes) return
      if (task === newest) continue
      this.#remove(task)
      this.#drop(task.id, task.keys)
    }
  }

  #sweep(now: number): void {
    if (now < this.#sweepAt) return
    this.#sweepAt = now + sweepMs
    for (const task of this.#byId.values()) if (task.expiresAt <= now) this.#remove(task)
  }

  #remove(task: KeptTask): void {
    this.#byId.delete(task.id)
    for (const holding of task.usages) {
      holding.evictable.delete(task)
      holding.count -= 1
      holding.bytes -= task.bytes
      if (holding.count === 0 && holding.caller !== undefined) this.#callers.delete(holding.caller)
    }
  }
}

function createUsage(caller: string | undefined, limits: KeptLimits): Usage {
  return { caller, limits, evictable: new Set(), count: 0, bytes: 0 }
}
