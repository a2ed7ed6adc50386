/** Bytes in, lines out: one message a line (specification, Transports, stdio), however the bytes are cut. */

import type { RequestId } from '../../protocol/types.js'

export type Line =
  | { readonly kind: 'text'; readonly text: string }
  /** No UTF-8. */
  | { readonly kind: 'bytes' }
  /** `id`: of the request that it was, where its first or last bytes tell. */
  | { readonly kind: 'tooLarge'; readonly id: RequestId | undefined }

const newline = 10
/** How much of both ends of a line is kept that is too large to keep. */
const endBytes = 256
const smallestBuffer = 1_024

/** Keeps what has come of one line, and never more than `maxBytes` of it. Blank lines are passed over. */
export class LineReader {
  readonly #maxBytes: number
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #buffer = new Uint8Array(smallestBuffer)
  /** Bytes of the line that has not ended; of one that is too large, those at its beginning. */
  #size = 0
  /** The last bytes of a line that is too large. */
  #tail: Uint8Array | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that end in `bytes`, which may be used again afterwards. */
  *push(bytes: Uint8Array): Generator<Line, undefined> {
    let from = 0
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      const line = this.#end(bytes.subarray(from, end))
      from = end + 1
      if (line !== undefined) yield line
    }
    this.#keep(bytes.subarray(from))
    return undefined
  }

  /** The last line, where nothing ended it. */
  end(): Line | undefined {
    return this.#end(new Uint8Array(0))
  }

  #end(bytes: Uint8Array): Line | undefined {
    // Most lines come whole, and need not be copied.
    if (this.#size === 0 && bytes.length <= this.#maxBytes) return this.#toLine(bytes)
    this.#keep(bytes)
    const whole = this.#buffer.subarray(0, this.#size)
    const line = this.#tail === undefined ? this.#toLine(whole) : tooLarge(whole, this.#tail)
    this.#size = 0
    this.#tail = undefined
    if (this.#buffer.length > this.#maxBytes / 4) this.#buffer = new Uint8Array(smallestBuffer)
    return line
  }

  #toLine(bytes: Uint8Array): Line | undefined {
    try {
      const text = this.#decoder.decode(bytes)
      return text.trim() === '' ? undefined : { kind: 'text', text }
    } catch {
      return { kind: 'bytes' }
    }
  }

  #keep(bytes: Uint8Array): void {
    if (this.#tail === undefined && this.#size + bytes.length <= this.#maxBytes) {
      this.#reserve(this.#size + bytes.length)
      this.#buffer.set(bytes, this.#size)
      this.#size += bytes.length
      return
    }
    const last = this.#tail ?? this.#buffer.subarray(0, this.#size)
    this.#tail = lastOf(last, bytes)
    if (this.#size === 0) this.#buffer.set(bytes.subarray(0, endBytes))
    this.#size = Math.min(endBytes, Math.max(this.#size, bytes.length))
  }

  #reserve(size: number): void {
    if (size <= this.#buffer.length) return
    const larger = new Uint8Array(Math.max(size, Math.min(this.#maxBytes, this.#buffer.length * 2)))
    larger.set(this.#buffer.subarray(0, this.#size))
    this.#buffer = larger
  }
}

function lastOf(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= endBytes) return bytes.slice(-endBytes)
  const joined = new Uint8Array(Math.min(endBytes, before.length + bytes.length))
  joined.set(bytes, joined.length - bytes.length)
  joined.set(before.slice(before.length - (joined.length - bytes.length)))
  return joined
}

/** Its sender waits for an answer, and would find one without an id to belong to nothing. */
function tooLarge(first: Uint8Array, last: Uint8Array): Line {
  const decoder = new TextDecoder()
  const found = idAtEnd.exec(decoder.decode(last)) ?? idAtStart.exec(decoder.decode(first))
  return { kind: 'tooLarge', id: found?.[1] === undefined ? undefined : JSON.parse(found[1]) }
}

/** Where clients write it: as the last member, or before everything that can be long. */
const idAtEnd = /"id"\s*:\s*(-?\d{1,15}|"[^"\\\p{Cc}]*")\s*\}\s*$/u
const idAtStart = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[^"\\\p{Cc}]*")\s*,/u
