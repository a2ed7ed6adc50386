/** A response body in pieces: a queue between the server and a mount's connection. */

import type { Pieces, Sink } from './shapes.js'

/** A client is too slow for notifications if more than this is queued and it has read nothing for `slowReaderMs`. */
export const maxQueuedBytes: number = 4 * 1024 * 1024
const slowReaderMs = 1_000
/** The absolute limit of queued notifications: a burst may be faster than any client. */
const maxNotificationBytes = 8 * 1024 * 1024

type OnEnd = (ended: BodyStream) => void

/** A queue of text pieces. Readers wait for pieces; writers never wait. */
export class BodyStream implements Pieces {
  readonly filler: string
  #queued: string[] | undefined
  #size = 0
  /** The size of the queued notifications. Responses are bounded by the number of calls that may run. */
  #notificationBytes = 0
  /** The time when the notifications exceeded `maxQueuedBytes`, in the time of `performance.now()`. */
  #overLimitSince = 0
  #ended = false
  /** Wakes the iterator. */
  #wakeReader: (() => void) | undefined
  #sink: Sink | undefined
  /** `full`: the sink takes nothing until `resume`. `scheduled`: the queue is flushed at the end of this turn. */
  #sinkState: 'ready' | 'full' | 'scheduled' = 'ready'
  readonly #onReaderGone: (() => void) | undefined
  #onEnd: OnEnd | OnEnd[] | undefined

  /** `onReaderGone` is called when the reader stops before the end. */
  constructor(filler: string, onReaderGone?: () => void) {
    this.filler = filler
    this.#onReaderGone = onReaderGone
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Whether the client is too slow to get further notifications. */
  get isBehind(): boolean {
    if (this.#notificationBytes <= maxQueuedBytes) return false
    return (
      this.#notificationBytes > maxNotificationBytes ||
      performance.now() - this.#overLimitSince > slowReaderMs
    )
  }

  /** The length of the queued text. */
  get size(): number {
    return this.#size
  }

  /** Calls `listener` once, when either side ends the stream. */
  onEnd(listener: OnEnd): void {
    if (this.#ended) listener(this)
    else if (this.#onEnd === undefined) this.#onEnd = listener
    else if (Array.isArray(this.#onEnd)) this.#onEnd.push(listener)
    else this.#onEnd = [this.#onEnd, listener]
  }

  write(piece: string): void {
    if (this.#ended) return
    this.#queued ??= []
    this.#queued.push(piece)
    this.#size += piece.length
    this.#scheduleFlush()
  }

  /** Writes a notification. Don't call it if `isBehind`. */
  writeNotification(piece: string): void {
    const before = this.#notificationBytes
    this.#notificationBytes += piece.length
    if (before <= maxQueuedBytes && this.#notificationBytes > maxQueuedBytes)
      this.#overLimitSince = performance.now()
    this.write(piece)
  }

  /** Sends the filler if nothing is queued, so that proxies don't close an idle connection. */
  keepAlive(): void {
    if (this.#size === 0) this.write(this.filler)
  }

  /** Ends the stream. Queued pieces are still sent. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#scheduleFlush()
    const listeners = this.#onEnd ?? []
    this.#onEnd = undefined
    for (const listener of Array.isArray(listeners) ? listeners : [listeners]) listener(this)
  }

  /** Ends the stream because the client has disconnected. Drops queued pieces. */
  leave(): void {
    this.#takeQueued()
    if (this.#ended) return
    this.end()
    this.#onReaderGone?.()
  }

  pipeTo(sink: Sink): void {
    this.#sink = sink
    this.#flush()
  }

  resume(): void {
    this.#sinkState = 'ready'
    this.#flush()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        const text = this.#takeQueued()
        if (text !== undefined) {
          yield text
        } else if (this.#ended) {
          return
        } else {
          await new Promise<void>((resolve) => {
            this.#wakeReader = resolve
          })
        }
      }
    } finally {
      this.leave()
    }
  }

  /** Wakes the iterator, or flushes to the sink at the end of this turn, so that pieces of one turn are sent together. */
  #scheduleFlush(): void {
    this.#wakeReader?.()
    if (this.#sink === undefined || this.#sinkState !== 'ready') return
    this.#sinkState = 'scheduled'
    queueMicrotask(() => {
      if (this.#sinkState === 'scheduled') this.resume()
    })
  }

  #takeQueued(): string | undefined {
    const text = this.#queued?.length === 1 ? this.#queued[0] : this.#queued?.join('')
    this.#queued = undefined
    this.#size = 0
    this.#notificationBytes = 0
    return text
  }

  #flush(): void {
    if (this.#sink === undefined) return
    const text = this.#takeQueued()
    // A sink that reports it's full has still taken this piece.
    if (text !== undefined && !this.#sink.write(text)) this.#sinkState = 'full'
    if (!this.#ended || this.#sinkState === 'full') return
    this.#sink.end()
    this.#sink = undefined
  }
}
