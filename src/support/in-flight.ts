/** The requests that are being served now: for cancellation and for closing. */

/** What is needed of a running request. */
interface Cancellable {
  readonly request: { readonly id: unknown }
  /** What its id is unique in; `undefined` where that cannot be told. */
  readonly scope: string | object | undefined
  /** Its place among those that run; -1: it does not. */
  inFlightIndex: number
  abort(reason: Error): void
}

export class InFlightRequests {
  /** Each knows its place: a set would have to give every request a hash of its own. In no order. */
  readonly #exchanges: Cancellable[] = []
  readonly #waiting = new Set<() => void>()
  readonly #onClosing = new Set<() => void>()
  /** Requests that transports let in and have not answered whole. */
  #open = 0
  /** True from `close()` on: new requests are refused. */
  closing = false
  /** True when the time to drain is over: what was let in and has not begun is refused too. */
  closed = false

  /** Calls `listener` once new requests are refused; returns a way to stop listening. */
  whenClosing(listener: () => void): () => void {
    this.#onClosing.add(listener)
    return () => void this.#onClosing.delete(listener)
  }

  /** From now on new requests are refused. */
  close(): void {
    this.closing = true
    for (const listener of [...this.#onClosing]) listener()
  }

  /** A router that is mounted again serves again, as where every test builds and closes an app. */
  reopen(): void {
    this.closing = false
    this.closed = false
  }

  get size(): number {
    return this.#exchanges.length
  }

  add(exchange: Cancellable): void {
    exchange.inFlightIndex = this.#exchanges.length
    this.#exchanges.push(exchange)
  }

  delete(exchange: Cancellable): void {
    const { inFlightIndex } = exchange
    if (inFlightIndex < 0) return
    exchange.inFlightIndex = -1
    const last = this.#exchanges.pop() as Cancellable
    if (last !== exchange) {
      this.#exchanges[inFlightIndex] = last
      last.inFlightIndex = inFlightIndex
    }
    this.#wake()
  }

  /** A transport let a request in; it calls `leave` when the answer was written, or cannot be. */
  enter(): void {
    this.#open += 1
  }

  leave(): void {
    this.#open -= 1
    this.#wake()
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
    if (this.#isIdle) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => wake(), Math.min(drainMs, longestTimer))
      const wake = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
    })
  }

  get #isIdle(): boolean {
    return this.#exchanges.length === 0 && this.#open === 0
  }

  #wake(): void {
    if (this.#waiting.size > 0 && this.#isIdle) for (const wake of [...this.#waiting]) wake()
  }

  /** What runs in a session or on a connection that has ended. */
  abortIn(scope: string | object, reason: Error): void {
    for (const exchange of [...this.#exchanges]) if (exchange.scope === scope) exchange.abort(reason)
  }

  abortAll(reason: Error): void {
    this.closed = true
    for (const exchange of [...this.#exchanges]) exchange.abort(reason)
  }
}

/** Timers beyond this fire at once. */
export const longestTimer: number = 2 ** 31 - 1
