/** A writable stream as the channel of a connection: one message a line. */

import type { Writable } from 'node:stream'
import type { PacedChannel } from '../../src/adapter.js'

/** A reader this far behind is sent nothing that it can do without. */
const mostWaitingBytes = 4 * 1024 * 1024

export class LineChannel implements PacedChannel {
  /** Resolves when nothing is written any more. */
  readonly ended: Promise<void>
  readonly #output: Writable
  readonly #write: (text: string, done: () => void) => boolean
  #room: Promise<void> | undefined
  #end: () => void = () => {}

  /** `write`: how to write to `output`, where that is not its own way. */
  constructor(output: Writable, write: (text: string, done: () => void) => boolean) {
    this.#output = output
    this.#write = write
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get isBehind(): boolean {
    return this.#output.writableLength > mostWaitingBytes
  }

  write(text: string, sent: () => void): void {
    if (this.#output.destroyed) sent()
    else if (!this.#write(`${text}\n`, sent)) this.#room ??= this.#drained()
  }

  room(): Promise<void> | undefined {
    return this.#room
  }

  end(): void {
    this.#end()
  }

  async #drained(): Promise<void> {
    const output = this.#output
    await new Promise<void>((resolve) => {
      const done = (): void => {
        output.off('drain', done).off('close', done).off('error', done)
        resolve()
      }
      output.on('drain', done).on('close', done).on('error', done)
      void this.ended.then(done)
    })
    this.#room = undefined
  }
}
