/** The waits of an exchange. Each has its own time limit, all share one pausable clock, and all end with the exchange. */

import { longestTimer } from './in-flight.js'
import { removeItem } from './values.js'

type Interrupt = (reason: Error) => void
/** Called when a time limit is over. `interrupt` ends that wait alone. */
export type OnTimeout = (interrupt: Interrupt) => void

interface Bounds {
  /** 0: no limit. */
  readonly timeoutMs: number
  readonly onTimeout: OnTimeout
  /** The reason, if the exchange has ended already. */
  readonly ended: Error | undefined
}

export class Deadlines {
  readonly #clock = new PausableClock()
  readonly #interrupts: Interrupt[] = []

  /** Pauses all time limits. Returns a function that resumes them. */
  pauseClock(): () => void {
    return this.#clock.pause()
  }

  /** Ends all waits: each rejects with the reason. */
  interrupt(reason: Error): void {
    for (const interrupt of [...this.#interrupts]) interrupt(reason)
  }

  /** Settles like `value`, unless it's interrupted first. */
  add<T>(value: PromiseLike<T>, { timeoutMs, onTimeout, ended }: Bounds): Promise<T> {
    const clock = this.#clock
    clock.start()
    return new Promise((resolve, reject) => {
      const interrupt = (reason: Error): void => {
        leave()
        reject(reason)
      }
      const onTimer = (): void => {
        const left = clock.left(timeoutMs)
        // The clock was paused meanwhile, or still is.
        if (left > 1) timer = setTimeout(onTimer, wait(Math.max(left, leastWait)))
        else onTimeout(interrupt)
      }
      let timer = timeoutMs > 0 ? setTimeout(onTimer, wait(clock.left(timeoutMs))) : undefined
      const leave = (): void => {
        clearTimeout(timer)
        removeItem(this.#interrupts, interrupt)
      }
      this.#interrupts.push(interrupt)
      if (ended !== undefined) interrupt(ended)
      value.then(
        (result) => {
          leave()
          resolve(result)
        },
        (error) => {
          leave()
          reject(error)
        },
      )
    })
  }
}

/** The shortest interval for checking a paused clock. Milliseconds. */
const leastWait = 20

function wait(ms: number): number {
  return Math.min(Math.max(0, ms), longestTimer)
}

export class PausableClock {
  #started: number | undefined
  /** Milliseconds that it was paused so far. */
  #stood = 0
  #since = 0
  #stops = 0

  start(): void {
    this.#started ??= performance.now()
  }

  /** Pauses the clock until every returned function has been called. */
  pause(): () => void {
    if (this.#stops === 0) this.#since = performance.now()
    this.#stops += 1
    return () => {
      this.#stops -= 1
      if (this.#stops === 0) this.#stood += performance.now() - this.#since
    }
  }

  /** Milliseconds left of a time limit. */
  left(timeoutMs: number): number {
    const now = performance.now()
    const standing = this.#stops > 0 ? now - this.#since : 0
    return timeoutMs - (now - (this.#started ?? now) - this.#stood - standing)
  }
}

/** Resolves to `work`, or after `ms` to the result of `late`, which may throw. */
export async function withTimeout<A, B>(work: PromiseLike<A>, ms: number, late: () => B): Promise<A | B> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(() => resolve(), Math.min(ms, longestTimer))
  }).then(late)
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
