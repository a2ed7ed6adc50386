/** The clock of a call's time limits: it starts with the first step that takes time, and can stand still. */

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
