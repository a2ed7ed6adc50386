/** A response whose headers go out before its result is known: an event stream, or JSON text after white space. */

import type { Core } from '../../server/core.js'
import { BodyStream } from './body-stream.js'
import type { HttpResponse } from './shapes.js'
import { type KeepAlive, sseHeaders } from './sse.js'

/** A response that has started with status 200. Later failures are JSON-RPC errors in its body. */
export interface EarlyResponse {
  /** The response that the mount sends. */
  readonly response: HttpResponse
  /** Ends the response with the answers; none for a cancelled call. `batch`: write them as an array. */
  finish(answers: readonly string[], batch: boolean): void
}

export interface EarlyResponseParts {
  readonly core: Core
  readonly keepAlive: KeepAlive
  readonly onReaderGone: () => void
}

/** Counts a stream as open and keeps its connection alive. */
export function trackStream(connection: BodyStream, { core, keepAlive }: EarlyResponseParts): void {
  keepAlive.add(connection)
  core.counts.streams += 1
  connection.onEnd(() => {
    keepAlive.delete(connection)
    core.counts.streams -= 1
  })
}

/** A response with headers that keep proxies from buffering or compressing it. */
export function toEarlyResponse(type: string, body: BodyStream): HttpResponse {
  return { status: 200, headers: { ...sseHeaders, 'Content-Type': type }, body }
}

/** Insignificant before a JSON value (RFC 8259, section 2). */
const whiteSpace = ' '

/** An early response for clients that only accept JSON: white space until the result is known. */
export class PaddedJson implements EarlyResponse {
  readonly response: HttpResponse
  readonly #connection: BodyStream

  constructor(parts: EarlyResponseParts) {
    this.#connection = new BodyStream(whiteSpace, parts.onReaderGone)
    this.response = toEarlyResponse('application/json', this.#connection)
    trackStream(this.#connection, parts)
  }

  finish(answers: readonly string[], batch: boolean): void {
    const text = batch ? `[${answers.join(',')}]` : answers.join('')
    this.#connection.write(text)
    this.#connection.end()
  }
}
