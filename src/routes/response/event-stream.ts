/** Streamed answers, server-sent events and NDJSON: each piece is progress, all of them are the answer. */

import { mediaTypeOf } from '../../errors/body-text.js'
import { parseJson } from '../../support/long-numbers.js'
import type { InnerHeaders } from '../route.js'

export function isEventStream(type: string): boolean {
  return type === 'text/event-stream'
}

export function isJsonLines(type: string): boolean {
  return /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-seq)$/.test(type)
}

/** A progress message is a line for people, not the answer. */
const longestMessage = 500

/** The part of an `InnerRequest` that hears of an answer while it comes. */
export interface Listeners {
  onHead(status: number, headers: InnerHeaders): void
  onChunk(chunk: Uint8Array): void
}

/**
 * What an `InnerRequest` needs so that each event or line becomes `ctx.progress(n, undefined, text)`. Answers of other
 * types are no progress.
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

/** Pieces longer than this are left out. */
const longestPiece = 1024 * 1024

class PieceSplitter {
  readonly #decoder = new TextDecoder()
  readonly #ofEvents: boolean
  readonly #tell: (piece: string) => void
  #held = ''
  /** The piece that is being read is left out, to its end. */
  #skips = false

  constructor(kind: 'events' | 'lines', tell: (piece: string) => void) {
    this.#ofEvents = kind === 'events'
    this.#tell = tell
  }

  add(chunk: Uint8Array): void {
    const parts = (this.#held + this.#decoder.decode(chunk, { stream: true })).split(
      this.#ofEvents ? betweenEvents : betweenLines,
    )
    this.#held = parts.pop() ?? ''
    if (this.#skips && parts.length > 0) {
      parts.shift()
      this.#skips = false
    }
    if (this.#held.length > longestPiece) {
      // What ends it may have begun.
      this.#held = this.#held.slice(-3)
      this.#skips = true
    }
    for (const part of parts) {
      const piece = this.#ofEvents ? dataOf(part) : part.trim()
      if (piece !== undefined && piece !== '') this.#tell(piece)
    }
  }
}

const betweenEvents = /\r\n\r\n|\n\n|\r\r/
const betweenLines = /\r?\n/

/** The data of one event; `undefined`: a comment, a name alone, or the mark that some APIs end with. */
function dataOf(event: string): string | undefined {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line === 'data' || line.startsWith('data:'))
  if (lines.length === 0) return undefined
  const data = lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n')
  return data === '[DONE]' ? undefined : data
}

/** The data of all events, one below the other. */
export function joinEvents(body: string): string {
  const data = body.split(betweenEvents).map(dataOf)
  return data.filter((piece) => piece !== undefined && piece !== '').join('\n')
}

/** The values of NDJSON; `undefined` when one of the lines is no JSON. */
export function parseLines(body: string): unknown[] | undefined {
  try {
    return (
      body
        // RFC 7464 begins each text with a record separator.
        .split(/[\r\n]+/)
        .filter((line) => line.trim() !== '')
        .map((line) => parseJson(line.replace('\u001e', '')))
    )
  } catch {
    return undefined
  }
}
