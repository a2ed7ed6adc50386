/**
 * What the tasks of each caller take up in the store, as far as this process wrote it. A caller with too many of them
 * loses the own oldest results, and nobody else loses any; all anonymous callers have a bound together besides.
 */

import { bytesOf } from '../support/base64.js'

/** Bounds for one caller. */
export interface KeptLimits {
  readonly maxKept: number
  readonly maxKeptBytes: number
}

/** All anonymous callers together may have so many times as much as one caller: anybody has many addresses. */
export const anonymousShare = 10

interface Kept {
  readonly id: string
  /** What it counts among. */
  readonly holdings: readonly Holding[]
  /** As `performance.now()` counts. */
  readonly expiresAt: number
  /** Of the store. */
  readonly keys: Set<string>
  bytes: number
}

interface Written {
  /** `undefined`: an anonymous caller whose address nobody knows. */
  readonly caller: string | undefined
  readonly anonymous: boolean
  readonly key: string
  readonly text: string
  readonly ttlMs: number
}

interface Holding {
  readonly caller: string | undefined
  readonly limits: KeptLimits
  /** In the order in which they ended. */
  readonly ended: Set<Kept>
  count: number
  bytes: number
}

const sweepMs = 60_000

export class KeptTasks {
  readonly #limits: KeptLimits
  readonly #drop: (id: string, keys: ReadonlySet<string>) => void
  readonly #byId = new Map<string, Kept>()
  readonly #callers = new Map<string, Holding>()
  readonly #anonymous: Holding
  #sweepAt = 0

  /** `drop` deletes what the store has of a task: the keys that were counted here, and what others wrote. */
  constructor(limits: KeptLimits, drop: (id: string, keys: ReadonlySet<string>) => void) {
    this.#limits = limits
    this.#drop = drop
    const { maxKept, maxKeptBytes } = limits
    this.#anonymous = toHolding(undefined, {
      maxKept: maxKept * anonymousShare,
      maxKeptBytes: maxKeptBytes * anonymousShare,
    })
  }

  /** Counts what was written of a task. */
  add(id: string, written: Written): void {
    this.#sweep(performance.now())
    const task = this.#byId.get(id) ?? this.#begin(id, written)
    const bytes = bytesOf(written.key) + bytesOf(written.text)
    task.keys.add(written.key)
    task.bytes += bytes
    for (const holding of task.holdings) {
      holding.bytes += bytes
      this.#makeRoom(holding, task)
    }
  }

  /** From now on the task may make room for newer ones of its caller. */
  end(id: string): void {
    const task = this.#byId.get(id)
    if (task !== undefined) for (const { ended } of task.holdings) ended.add(task)
  }

  #begin(id: string, { caller, anonymous, ttlMs }: Written): Kept {
    const own = caller === undefined ? [] : [this.#holdingOf(caller)]
    const holdings = anonymous ? [...own, this.#anonymous] : own
    const task: Kept = { id, holdings, expiresAt: performance.now() + ttlMs, keys: new Set(), bytes: 0 }
    this.#byId.set(id, task)
    for (const holding of holdings) holding.count += 1
    return task
  }

  #holdingOf(caller: string): Holding {
    const known = this.#callers.get(caller)
    if (known !== undefined) return known
    const holding = toHolding(caller, this.#limits)
    this.#callers.set(caller, holding)
    return holding
  }

  #makeRoom(holding: Holding, newest: Kept): void {
    const { maxKept, maxKeptBytes } = holding.limits
    for (const task of holding.ended) {
      if (holding.count <= maxKept && holding.bytes <= maxKeptBytes) return
      if (task === newest) continue
      this.#forget(task)
      this.#drop(task.id, task.keys)
    }
  }

  #sweep(now: number): void {
    if (now < this.#sweepAt) return
    this.#sweepAt = now + sweepMs
    for (const task of this.#byId.values()) if (task.expiresAt <= now) this.#forget(task)
  }

  #forget(task: Kept): void {
    this.#byId.delete(task.id)
    for (const holding of task.holdings) {
      holding.ended.delete(task)
      holding.count -= 1
      holding.bytes -= task.bytes
      if (holding.count === 0 && holding.caller !== undefined) this.#callers.delete(holding.caller)
    }
  }
}

function toHolding(caller: string | undefined, limits: KeptLimits): Holding {
  return { caller, limits, ended: new Set(), count: 0, bytes: 0 }
}
