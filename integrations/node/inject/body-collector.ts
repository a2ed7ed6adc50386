/** Keeps the body of an inner answer: uncompressed, and no more of it than was asked for. */

import type { Transform } from 'node:stream'
import { createBrotliDecompress, createInflate, createUnzip } from 'node:zlib'

export interface BodyCollectorOptions {
  readonly maxBytes: number
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined
}

type Done = (error?: Error | null) => void

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Whether `BodyCollector` undoes this `Content-Encoding`. */
export function isDecodable(encoding: string | string[] | undefined): encoding is string {
  return typeof encoding === 'string' && Object.hasOwn(decoders, encoding.toLowerCase())
}

const nothing = Buffer.alloc(0)

export class BodyCollector {
  readonly #options: BodyCollectorOptions
  #decoder: Transform | undefined
  #encoding: string | undefined
  #failed: Error | undefined
  #waiting: Done | undefined
  /** One buffer that grows: what the app wrote may be overwritten by it right after. */
  #kept: Buffer = nothing
  #size = 0
  truncated = false

  constructor(options: BodyCollectorOptions) {
    this.#options = options
  }

  /** Apps compress though nobody asked them to. */
  decode(encoding: string): void {
    this.#encoding = encoding.toLowerCase()
  }

  /** False: `done` will be called when there is room for more. `isOurs`: nobody else writes to these bytes. */
  add(bytes: Buffer, done: Done, isOurs: boolean): boolean {
    if (this.#encoding === undefined) {
      this.#keep(bytes, isOurs)
      return true
    }
    // Not before there are bytes: answers to HEAD and 304 name an encoding and have no body.
    this.#decoder ??= this.#startDecoder(this.#encoding)
    // What is not kept needs no decoding, and what cannot be decoded is told of at the end.
    if (this.truncated || this.#failed !== undefined) return true
    this.#waiting = done
    this.#decoder.write(Buffer.from(bytes), () => this.#goOn())
    return false
  }

  #startDecoder(encoding: string): Transform {
    const decoder = (decoders[encoding] as () => Transform)()
    decoder.on('data', (bytes: Buffer) => this.#keep(bytes, true))
    decoder.on('error', (error) => {
      this.#failed = error
      // A decoder that failed forgets who waits for it.
      this.#goOn()
    })
    return decoder
  }

  #goOn(): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.()
  }

  /** The body, at once unless it must be decoded. Rejects when it is not encoded as its head says. */
  end(): Buffer | Promise<Buffer> {
    const decoder = this.#decoder
    if (decoder === undefined || this.truncated) return this.#whole()
    return flushed(decoder, this.#failed).then(() => this.#whole())
  }

  #whole(): Buffer {
    this.discard()
    return this.#kept.subarray(0, this.#size)
  }

  discard(): void {
    this.#decoder?.destroy()
  }

  #keep(bytes: Buffer, isOurs: boolean): void {
    const room = this.#options.maxBytes - this.#size
    if (bytes.length > room) this.truncated = true
    const part = bytes.length > room ? bytes.subarray(0, room) : bytes
    if (part.length === 0) return
    // Most answers are one piece of text.
    if (isOurs && this.#size === 0) this.#kept = part
    else this.#append(part)
    this.#options.onChunk?.(this.#kept.subarray(this.#size, this.#size + part.length))
    this.#size += part.length
  }

  #append(part: Buffer): void {
    this.#grow(part.length)
    part.copy(this.#kept, this.#size)
  }

  #grow(by: number): void {
    const needed = this.#size + by
    if (needed <= this.#kept.length) return
    const larger = Buffer.allocUnsafe(this.#size === 0 ? needed : Math.max(needed, 2 * this.#kept.length))
    this.#kept.copy(larger, 0, 0, this.#size)
    this.#kept = larger
  }
}

function flushed(decoder: Transform, failed: Error | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (failed !== undefined) return reject(failed)
    decoder.once('end', resolve).once('error', reject).end()
  })
}
