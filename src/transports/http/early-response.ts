/** An answer that begins before it is known, in either form: an event stream, or a JSON text after white space. */

import type { Core } from '../../server/core.js'
import { BodyStream } from './body-stream.js'
import type { HttpResponse } from './shapes.js'
import { type KeepAlive, sseHeaders } from './sse.js'

/** Its status is 200 whatever comes: what fails from now on is a JSON-RPC error in the body. */
export interface EarlyResponse {
  /** What the mount sends. */
  readonly response: HttpResponse
  /** The end, with the answers: none where the call was cancelled. `batch`: an array, however many there are. */
  finish(answers: readonly string[], batch: boolean): void
}

export interface EarlyResponseParts {
  readonly core: Core
  readonly keepAlive: KeepAlive
  readonly onReaderGone: () => void
}

/** Counts `connection` among those that are open, and shows that it lives. */
export function holdOpen(connection: BodyStream, { core, keepAlive }: EarlyResponseParts): void {
  keepAlive.add(connection)
  core.counts.streams += 1
  connection.onEnd(() => {
    keepAlive.delete(connection)
    core.counts.streams -= 1
  })
}

/** Nothing on the way may wait for more of it, or pack it. */
export function earlyResponseAs(type: string, body: BodyStream): HttpResponse {
  return { status: 200, headers: { ...sseHeaders, 'Content-Type': type }, body }
}

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
