/**
 * Streamed responses (server-sent events and NDJSON): reports each piece as progress, and joins all pieces as the
 * result.
 */

import { mediaTypeOf } from '../../errors/body-text.js'
import { parseJson } from '../../support/long-numbers.js'
import type { InnerHeaders } from '../route.js'

export function isEventStream(type: string): boolean {
  return type === 'text/event-stream'
}

export function isJsonLines(type: string): boolean {
  return /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-seq)$/.test(type)
}

/** Maximum length of a progress message. */
const longestMessage = 500

/** The listeners of an `InnerRequest` that receive the response as it arrives. */
export interface Listeners {
  onHead(status: number, headers: InnerHeaders): void
  onChunk(chunk: Uint8Array): void
}

/**
 * Creates listeners that report each event or line as `ctx.progress(n, undefined, text)`. Responses of other types are
 * ignored.
 */
export function progressOf(progress: (done: number, total?: number, message?: string) => boolean): Listeners {
  let splitter: PieceSplitter | undefined
  let count = 0
  const tell = (piece: string): void => {
    count += 1
    progress(count, undefined, piece.length > longestMessage ? `${piece.slice(0, longestMessage)}…` : piece)
  }
  return {
    onHead: (status, headers) => {
      const type = mediaTypeOf({ headers })
      if (status >= 300) return
      if (isEventStream(type)) splitter = new PieceSplitter('events', tell)
      else if (isJsonLines(type)) splitter = new PieceSplitter('lines', tell)
    },
    onChunk: (chunk) => splitter?.add(chunk),
  }
}

/** Longer pieces are skipped. */
const longestPiece = 1024 * 1024

class PieceSplitter {
  readonly #decoder = new TextDecoder()
  readonly #isEvents: boolean
  readonly #onPiece: (piece: string) => void
  #buffered = ''
  /** Whether the current piece is skipped until its end. */
  #isSkipping = false

  constructor(kind: 'events' | 'lines', tell: (piece: string) => void) {
    this.#isEvents = kind === 'events'
    this.#onPiece = tell
  }

  add(chunk: Uint8Array): void {
    const parts = (this.#buffered + this.#decoder.decode(chunk, { stream: true })).split(
      this.#isEvents ? betweenEvents : betweenLines,
    )
    this.#buffered = parts.pop() ?? ''
    if (this.#isSkipping && parts.length > 0) {
      parts.shift()
      this.#isSkipping = false
    }
    if (this.#buffered.length > longestPiece) {
      // Keeps the start of a possible separator.
      this.#buffered = this.#buffered.slice(-3)
      this.#isSkipping = true
    }
    for (const part of parts) {
      const piece = this.#isEvents ? dataOf(part) : part.trim()
      if (piece !== undefined && piece !== '') this.#onPiece(piece)
    }
  }
}

const betweenEvents = /\r\n\r\n|\n\n|\r\r/
const betweenLines = /\r?\n/

/**
 * Returns the data of one event; `undefined` for a comment, an event without data, or the final `[DONE]` of some APIs.
 */
function dataOf(event: string): string | undefined {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line === 'data' || line.startsWith('data:'))
  if (lines.length === 0) return undefined
  const data = lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n')
  return data === '[DONE]' ? undefined : data
}

/** Joins the data of all events with line breaks. */
export function joinEvents(body: string): string {
  const data = body.split(betweenEvents).map(dataOf)
  return data.filter((piece) => piece !== undefined && piece !== '').join('\n')
}

/** Parses NDJSON; returns `undefined` if a line isn't JSON. */
export function parseLines(body: string): unknown[] | undefined {
  try {
    return (
      body
        // In RFC 7464, each text starts with a record separator.
        .split(/[\r\n]+/)
        .filter((line) => line.trim() !== '')
        .map((line) => parseJson(line.replace('\u001e', '')))
    )
  } catch {
    return undefined
  }
}
