/** Splits a byte stream into lines and passes them to a connection, with backpressure. */

import { ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import type { RequestId } from '../../protocol/types.js'
import { tooLarge } from '../http/body.js'
import type { Channel, Duplex } from './duplex.js'

/** A channel with backpressure. */
export interface PacedChannel extends Channel {
  /** Returns `undefined` if more can be written; otherwise a promise that resolves once more can be. */
  room(): Promise<void> | undefined
}

/** Splits a byte stream into lines and passes each line to a `Duplex`, no faster than the client reads the responses. */
export class LineFeed {
  readonly #duplex: Duplex
  readonly #channel: PacedChannel
  readonly #maxBodyBytes: number
  readonly #lines: LineReader

  constructor(duplex: Duplex, channel: PacedChannel, maxBodyBytes: number) {
    this.#duplex = duplex
    this.#channel = channel
    this.#maxBodyBytes = maxBodyBytes
    this.#lines = new LineReader(maxBodyBytes)
  }

  /** Handles a chunk of bytes. If it returns a promise, push more only after that has resolved. */
  push(bytes: Uint8Array): void | Promise<void> {
    const lines = this.#lines.push(bytes)
    for (let line = lines.next().value; line !== undefined; line = lines.next().value) {
      if (this.#channel.room() !== undefined || this.#duplex.isBusy) return this.#handlePaced(line, lines)
      this.#handleLine(line)
    }
  }

  async #handlePaced(first: Line, lines: Iterator<Line, undefined>): Promise<void> {
    for (let line: Line | undefined = first; line !== undefined; line = lines.next().value) {
      await this.#channel.room()
      // Lets finished calls send their responses first, however many lines arrived at once.
      if (this.#duplex.isBusy) await nextTurn()
      this.#handleLine(line)
    }
  }

  /** Handles the last line, at the end of the stream. */
  end(): void {
    const line = this.#lines.end()
    if (line !== undefined) this.#handleLine(line)
  }

  #handleLine(line: Line): void {
    if (line.kind === 'text') void this.#duplex.receive(line.text)
    else if (line.kind === 'tooLarge')
      this.#duplex.refuse(tooLarge(this.#maxBodyBytes, 'the message'), line.id)
    else this.#duplex.refuse(notUtf8())
  }
}

function notUtf8(): McpError {
  return refusal(ErrorCode.ParseError, 'Parse error: the message is not UTF-8')
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0))
}

export type Line =
  | { readonly kind: 'text'; readonly text: string }
  /** The line isn't valid UTF-8. */
  | { readonly kind: 'bytes' }
  /** The line is too large. `id` is the id of the request, if the line's first or last bytes contain it. */
  | { readonly kind: 'tooLarge'; readonly id: RequestId | undefined }

const newline = 10
/** The number of bytes that are kept of both ends of a line that is too large. */
const endBytes = 256
const minBufferBytes = 1_024

/** Splits bytes into lines. Buffers at most `maxBytes` of a line and skips blank lines. */
export class LineReader {
  readonly #maxBytes: number
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #buffer = new Uint8Array(minBufferBytes)
  /** The number of buffered bytes of the current line; for a line that is too large, only those of its beginning. */
  #size = 0
  /** The last bytes of a line that is too large. */
  #tail: Uint8Array | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Yields the lines that end in `bytes`. Copies what it keeps, so `bytes` may be reused afterwards. */
  *push(bytes: Uint8Array): Generator<Line, undefined> {
    let from = 0
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      const line = this.#end(bytes.subarray(from, end))
      from = end + 1
      if (line !== undefined) yield line
    }
    this.#append(bytes.subarray(from))
    return undefined
  }

  /** The last line, if it has no newline at its end. */
  end(): Line | undefined {
    return this.#end(new Uint8Array(0))
  }

  #end(bytes: Uint8Array): Line | undefined {
    // Most lines are complete in one chunk and needn't be copied.
    if (this.#size === 0 && bytes.length <= this.#maxBytes) return this.#toLine(bytes)
    this.#append(bytes)
    const whole = this.#buffer.subarray(0, this.#size)
    const line = this.#tail === undefined ? this.#toLine(whole) : oversizedLine(whole, this.#tail)
    this.#size = 0
    this.#tail = undefined
    if (this.#buffer.length > this.#maxBytes / 4) this.#buffer = new Uint8Array(minBufferBytes)
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

  #append(bytes: Uint8Array): void {
    if (this.#tail === undefined && this.#size + bytes.length <= this.#maxBytes) {
      this.#reserve(this.#size + bytes.length)
      this.#buffer.set(bytes, this.#size)
      this.#size += bytes.length
      return
    }
    const last = this.#tail ?? this.#buffer.subarray(0, this.#size)
    this.#tail = lastBytes(last, bytes)
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

function lastBytes(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= endBytes) return bytes.slice(-endBytes)
  const joined = new Uint8Array(Math.min(endBytes, before.length + bytes.length))
  joined.set(bytes, joined.length - bytes.length)
  joined.set(before.slice(before.length - (joined.length - bytes.length)))
  return joined
}

/** Finds the request's id in the kept bytes, since the client can't match an error response without an id. */
function oversizedLine(first: Uint8Array, last: Uint8Array): Line {
  const decoder = new TextDecoder()
  const found = idAtEnd.exec(decoder.decode(last)) ?? idAtStart.exec(decoder.decode(first))
  return { kind: 'tooLarge', id: found?.[1] === undefined ? undefined : JSON.parse(found[1]) }
}

/** Clients write the id as the last member, or before the long ones. */
const idAtEnd = /"id"\s*:\s*(-?\d{1,15}|"[^"\\\p{Cc}]*")\s*\}\s*$/u
const idAtStart = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[^"\\\p{Cc}]*")\s*,/u
