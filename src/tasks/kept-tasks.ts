/**
 * What the tasks of each caller take up in the store, as far as this process wrote it. A caller with too many of them
 * loses the own oldest results, and nobody else loses any.
 */

import { bytesOf } from '../store/bytes.js'

/** Bounds for one caller. */
export interface KeptLimits {
  readonly maxKept: number
  readonly maxKeptBytes: number
}

interface Kept {
  readonly id: string
  readonly caller: string
  /** As `performance.now()` counts. */
  readonly expiresAt: number
  /** Of the store. */
  readonly keys: Set<string>
  bytes: number
  ended: boolean
}

interface Written {
  readonly caller: string
  readonly key: string
  readonly text: string
  readonly ttlMs: number
}

interface Holding {
  /** Oldest first. */
  readonly tasks: Set<Kept>
  bytes: number
}

const sweepMs = 60_000

export class KeptTasks {
  readonly #limits: KeptLimits
  readonly #drop: (keys: Iterable<string>) => void
  readonly #byId = new Map<string, Kept>()
  readonly #callers = new Map<string, Holding>()
  #sweepAt = 0

  /** `drop` deletes what the store has of a task. */
  constructor(limits: KeptLimits, drop: (keys: Iterable<string>) => void) {
    this.#limits = limits
    this.#drop = drop
  }

  /** Counts what was written of a task. `caller` counts only where the task is new here. */
  add(id: string, { caller, key, text, ttlMs }: Written): void {
    this.#sweep(performance.now())
    const task = this.#byId.get(id) ?? this.#begin(id, caller, ttlMs)
    const holding = this.#callers.get(task.caller) as Holding
    const bytes = bytesOf(key) + bytesOf(text)
    task.keys.add(key)
    task.bytes += bytes
    holding.bytes += bytes
    this.#makeRoom(holding, task)
  }

  /** From now on the task may make room for newer ones of its caller. */
  end(id: string): void {
    const task = this.#byId.get(id)
    if (task !== undefined) task.ended = true
  }

  #begin(id: string, caller: string, ttlMs: number): Kept {
    const task: Kept = {
      id,
      caller,
      expiresAt: performance.now() + ttlMs,
      keys: new Set(),
      bytes: 0,
      ended: false,
    }
    const holding = this.#callers.get(caller) ?? { tasks: new Set(), bytes: 0 }
    this.#callers.set(caller, holding)
    this.#byId.set(id, task)
    holding.tasks.add(task)
    return task
  }

  #makeRoom(holding: Holding, newest: Kept): void {
    const { maxKept, maxKeptBytes } = this.#limits
    for (const task of holding.tasks) {
      if (holding.tasks.size <= maxKept && holding.bytes <= maxKeptBytes) return
      if (!task.ended || task === newest) continue
      this.#forget(task)
      this.#drop(task.keys)
    }
  }

  #sweep(now: number): void {
    if (now < this.#sweepAt) return
    this.#sweepAt = now + sweepMs
    for (const task of this.#byId.values()) if (task.expiresAt <= now) this.#forget(task)
  }

  #forget(task: Kept): void {
    this.#byId.delete(task.id)
    const holding = this.#callers.get(task.caller) as Holding
    holding.tasks.delete(task)
    holding.bytes -= task.bytes
    if (holding.tasks.size === 0) this.#callers.delete(task.caller)
  }
}
