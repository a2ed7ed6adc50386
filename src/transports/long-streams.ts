/** The streams of one mount that stay open: how many there are, and what each of them costs when it ends. */

import type { Core } from '../core.js'
import { ErrorCode, refusal } from '../errors.js'
import type { PieceQueue } from './pieces.js'
import { EventStream, type KeepAlive } from './sse.js'

interface Limit {
  readonly at: number
  readonly timer: ReturnType<typeof setTimeout>
}

/** Timers do not follow the time of day where that is set, or where the machine sleeps: it is looked at this often. */
const lookMs = 60_000

export class LongStreams {
  readonly #core: Core
  readonly #keepAlive: KeepAlive
  readonly #most: number
  #taken = 0
  /** A timer of its own for each: some platforms let only the request that opened a stream end it. */
  readonly #limits = new Map<PieceQueue, Limit>()

  constructor(core: Core, keepAlive: KeepAlive, most: number) {
    this.#core = core
    this.#keepAlive = keepAlive
    this.#most = most
  }

  /** Takes a place, for `open`. Throws 503 when there is none: each stream holds a connection and memory. */
  reserve(): void {
    if (this.#taken >= this.#most) {
      throw refusal(
        ErrorCode.InternalError,
        `Too many open streams: at most ${this.#most}; try again later`,
        {
          status: 503,
          headers: { 'Retry-After': '5' },
        },
      )
    }
    this.#taken += 1
  }

  /** A stream in the place that was reserved; it gives the place back when it ends. */
  open(): EventStream {
    const stream = new EventStream()
    this.#keepAlive.add(stream)
    this.#core.counts.streams += 1
    // One listener for all streams: there may be many.
    stream.onEnd(this.#onEnd)
    return stream
  }

  /**
   * Ends a stream when the token ends that it was opened with, in milliseconds since the epoch; `undefined`: never. Takes
   * the place of what was said before.
   */
  limit(stream: EventStream, at: number | undefined, end: () => void = () => stream.end()): void {
    this.#unlimit(stream)
    if (at === undefined || stream.ended) return
    const wait = Math.min(Math.max(0, at - Date.now()), lookMs)
    const look = (): void => (Date.now() < at ? this.limit(stream, at, end) : end())
    this.#limits.set(stream, { at, timer: setTimeout(look, wait) })
  }

  /** The same where that is later than what was said before. */
  extend(stream: EventStream, at: number | undefined): void {
    const { at: before = Number.POSITIVE_INFINITY } = this.#limits.get(stream) ?? {}
    if (at === undefined || at > before) this.limit(stream, at)
  }

  #unlimit(stream: PieceQueue): void {
    if (this.#limits.size === 0) return
    clearTimeout(this.#limits.get(stream)?.timer)
    this.#limits.delete(stream)
  }

  readonly #onEnd = (stream: PieceQueue): void => {
    this.#keepAlive.delete(stream)
    this.#unlimit(stream)
    this.#core.counts.streams -= 1
    this.#taken -= 1
  }
}
