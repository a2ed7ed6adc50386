/** The parts of `AbortController` that handlers and the core use. */

type Listener = () => void

export class BareAbortSignal {
  aborted = false
  reason: unknown = undefined
  onabort: Listener | null = null
  readonly #listeners = new Set<Listener>()

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.delete(listener)
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  /** Aborts the signal. Called by its controller. */
  dispatch(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    this.onabort?.()
    for (const listener of listeners) listener()
  }
}

export class BareAbortController {
  readonly signal: BareAbortSignal = new BareAbortSignal()

  abort(
    reason: unknown = Object.assign(new Error('This operation was aborted'), { name: 'AbortError' }),
  ): void {
    this.signal.dispatch(reason)
  }
}
