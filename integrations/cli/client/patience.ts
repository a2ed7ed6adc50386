/** Deadlines of a client for a server that doesn't answer. */

import { ServerFailure } from './server-failure.js'

/** Whatever a server sends meanwhile, no command waits longer than this, unless its own limit is longer. Milliseconds. */
const longestInAll = 3_600_000
/** What is sent without an answer is accepted at once. Milliseconds. */
const acceptance = 10_000

/** The limits of one command. */
export class Patience {
  readonly #timeoutMs: number | undefined
  readonly #until: number

  /** `timeoutMs`: how long a server may be silent about one request; `undefined`: as long as it likes. */
  constructor(timeoutMs?: number | undefined) {
    this.#timeoutMs = timeoutMs
    this.#until = performance.now() + Math.max(longestInAll, timeoutMs ?? 0)
  }

  /** A deadline for one request. `signal` cancels the request, too. */
  begin(method: string, signal?: AbortSignal | undefined): Deadline {
    return new Deadline(method, { timeoutMs: this.#timeoutMs, until: this.#until, signal })
  }
}

interface Terms {
  readonly timeoutMs: number | undefined
  readonly until: number
  readonly signal: AbortSignal | undefined
}

export class Deadline {
  readonly signal: AbortSignal | undefined
  readonly #method: string
  readonly #terms: Terms
  readonly #late = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Questions that a person is answering. */
  #open = 0

  constructor(method: string, terms: Terms) {
    this.#method = method
    this.#terms = terms
    const { signal, timeoutMs } = terms
    if (timeoutMs === undefined) this.signal = signal
    else this.signal = signal === undefined ? this.#late.signal : AbortSignal.any([signal, this.#late.signal])
    this.restart()
  }

  /** The server has sent a message: keep-alives are none. */
  restart(): void {
    clearTimeout(this.#timer)
    const { timeoutMs, until } = this.#terms
    if (timeoutMs === undefined || this.#open > 0) return
    const left = Math.max(0, until - performance.now())
    this.#timer = setTimeout(() => this.#expire(), Math.min(timeoutMs, left))
  }

  /** Stops the clock until a person has answered. */
  async pausedFor<T>(answer: Promise<T>): Promise<T> {
    this.#open += 1
    clearTimeout(this.#timer)
    try {
      return await answer
    } finally {
      this.#open -= 1
      this.restart()
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    // A question that is answered later must not start it again.
    this.#open = Number.POSITIVE_INFINITY
  }

  #expire(): void {
    const seconds = (this.#terms.timeoutMs ?? 0) / 1_000
    const isOver = performance.now() >= this.#terms.until
    const waited = isOver ? 'in all the time that a command may take' : `in ${seconds} seconds`
    this.#late.abort(
      new ServerFailure(
        `${this.#method}: the server has not answered ${waited}; --timeout says how long to wait`,
      ),
    )
  }
}

/** For a message without an answer. */
export function acceptedInTime(url: string): AbortSignal {
  const late = new AbortController()
  const failure = new ServerFailure(`${url} has not accepted a message in ${acceptance / 1_000} seconds`)
  setTimeout(() => late.abort(failure), acceptance)
  return late.signal
}
