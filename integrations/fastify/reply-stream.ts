/** Streams whose readers may leave before the end: for Fastify such an end is an error of the route. */

import { Readable } from 'node:stream'
import type { Pieces, Sink } from '../../src/adapter.js'
import type { Written } from '../node/response.js'

/** The part of `Pieces` that is read. */
type Source = Pick<Pieces, 'pipeTo' | 'resume' | 'leave'>

/**
 * The body of a streamed answer. Fastify destroys it when the client leaves. A stream that is destroyed before its end
 * reports a premature close, and before the headers are out Fastify hands that to the app's error handler; the answer of
 * the handler throws in Fastify 4, outside of every promise. So without an error, `destroy()` ends this stream.
 */
export class ReplyStream extends Readable implements Sink, Written {
  readonly #source: Source
  #isPiped = false
  #isLeft = false

  constructor(source: Source) {
    super()
    this.#source = source
  }

  /** Returns `body` itself where it is one. */
  static around(body: Readable): ReplyStream {
    return body instanceof ReplyStream ? body : new ReplyStream(new ReadableSource(body))
  }

  get whole(): boolean {
    return this.readableEnded && !this.#isLeft
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
    this.#isLeft = true
    this.#source.leave()
    this.push(null)
    this.unpipe()
    // Reads away what is buffered, so that the end comes.
    return this.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source.leave()
    done(error)
  }
}

/**
 * A stream that a hook of the app put around the answer, or in its place. It may fail or close before Fastify reads it, and
 * an error that nobody listens for ends the process.
 */
class ReadableSource implements Source {
  readonly #body: Readable
  #sink: ReplyStream | undefined
  #isLeft = false
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
    this.#isLeft = true
    this.#body.destroy()
  }

  #fail(error: Error): void {
    this.#error ??= error
    if (!this.#isLeft) this.#sink?.destroy(this.#error)
  }
}

/** As `finished` of `node:stream` says it. */
function prematureClose(): Error {
  return Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
}
