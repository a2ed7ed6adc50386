/** The streams of one mount that stay open: how many there are, and what each of them costs when it ends. */

import type { Core } from '../core.js'
import { ErrorCode, refusal } from '../errors.js'
import { EventStream, type KeepAlive } from './sse.js'

export class LongStreams {
  readonly #core: Core
  readonly #keepAlive: KeepAlive
  readonly #most: number
  #taken = 0

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

  readonly #onEnd = (stream: EventStream): void => {
    this.#keepAlive.delete(stream)
    this.#core.counts.streams -= 1
    this.#taken -= 1
  }
}
