/** Server-sent events: frames, event streams, and keep-alive comments. */

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
  /** The key that the stream counts by. */
  callerKey: string | undefined = undefined

  /** `onReaderGone` is called when the client disconnects before the end. */
  constructor(onReaderGone?: () => void) {
    super(comment, onReaderGone)
  }

  /** Sends a notification. Returns false if the stream has ended or the client is too slow. */
  notify(json: string, id?: string): boolean {
    if (this.ended || this.isBehind) return false
    this.writeNotification(frame(json, id))
    return true
  }

  /** Sends a message that must arrive, even if the client is slow. */
  answer(json: string, id?: string): void {
    this.write(frame(json, id))
  }

  /** Sends the last message. */
  finish(json: string): void {
    this.answer(json)
    this.end()
  }

  /** Sends a named event, such as the `endpoint` event of the 2024-11-05 transport. */
  announce(event: string, data: string): void {
    this.write(`event: ${event}\ndata: ${data}\n\n`)
  }

  /** Sends an empty event with an id, so that the client can resume the stream (specification 2025-11-25). */
  prime(id: string, retryMs: number): void {
    this.write(`id: ${id}\nretry: ${retryMs}\ndata:\n\n`)
  }

  /** Sends the time after which the client should reconnect, before the connection is closed. */
  retry(retryMs: number): void {
    this.write(`retry: ${retryMs}\n\n`)
  }
}

/** Milliseconds between keep-alive comments on an idle stream. */
export const keepAliveMs = 15_000

/** Keeps open streams alive with one timer, which only runs while there are streams. */
export class KeepAlive {
  readonly #streams = new Set<BodyStream>()
  readonly #intervalMs: number
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(everyMs: number) {
    this.#intervalMs = everyMs
  }

  add(stream: BodyStream): void {
    this.#streams.add(stream)
    this.#timer ??= setInterval(() => {
      for (const open of this.#streams) open.keepAlive()
    }, this.#intervalMs)
  }

  delete(stream: BodyStream): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
