/** Waits for what may take too long. */

import { longestTimer } from './in-flight.js'

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
