/** The requests in flight, for cancellation and for shutdown. */

/** A request in flight. */
interface Cancellable {
  readonly request: { readonly id: unknown }
  /** The session or connection within which its id is unique; `undefined` if unknown. */
  readonly scope: string | object | undefined
  /** Its index in the list; -1 when it isn't running. */
  inFlightIndex: number
  abort(reason: Error): void
}

export class InFlightRequests {
  /** In no order. Each exchange knows its index, because a set would have to hash every request. */
  readonly #exchanges: Cancellable[] = []
  readonly #waiting = new Set<() => void>()
  readonly #onClosing = new Set<() => void>()
  /** The number of requests that transports accepted and haven't fully answered. */
  #open = 0
  /** True from `close()` on: new requests are refused. */
  closing = false
  /** True once the time to drain is over: accepted requests that haven't begun are refused, too. */
  closed = false

  /** Calls `listener` once new requests are refused. Returns a function that removes the listener. */
  whenClosing(listener: () => void): () => void {
    this.#onClosing.add(listener)
    return () => void this.#onClosing.delete(listener)
  }

  /** Refuses new requests from now on. */
  close(): void {
    this.closing = true
    for (const listener of [...this.#onClosing]) listener()
  }

  /** Accepts requests again, when a closed router is mounted again: tests build and close an app each. */
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

  /** Counts an accepted request. The transport calls `leave` once the response is written, or can't be. */
  enter(): void {
    this.#open += 1
  }

  leave(): void {
    this.#open -= 1
    this.#wake()
  }

  /** Finds the request of a `notifications/cancelled`. A search, because cancelling is too rare for an index. */
  find(scope: string | object | undefined, requestId: unknown): Cancellable | undefined {
    if (scope === undefined) return undefined
    for (const exchange of this.#exchanges) {
      if (exchange.scope === scope && exchange.request.id === requestId) return exchange
    }
    return undefined
  }

  /** Resolves when no request is in flight, or after `drainMs`. */
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

  /** Aborts the requests of a session or connection that has ended. */
  abortIn(scope: string | object, reason: Error): void {
    for (const exchange of [...this.#exchanges]) if (exchange.scope === scope) exchange.abort(reason)
  }

  abortAll(reason: Error): void {
    this.closed = true
    for (const exchange of [...this.#exchanges]) exchange.abort(reason)
  }
}

/** The longest delay of a timer; longer ones fire at once. Milliseconds. */
export const longestTimer: number = 2 ** 31 - 1
