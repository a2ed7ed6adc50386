/** Response streams that clients may leave early, which Fastify would otherwise treat as an error of the route. */

import { Readable } from 'node:stream'
import type { Pieces, Sink } from '../../src/adapter.js'
import type { Written } from '../node/response.js'

/** The members of `Pieces` that the stream needs. */
type Source = Pick<Pieces, 'pipeTo' | 'resume' | 'leave'>

/**
 * The body of a streamed response. Fastify destroys it when the client disconnects. A stream that is destroyed before
 * its end reports a premature close. If the headers aren't sent yet, Fastify passes that error to the app's error
 * handler, whose reply throws an uncaught error in Fastify 4. So `destroy()` without an error ends this stream
 * normally.
 */
export class ReplyStream extends Readable implements Sink, Written {
  readonly #source: Source
  #isPiped = false
  #isAbandoned = false

  constructor(source: Source) {
    super()
    this.#source = source
  }

  /** Wraps `body`, unless it is a `ReplyStream` already. */
  static around(body: Readable): ReplyStream {
    return body instanceof ReplyStream ? body : new ReplyStream(new ReadableSource(body))
  }

  get whole(): boolean {
    return this.readableEnded && !this.#isAbandoned
  }

  override _read(): void {
    if (this.#isPiped) {
      this.#source.resume()
    } else {
      this.#isPiped = true
      this.#source.pipeTo(this)
    }
  }

  write(piece: string | Uint8Array): boolean {
    return this.push(piece)
  }

  end(): void {
    this.push(null)
  }

  override destroy(error?: Error): this {
    if (error != null || this.readableEnded || this.destroyed) return super.destroy(error)
    this.#isAbandoned = true
    this.#source.leave()
    this.push(null)
    this.unpipe()
    // Discard buffered data, so that the stream ends.
    return this.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source.leave()
    done(error)
  }
}

/**
 * A stream that a hook of the app has put around the response, or in its place. The stream may fail or close before
 * Fastify reads it, so this listens for errors at once: an `error` event without a listener ends the process.
 */
class ReadableSource implements Source {
  readonly #body: Readable
  #sink: ReplyStream | undefined
  #isAbandoned = false
  #error: Error | undefined

  constructor(body: Readable) {
    this.#body = body
    body.on('error', (error) => this.#fail(error))
    body.once('close', () => {
      if (!body.readableEnded) this.#fail(prematureClose())
    })
  }

  pipeTo(sink: ReplyStream): void {
    const body = this.#body
    this.#sink = sink
    const error = this.#error ?? body.errored ?? (body.destroyed ? prematureClose() : undefined)
    if (error !== undefined && !body.readableEnded) return void sink.destroy(error)
    body.on('data', (chunk: Uint8Array) => {
      if (!sink.write(chunk)) body.pause()
    })
    body.once('end', () => sink.end())
    if (body.readableEnded) sink.end()
  }

  resume(): void {
    this.#body.resume()
  }

  leave(): void {
    this.#isAbandoned = true
    this.#body.destroy()
  }

  #fail(error: Error): void {
    this.#error ??= error
    if (!this.#isAbandoned) this.#sink?.destroy(this.#error)
  }
}

/** Creates the error that `finished` of `node:stream` reports. */
function prematureClose(): Error {
  return Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
}
