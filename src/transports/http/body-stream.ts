/** A body in pieces: a queue that a mount sends on as its connection takes it. */

import type { Pieces, Sink } from './shapes.js'

/** A reader that has taken nothing for this long, while more than this waits, is too slow for notices. */
export const mostQueuedBytes: number = 4 * 1024 * 1024
const patienceMs = 1_000
/** More notices than this never wait: they may come faster than any reader takes them. */
const mostAtOnceBytes = 8 * 1024 * 1024

type OnEnd = (ended: BodyStream) => void

/** Whoever reads it waits; whoever writes it never does. */
export class BodyStream implements Pieces {
  readonly filler: string
  #queued: string[] | undefined
  #size = 0
  /** Of the notices among them. Answers are bounded by the calls that may run. */
  #notices = 0
  /** Since when those are too many, as `performance.now()` counts. */
  #tooManySince = 0
  #ended = false
  /** Wakes whoever iterates. */
  #wake: (() => void) | undefined
  #sink: Sink | undefined
  /** The sink takes nothing until it says so; or what is queued goes out at the end of this turn. */
  #waits: 'no' | 'full' | 'turn' = 'no'
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

  /** The reader is too far behind for a notice. */
  get isBehind(): boolean {
    if (this.#notices <= mostQueuedBytes) return false
    return this.#notices > mostAtOnceBytes || performance.now() - this.#tooManySince > patienceMs
  }

  /** How much waits for the reader. */
  get size(): number {
    return this.#size
  }

  /** Calls `listener` once, when it ends from either side. */
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
    this.#go()
  }

  /** Where the reader is behind, it is not to be called. */
  writeNotice(piece: string): void {
    const before = this.#notices
    this.#notices += piece.length
    if (before <= mostQueuedBytes && this.#notices > mostQueuedBytes) this.#tooManySince = performance.now()
    this.write(piece)
  }

  /** So that nobody in between takes it for dead. */
  keepAlive(): void {
    if (this.#size === 0) this.write(this.filler)
  }

  /** What is queued still goes out. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#go()
    const listeners = this.#onEnd ?? []
    this.#onEnd = undefined
    for (const listener of Array.isArray(listeners) ? listeners : [listeners]) listener(this)
  }

  /** Nobody reads it any more. */
  leave(): void {
    this.#take()
    if (this.#ended) return
    this.end()
    this.#onReaderGone?.()
  }

  pipeTo(sink: Sink): void {
    this.#sink = sink
    this.#flush()
  }

  resume(): void {
    this.#waits = 'no'
    this.#flush()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        const text = this.#take()
        if (text !== undefined) {
          yield text
        } else if (this.#ended) {
          return
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
        }
      }
    } finally {
      this.leave()
    }
  }

  /** What is written in one turn goes out together. */
  #go(): void {
    this.#wake?.()
    if (this.#sink === undefined || this.#waits !== 'no') return
    this.#waits = 'turn'
    queueMicrotask(() => {
      if (this.#waits === 'turn') this.resume()
    })
  }

  #take(): string | undefined {
    const text = this.#queued?.length === 1 ? this.#queued[0] : this.#queued?.join('')
    this.#queued = undefined
    this.#size = 0
    this.#notices = 0
    return text
  }

  #flush(): void {
    if (this.#sink === undefined) return
    const text = this.#take()
    // A sink that is full takes the piece all the same, but no further one.
    if (text !== undefined && !this.#sink.write(text)) this.#waits = 'full'
    if (!this.#ended || this.#waits === 'full') return
    this.#sink.end()
    this.#sink = undefined
  }
}
