/** What an exchange waits for: each step within its time limit, by one clock, and all of them no longer than the exchange. */

import { longestTimer } from './in-flight.js'
import { removeItem } from './values.js'

type Interrupt = (reason: Error) => void
/** Is told that a time limit is over; what it is given ends that wait alone. */
export type OnTimeout = (interrupt: Interrupt) => void

interface Bounds {
  /** 0: no limit. */
  readonly timeoutMs: number
  readonly onTimeout: OnTimeout
  /** Why nobody waits any more, where that is so already. */
  readonly ended: Error | undefined
}

export class Deadlines {
  readonly #clock = new PausableClock()
  readonly #interrupts: Interrupt[] = []

  /** Time limits stand still. Returns a way to let them go on. */
  pauseClock(): () => void {
    return this.#clock.pause()
  }

  /** Ends all waits: each rejects with the reason. */
  interrupt(reason: Error): void {
    for (const interrupt of [...this.#interrupts]) interrupt(reason)
  }

  /** Settles as `value` does, unless it is interrupted before. */
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
        // The clock stood still meanwhile, or still does.
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

/** How often a clock that stands still is looked at, at most. Milliseconds. */
const leastWait = 20

function wait(ms: number): number {
  return Math.min(Math.max(0, ms), longestTimer)
}

export class PausableClock {
  #started: number | undefined
  /** Milliseconds that it stood still so far. */
  #stood = 0
  #since = 0
  #stops = 0

  start(): void {
    this.#started ??= performance.now()
  }

  /** It stands still until everybody who stopped it lets it go on, by what this returns. */
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

/** What `work` comes to; where that takes longer than `ms`, what `late` returns, or throws. */
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
