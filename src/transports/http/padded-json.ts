/** The JSON text of an answer that begins before it is known. */

import { BodyStream } from './body-stream.js'
import { type EarlyResponse, type EarlyResponseParts, earlyResponseAs, holdOpen } from './early-response.js'
import type { HttpResponse } from './shapes.js'

/** RFC 8259, section 2: insignificant before the value. */
const whiteSpace = ' '

export class PaddedJson implements EarlyResponse {
  readonly response: HttpResponse
  readonly #connection: BodyStream

  constructor(parts: EarlyResponseParts) {
    this.#connection = new BodyStream(whiteSpace, parts.onReaderGone)
    this.response = earlyResponseAs('application/json', this.#connection)
    holdOpen(this.#connection, parts)
  }

  finish(answers: readonly string[], batch: boolean): void {
    const text = batch ? `[${answers.join(',')}]` : answers.join('')
    this.#connection.write(text)
    this.#connection.end()
  }
}
