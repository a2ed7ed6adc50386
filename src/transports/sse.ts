/** Server-sent events: a queue of frames that a mount sends on as its connection takes them. */

import type { Pieces, Sink } from './shapes.js'

/** Frames waiting beyond this are dropped notices: a reader that slow would cost memory without bound. */
const mostQueuedBytes = 4 * 1024 * 1024

export const sseHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
}

export function frame(json: string, id?: string): string {
  const text = `event: message\ndata: ${json}\n\n`
  return id === undefined ? text : `id: ${id}\n${text}`
}

type OnEnd = (stream: EventStream) => void

/** An answer in pieces. Whoever reads it waits; whoever writes it never does. */
export class EventStream implements Pieces {
  #queued: string[] | undefined
  #size = 0
  #ended = false
  /** Wakes whoever iterates. */
  #wake: (() => void) | undefined
  #sink: Sink | undefined
  /** The sink takes nothing until it says so; or what is queued goes out at the end of this turn. */
  #waits: 'no' | 'full' | 'turn' = 'no'
  readonly #onReaderGone: (() => void) | undefined
  #onEnd: OnEnd | OnEnd[] | undefined

  /** `onReaderGone` is called when the reader stops before the end. */
  constructor(onReaderGone?: () => void) {
    this.#onReaderGone = onReaderGone
  }

  get ended(): boolean {
    return this.#ended
  }

  /** The reader is too far behind for a notice. */
  get isBehind(): boolean {
    return this.#size > mostQueuedBytes
  }

  /** Calls `listener` once, when it ends from either side. */
  onEnd(listener: OnEnd): void {
    if (this.#ended) listener(this)
    else if (this.#onEnd === undefined) this.#onEnd = listener
    else if (Array.isArray(this.#onEnd)) this.#onEnd.push(listener)
    else this.#onEnd = [this.#onEnd, listener]
  }

  /** False when it ended, or when the reader is too far behind for a notice. */
  notify(json: string, id?: string): boolean {
    if (this.#ended || this.isBehind) return false
    this.#push(frame(json, id))
    return true
  }

  /** Sends what must arrive, however far behind the reader is. */
  answer(json: string, id?: string): void {
    this.#push(frame(json, id))
  }

  /** The last message. */
  finish(json: string): void {
    this.answer(json)
    this.end()
  }

  /** An event of its own name, as the transport of 2024-11-05 begins. */
  announce(event: string, data: string): void {
    this.#push(`event: ${event}\ndata: ${data}\n\n`)
  }

  /** Specification 2025-11-25: an id to come back with, before there is anything to send. */
  prime(id: string, retryMs: number): void {
    this.#push(`id: ${id}\nretry: ${retryMs}\ndata:\n\n`)
  }

  /** When to come back: the last thing before the connection is closed. */
  retry(retryMs: number): void {
    this.#push(`retry: ${retryMs}\n\n`)
  }

  /** A comment, so that nobody in between takes the stream for dead. */
  keepAlive(): void {
    if (this.#size === 0) this.#push(': keepalive\n\n')
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
    this.#queued = undefined
    this.#size = 0
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

  #push(text: string): void {
    if (this.#ended) return
    this.#queued ??= []
    this.#queued.push(text)
    this.#size += text.length
    this.#go()
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

/** How often a quiet stream shows that it lives. */
export const keepAliveMs = 15_000

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
