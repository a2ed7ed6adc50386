/** Work for a store that was away when a client was told that it is done: tried until it is. */

/** Further ones take the place of the oldest. */
const mostWaiting = 10_000
const intervalMs = 1_000

type Work = () => Promise<void>

export class Retries {
  /** By what it is about; later work takes the place of earlier one. */
  readonly #waiting = new Map<string, Work>()
  #timer: ReturnType<typeof setInterval> | undefined
  #running = false

  add(about: string, work: Work): void {
    this.#waiting.delete(about)
    this.#waiting.set(about, work)
    const [oldest = about] = this.#waiting.keys()
    if (this.#waiting.size > mostWaiting) this.#waiting.delete(oldest)
    this.#timer ??= setInterval(() => void this.#run(), intervalMs)
    // Nobody waits for it: where timers hold a process, this one does not.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#waiting.clear()
  }

  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    try {
      for (const [about, work] of this.#waiting) {
        await work()
        if (this.#waiting.get(about) === work) this.#waiting.delete(about)
      }
      this.close()
    } catch {
      // The next tick tries again.
    } finally {
      this.#running = false
    }
  }
}

const everyMs = 5_000

/** Calls `look` from time to time, until the function that it returns is called. A look that rejects found nothing. */
export function lookRegularly(look: () => unknown): () => void {
  const timer = setInterval(() => void Promise.resolve(look()).catch(nothing), everyMs)
  // Nobody waits for it: where timers hold a process, this one does not.
  ;(timer as { unref?: () => void }).unref?.()
  return () => clearInterval(timer)
}

const nothing = (): void => {}
