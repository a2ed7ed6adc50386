/** Repeated work on a store: writes that are retried until they succeed, and regular polling. */

/** Beyond this number, the oldest work is dropped. */
const maxPending = 10_000
const intervalMs = 1_000

type Work = () => Promise<void>

/** Retries writes that the client was already told are done, but that the store couldn't take. */
export class Retries {
  /** By key; later work with the same key replaces earlier work. */
  readonly #pending = new Map<string, Work>()
  #timer: ReturnType<typeof setInterval> | undefined
  #running = false

  add(key: string, work: Work): void {
    this.#pending.delete(key)
    this.#pending.set(key, work)
    const [oldest = key] = this.#pending.keys()
    if (this.#pending.size > maxPending) this.#pending.delete(oldest)
    this.#timer ??= setInterval(() => void this.#run(), intervalMs)
    // Lets the process exit while the timer runs. Timers have `unref` only on Node-like runtimes.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#pending.clear()
  }

  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    try {
      for (const [key, work] of this.#pending) {
        await work()
        if (this.#pending.get(key) === work) this.#pending.delete(key)
      }
      this.close()
    } catch {
      // The next tick tries again.
    } finally {
      this.#running = false
    }
  }
}

const pollIntervalMs = 5_000

/** Calls `check` every five seconds until the returned function is called. Ignores rejections. */
export function poll(check: () => unknown): () => void {
  const timer = setInterval(() => void Promise.resolve(check()).catch(nothing), pollIntervalMs)
  // Lets the process exit while the timer runs. Timers have `unref` only on Node-like runtimes.
  ;(timer as { unref?: () => void }).unref?.()
  return () => clearInterval(timer)
}

const nothing = (): void => {}
