/** Time limits of a client for a server that doesn't respond. */

import { ServerFailure } from './server-failure.js'

/** Limit of a whole command, even if the server keeps sending messages. A larger `timeoutMs` raises it. Milliseconds. */
const maxCommandMs = 3_600_000
/** Time limit for a server to accept a message that has no response. Milliseconds. */
const acceptanceTimeoutMs = 10_000

/** The time limits of one command. */
export class Deadlines {
  readonly #timeoutMs: number | undefined
  readonly #until: number

  /** `timeoutMs`: how long a server may send nothing for a request. Without it there's no limit. */
  constructor(timeoutMs?: number | undefined) {
    this.#timeoutMs = timeoutMs
    this.#until = performance.now() + Math.max(maxCommandMs, timeoutMs ?? 0)
  }

  /** Starts the deadline of one request. `signal` cancels the request, too. */
  start(method: string, signal?: AbortSignal | undefined): Deadline {
    return new Deadline(method, { timeoutMs: this.#timeoutMs, until: this.#until, signal })
  }
}

interface DeadlineOptions {
  readonly timeoutMs: number | undefined
  readonly until: number
  readonly signal: AbortSignal | undefined
}

export class Deadline {
  readonly signal: AbortSignal | undefined
  readonly #method: string
  readonly #options: DeadlineOptions
  readonly #timeout = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** How many requests of the server a person is answering now. */
  #pauses = 0

  constructor(method: string, options: DeadlineOptions) {
    this.#method = method
    this.#options = options
    const { signal, timeoutMs } = options
    if (timeoutMs === undefined) this.signal = signal
    else
      this.signal =
        signal === undefined ? this.#timeout.signal : AbortSignal.any([signal, this.#timeout.signal])
    this.restart()
  }

  /** Restarts the clock when the server sends a message. Keep-alives don't count. */
  restart(): void {
    clearTimeout(this.#timer)
    const { timeoutMs, until } = this.#options
    if (timeoutMs === undefined || this.#pauses > 0) return
    const left = Math.max(0, until - performance.now())
    this.#timer = setTimeout(() => this.#expire(), Math.min(timeoutMs, left))
  }

  /** Stops the clock while a person answers. */
  async pausedFor<T>(answer: Promise<T>): Promise<T> {
    this.#pauses += 1
    clearTimeout(this.#timer)
    try {
      return await answer
    } finally {
      this.#pauses -= 1
      this.restart()
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    // A person's late answer must not restart the clock.
    this.#pauses = Number.POSITIVE_INFINITY
  }

  #expire(): void {
    const seconds = (this.#options.timeoutMs ?? 0) / 1_000
    const isCommandOver = performance.now() >= this.#options.until
    const limit = isCommandOver ? 'the time limit of a command' : `${seconds} seconds`
    this.#timeout.abort(
      new ServerFailure(
        `${this.#method}: the server did not respond within ${limit}; set the limit with --timeout`,
      ),
    )
  }
}

/** Returns a signal that aborts a message without a response if the server doesn't accept it in time. */
export function acceptanceTimeout(url: string): AbortSignal {
  const controller = new AbortController()
  const failure = new ServerFailure(
    `${url} did not accept a message within ${acceptanceTimeoutMs / 1_000} seconds`,
  )
  setTimeout(() => controller.abort(failure), acceptanceTimeoutMs)
  return controller.signal
}
