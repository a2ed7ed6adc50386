/** Collects the body of an inner response: decompressed, and up to a limit. */

import type { Transform } from 'node:stream'
import { createBrotliDecompress, createInflate, createUnzip } from 'node:zlib'

export interface BodyCollectorOptions {
  readonly maxBytes: number
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined
}

type WriteCallback = (error?: Error | null) => void

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

const empty = Buffer.alloc(0)

export class BodyCollector {
  readonly #options: BodyCollectorOptions
  #decoder: Transform | undefined
  #encoding: string | undefined
  #decodingError: Error | undefined
  #pendingWrite: WriteCallback | undefined
  /** A single buffer that grows. Copies the chunks, because the app may reuse its buffers right after writing. */
  #buffer: Buffer = empty
  #size = 0
  truncated = false

  constructor(options: BodyCollectorOptions) {
    this.#options = options
  }

  /** Sets the `Content-Encoding` to undo. Apps may compress even without `Accept-Encoding`. */
  decode(encoding: string): void {
    this.#encoding = encoding.toLowerCase()
  }

  /**
   * Adds a chunk. If this returns false, `done` is called once there's room for more. `isOurs`: nothing else writes
   * to `bytes`.
   */
  add(bytes: Buffer, done: WriteCallback, isOurs: boolean): boolean {
    if (this.#encoding === undefined) {
      this.#collect(bytes, isOurs)
      return true
    }
    // Created at the first bytes: responses to HEAD and 304 may name an encoding, but have no body.
    this.#decoder ??= this.#startDecoder(this.#encoding)
    // Truncated bytes need no decoding, and `end()` reports decoding errors.
    if (this.truncated || this.#decodingError !== undefined) return true
    this.#pendingWrite = done
    this.#decoder.write(Buffer.from(bytes), () => this.#resume())
    return false
  }

  #startDecoder(encoding: string): Transform {
    const decoder = (decoders[encoding] as () => Transform)()
    decoder.on('data', (bytes: Buffer) => this.#collect(bytes, true))
    decoder.on('error', (error) => {
      this.#decodingError = error
      // After an error, the decoder doesn't call pending callbacks.
      this.#resume()
    })
    return decoder
  }

  #resume(): void {
    const waiting = this.#pendingWrite
    this.#pendingWrite = undefined
    waiting?.()
  }

  /**
   * Returns the body, as a promise if it has to be decoded. Rejects if the body doesn't match its `Content-Encoding`.
   */
  end(): Buffer | Promise<Buffer> {
    const decoder = this.#decoder
    if (decoder === undefined || this.truncated) return this.#finish()
    return flushed(decoder, this.#decodingError).then(() => this.#finish())
  }

  #finish(): Buffer {
    this.discard()
    return this.#buffer.subarray(0, this.#size)
  }

  discard(): void {
    this.#decoder?.destroy()
  }

  #collect(bytes: Buffer, isOurs: boolean): void {
    const room = this.#options.maxBytes - this.#size
    if (bytes.length > room) this.truncated = true
    const part = bytes.length > room ? bytes.subarray(0, room) : bytes
    if (part.length === 0) return
    // Most responses are a single chunk.
    if (isOurs && this.#size === 0) this.#buffer = part
    else this.#append(part)
    this.#options.onChunk?.(this.#buffer.subarray(this.#size, this.#size + part.length))
    this.#size += part.length
  }

  #append(part: Buffer): void {
    this.#grow(part.length)
    part.copy(this.#buffer, this.#size)
  }

  #grow(by: number): void {
    const needed = this.#size + by
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(this.#size === 0 ? needed : Math.max(needed, 2 * this.#buffer.length))
    this.#buffer.copy(larger, 0, 0, this.#size)
    this.#buffer = larger
  }
}

function flushed(decoder: Transform, failed: Error | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (failed !== undefined) return reject(failed)
    decoder.once('end', resolve).once('error', reject).end()
  })
}
