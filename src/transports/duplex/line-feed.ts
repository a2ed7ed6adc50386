/** Takes the bytes of a stream of lines into a connection, no faster than its answers are read. */

import { ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import { tooLarge } from '../http/body.js'
import type { Channel, Duplex } from './duplex.js'
import { type Line, LineReader } from './lines.js'

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
