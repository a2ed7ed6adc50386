/** Server-sent events: a queue of frames that a mount drains piece by piece. */

/** Frames waiting beyond this are dropped notices: a reader that slow would cost memory without bound. */
const mostQueuedBytes = 4 * 1024 * 1024

export const sseHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
}

export function frame(json: string): string {
  return `event: message\ndata: ${json}\n\n`
}

/** An answer in pieces. Whoever reads it waits; whoever writes it never does. */
export class EventStream implements AsyncIterable<string> {
  #queued: string[] = []
  #size = 0
  #ended = false
  #wake: (() => void) | undefined
  readonly #onReaderGone: () => void

  /** `onReaderGone` is called when the reader stops before the end. */
  constructor(onReaderGone: () => void) {
    this.#onReaderGone = onReaderGone
  }

  /** False when it ended, or when the reader is too far behind for a notice. */
  notify(json: string): boolean {
    if (this.#ended || this.#size > mostQueuedBytes) return false
    this.#push(frame(json))
    return true
  }

  /** Sends what must arrive, however far behind the reader is. */
  answer(json: string): void {
    if (!this.#ended) this.#push(frame(json))
  }

  /** A comment, so that nobody in between takes the stream for dead. */
  keepAlive(): void {
    if (!this.#ended && this.#size === 0) this.#push(': keepalive\n\n')
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        if (this.#queued.length > 0) {
          const text = this.#queued.length === 1 ? (this.#queued[0] as string) : this.#queued.join('')
          this.#queued = []
          this.#size = 0
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
      const left = !this.#ended
      this.#ended = true
      if (left) this.#onReaderGone()
    }
  }

  #push(text: string): void {
    this.#queued.push(text)
    this.#size += text.length
    this.#wake?.()
  }
}

/** One timer for all open streams, running only while there are some. */
export class KeepAlive {
  readonly #streams = new Set<EventStream>()
  readonly #everyMs: number
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  get size(): number {
    return this.#streams.size
  }

  add(stream: EventStream): void {
    this.#streams.add(stream)
    this.#timer ??= setInterval(() => {
      for (const open of this.#streams) open.keepAlive()
    }, this.#everyMs)
  }

  delete(stream: EventStream): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
