/** The requests that are being served now: for cancellation and for closing. */

/** What is needed of a running request. */
interface Cancellable {
  readonly request: { readonly id: unknown }
  /** What its id is unique in; `undefined` where that cannot be told. */
  readonly scope: string | object | undefined
  abort(reason: Error): void
}

export class Running {
  readonly #exchanges = new Set<Cancellable>()
  readonly #waiting = new Set<() => void>()
  /** True from `close()` on: new requests are refused. */
  closing = false

  get size(): number {
    return this.#exchanges.size
  }

  add(exchange: Cancellable): void {
    this.#exchanges.add(exchange)
  }

  delete(exchange: Cancellable): void {
    this.#exchanges.delete(exchange)
    if (this.#exchanges.size === 0) for (const wake of this.#waiting) wake()
  }

  /** The request that a `notifications/cancelled` names. Cancelling is rare, so it searches and calls keep no index. */
  find(scope: string | object | undefined, requestId: unknown): Cancellable | undefined {
    if (scope === undefined) return undefined
    for (const exchange of this.#exchanges) {
      if (exchange.scope === scope && exchange.request.id === requestId) return exchange
    }
    return undefined
  }

  /** Resolves when nothing runs any more, or after `drainMs`. */
  async drained(drainMs: number): Promise<void> {
    if (this.#exchanges.size === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => wake(), drainMs)
      const wake = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
    })
  }

  abortAll(reason: Error): void {
    for (const exchange of [...this.#exchanges]) exchange.abort(reason)
  }
}
