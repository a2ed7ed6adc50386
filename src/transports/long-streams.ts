/** The streams of one mount that stay open: how many there are, and what each of them costs when it ends. */

import type { Core } from '../core.js'
import { ErrorCode, type McpError, refusal } from '../errors.js'
import { PerCaller } from '../sessions/per-caller.js'
import type { PieceQueue } from './pieces.js'
import { EventStream, type KeepAlive } from './sse.js'

export interface StreamLimits {
  /** Of one mount. */
  readonly maxStreams: number
  readonly maxStreamsPerCaller: number
}

interface Limit {
  readonly at: number
  readonly timer: ReturnType<typeof setTimeout>
}

/** Timers do not follow the time of day where that is set, or where the machine sleeps: it is looked at this often. */
const lookMs = 60_000

export class LongStreams {
  readonly #core: Core
  readonly #keepAlive: KeepAlive
  readonly #limits: StreamLimits
  readonly #perCaller: PerCaller
  #taken = 0
  /** A timer of its own for each: some platforms let only the request that opened a stream end it. */
  readonly #ends = new Map<PieceQueue, Limit>()

  constructor(core: Core, keepAlive: KeepAlive, limits: StreamLimits) {
    this.#core = core
    this.#keepAlive = keepAlive
    this.#limits = limits
    this.#perCaller = new PerCaller(limits.maxStreamsPerCaller)
  }

  /** Takes a place, for `open`. Throws 503 or 429 when there is none: each stream holds a connection and memory. */
  reserve(caller: string | undefined): void {
    const { maxStreams, maxStreamsPerCaller } = this.#limits
    if (this.#taken >= maxStreams) throw tooMany(503, `at most ${maxStreams}`)
    if (!this.#perCaller.take(caller))
      throw tooMany(429, `at most ${maxStreamsPerCaller} of one caller (\`maxStreamsPerCaller\`)`)
    this.#taken += 1
  }

  /** A stream in the place that was reserved for this caller; it gives the place back when it ends. */
  open(caller: string | undefined): EventStream {
    const stream = new EventStream()
    stream.caller = caller
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
    this.#ends.set(stream, { at, timer: setTimeout(look, wait) })
  }

  /** The same where that is later than what was said before. */
  extend(stream: EventStream, at: number | undefined): void {
    const { at: before = Number.POSITIVE_INFINITY } = this.#ends.get(stream) ?? {}
    if (at === undefined || at > before) this.limit(stream, at)
  }

  #unlimit(stream: PieceQueue): void {
    if (this.#ends.size === 0) return
    clearTimeout(this.#ends.get(stream)?.timer)
    this.#ends.delete(stream)
  }

  readonly #onEnd = (stream: PieceQueue): void => {
    this.#keepAlive.delete(stream)
    this.#unlimit(stream)
    this.#core.counts.streams -= 1
    this.#taken -= 1
    this.#perCaller.give((stream as EventStream).caller)
  }
}

function tooMany(status: number, expected: string): McpError {
  return refusal(ErrorCode.InternalError, `Too many open streams: ${expected}; try again later`, {
    status,
    headers: { 'Retry-After': '5' },
  })
}
