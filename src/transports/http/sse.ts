/** Server-sent events: the frames of an answer that comes in several messages. */

import { BodyStream } from './body-stream.js'

export const sseHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
}

const comment = ': keepalive\n\n'

export function frame(json: string, id?: string): string {
  const text = `event: message\ndata: ${json}\n\n`
  return id === undefined ? text : `id: ${id}\n${text}`
}

export class EventStream extends BodyStream {
  /** Whom it counts for. */
  caller: string | undefined = undefined

  /** `onReaderGone` is called when the reader stops before the end. */
  constructor(onReaderGone?: () => void) {
    super(comment, onReaderGone)
  }

  /** False when it ended, or when the reader is too far behind for a notice. */
  notify(json: string, id?: string): boolean {
    if (this.ended || this.isBehind) return false
    this.writeNotice(frame(json, id))
    return true
  }

  /** Sends what must arrive, however far behind the reader is. */
  answer(json: string, id?: string): void {
    this.write(frame(json, id))
  }

  /** The last message. */
  finish(json: string): void {
    this.answer(json)
    this.end()
  }

  /** An event of its own name, as the transport of 2024-11-05 begins. */
  announce(event: string, data: string): void {
    this.write(`event: ${event}\ndata: ${data}\n\n`)
  }

  /** Specification 2025-11-25: an id to come back with, before there is anything to send. */
  prime(id: string, retryMs: number): void {
    this.write(`id: ${id}\nretry: ${retryMs}\ndata:\n\n`)
  }

  /** When to come back: the last thing before the connection is closed. */
  retry(retryMs: number): void {
    this.write(`retry: ${retryMs}\n\n`)
  }
}

/** How often a quiet stream shows that it lives. */
export const keepAliveMs = 15_000

/** One timer for all open streams, running only while there are some. */
export class KeepAlive {
  readonly #streams = new Set<BodyStream>()
  readonly #everyMs: number
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  add(stream: BodyStream): void {
    this.#streams.add(stream)
    this.#timer ??= setInterval(() => {
      for (const open of this.#streams) open.keepAlive()
    }, this.#everyMs)
  }

  delete(stream: BodyStream): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
