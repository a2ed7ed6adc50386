/** Stops calling a server for a while after it has failed, so that not every request waits for a server that is down. */

export interface BackOffRules {
  /** How many failures in a row start no pause, since a single token may have caused one. */
  readonly toleratedFailures: number
  /** The longest pause. Milliseconds. */
  readonly longestMs: number
}

/** The first pause. Each further one is twice as long. Milliseconds. */
const firstPauseMs = 1_000

export class BackOff {
  readonly #rules: BackOffRules
  #failures = 0
  /** The end of the pause, on the monotonic clock. */
  #pausedUntil = Number.NEGATIVE_INFINITY
  #error: unknown

  constructor(rules: BackOffRules) {
    this.#rules = rules
  }

  /**
   * Runs `work`. During a pause it rejects at once with the last failure. `counts`: whether an error is the server's
   * fault.
   */
  async run<T>(work: () => Promise<T>, counts: (error: unknown) => boolean = () => true): Promise<T> {
    if (performance.now() < this.#pausedUntil) throw this.#error
    try {
      const value = await work()
      this.#failures = 0
      return value
    } catch (error) {
      if (counts(error)) this.#recordFailure(error)
      throw error
    }
  }

  #recordFailure(error: unknown): void {
    // Requests that were in flight when the pause began don't extend it.
    if (performance.now() < this.#pausedUntil) return
    this.#failures += 1
    const { toleratedFailures, longestMs } = this.#rules
    if (this.#failures <= toleratedFailures) return
    this.#error = error
    const doublings = Math.min(this.#failures - toleratedFailures - 1, 10)
    this.#pausedUntil = performance.now() + Math.min(longestMs, firstPauseMs * 2 ** doublings)
  }
}
