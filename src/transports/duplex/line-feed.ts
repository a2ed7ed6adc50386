/** Takes the bytes of a stream of lines into a connection, no faster than its answers are read. */

import { ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import type { RequestId } from '../../protocol/types.js'
import { tooLarge } from '../http/body.js'
import type { Channel, Duplex } from './duplex.js'

/** A channel that says when more may be read. */
export interface PacedChannel extends Channel {
  /** Resolves when the reader takes more; `undefined` where it does. */
  room(): Promise<void> | undefined
}

/** Takes the bytes of a stream of lines, and hands each line to a `Duplex`, no faster than its answers are read. */
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

  /** Where a promise comes back, come with more when it resolves. */
  push(bytes: Uint8Array): void | Promise<void> {
    const lines = this.#lines.push(bytes)
    for (let line = lines.next().value; line !== undefined; line = lines.next().value) {
      if (this.#channel.room() !== undefined || this.#duplex.isBusy) return this.#takeSlowly(line, lines)
      this.#take(line)
    }
  }

  async #takeSlowly(first: Line, lines: Iterator<Line, undefined>): Promise<void> {
    for (let line: Line | undefined = first; line !== undefined; line = lines.next().value) {
      await this.#channel.room()
      // What takes no time is answered in between, however many lines came at once.
      if (this.#duplex.isBusy) await turn()
      this.#take(line)
    }
  }

  /** Nothing comes any more. */
  end(): void {
    const line = this.#lines.end()
    if (line !== undefined) this.#take(line)
  }

  #take(line: Line): void {
    if (line.kind === 'text') void this.#duplex.receive(line.text)
    else if (line.kind === 'tooLarge')
      this.#duplex.refuse(tooLarge(this.#maxBodyBytes, 'the message'), line.id)
    else this.#duplex.refuse(notText())
  }
}

function notText(): McpError {
  return refusal(ErrorCode.ParseError, 'Parse error: the message is not UTF-8')
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0))
}

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
    const line = this.#tail === undefined ? this.#toLine(whole) : oversizedLine(whole, this.#tail)
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
function oversizedLine(first: Uint8Array, last: Uint8Array): Line {
  const decoder = new TextDecoder()
  const found = idAtEnd.exec(decoder.decode(last)) ?? idAtStart.exec(decoder.decode(first))
  return { kind: 'tooLarge', id: found?.[1] === undefined ? undefined : JSON.parse(found[1]) }
}

/** Where clients write it: as the last member, or before everything that can be long. */
const idAtEnd = /"id"\s*:\s*(-?\d{1,15}|"[^"\\\p{Cc}]*")\s*\}\s*$/u
const idAtStart = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[^"\\\p{Cc}]*")\s*,/u
