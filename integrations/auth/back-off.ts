/** Leaves a server alone for a while that has failed: one that is down isn't asked again by every request. */

export interface BackOffRules {
  /** How many failures in a row are let pass, since one token may be to blame for one. */
  readonly patience: number
  readonly longestMs: number
}

const firstMs = 1_000

export class BackOff {
  readonly #rules: BackOffRules
  #failures = 0
  /** By a clock that nobody sets. */
  #until = Number.NEGATIVE_INFINITY
  #error: unknown

  constructor(rules: BackOffRules) {
    this.#rules = rules
  }

  /**
   * Does the work; rejects at once, with the last failure, while the server is left alone. `counts`: whether an error is
   * the server's.
   */
  async run<T>(work: () => Promise<T>, counts: (error: unknown) => boolean = () => true): Promise<T> {
    if (performance.now() < this.#until) throw this.#error
    try {
      const value = await work()
      this.#failures = 0
      return value
    } catch (error) {
      if (counts(error)) this.#note(error)
      throw error
    }
  }

  #note(error: unknown): void {
    // What was under way when it began to be left alone makes the pause no longer.
    if (performance.now() < this.#until) return
    this.#failures += 1
    const { patience, longestMs } = this.#rules
    if (this.#failures <= patience) return
    this.#error = error
    const ms = Math.min(longestMs, firstMs * 2 ** Math.min(this.#failures - patience - 1, 10))
    this.#until = performance.now() + ms
  }
}
