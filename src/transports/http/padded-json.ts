/** The JSON text of an answer that begins before it is known. */

import { type Begun, type BegunParts, begunAs, holdOpen } from './early-response.js'
import { PieceQueue } from './body-stream.js'
import type { HttpResponse } from './shapes.js'

/** RFC 8259, section 2: insignificant before the value. */
const whiteSpace = ' '

export class AnswerText implements Begun {
  readonly response: HttpResponse
  readonly #connection: PieceQueue

  constructor(parts: BegunParts) {
    this.#connection = new PieceQueue(whiteSpace, parts.onReaderGone)
    this.response = begunAs('application/json', this.#connection)
    holdOpen(this.#connection, parts)
  }

  finish(answers: readonly string[], batch: boolean): void {
    const text = batch ? `[${answers.join(',')}]` : answers.join('')
    this.#connection.write(text)
    this.#connection.end()
  }
}
