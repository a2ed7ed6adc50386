/** Reads `text/event-stream` (HTML, Server-sent events). */

import { maxBytes } from './bounds.js'

export interface StreamEvent {
  /** Default `message`. */
  readonly event: string
  readonly data: string
  /** The last id so far: where to go on after a break. */
  readonly id: string | undefined
  /** How long to wait before coming back, in milliseconds. */
  readonly retry: number | undefined
}

/**
 * Every event with an id, data or a waiting time, in order. Ends with the stream; what was begun then is dropped.
 * @throws `tooLong` for an event of more than `maxBytes` characters
 */
export async function* eventsOf(
  body: AsyncIterable<Uint8Array>,
  tooLong: Error,
): AsyncGenerator<StreamEvent> {
  let fields: Fields = {}
  let size = 0
  let id: string | undefined
  for await (const line of linesOf(body, tooLong)) {
    if (line !== '') {
      // The length, and what a line costs at least: empty lines of data fill memory, too.
      size += line.length + 16
      if (size > maxBytes) throw tooLong
      note(fields, line)
      continue
    }
    size = 0
    id = fields.id ?? id
    const { event = 'message', data, retry } = fields
    if (data !== undefined || fields.id !== undefined || retry !== undefined) {
      yield { event, data: data?.join('\n') ?? '', id, retry }
    }
    fields = {}
  }
}

interface Fields {
  event?: string
  data?: string[]
  id?: string
  retry?: number
}

function note(fields: Fields, line: string): void {
  const colon = line.indexOf(':')
  const name = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
  if (name === 'event') fields.event = value
  if (name === 'data') {
    fields.data ??= []
    fields.data.push(value)
  }
  if (name === 'id' && !value.includes('\0')) fields.id = value
  if (name === 'retry' && /^\d+$/.test(value)) fields.retry = Number(value)
}

/** Lines end with CR, LF or both, wherever the pieces are cut. */
async function* linesOf(body: AsyncIterable<Uint8Array>, tooLong: Error): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let endedWithReturn = false
  for await (const piece of body) {
    let text = decoder.decode(piece, { stream: true })
    if (endedWithReturn && text.startsWith('\n')) text = text.slice(1)
    if (text === '') continue
    endedWithReturn = text.endsWith('\r')
    // Only the new piece is searched, so a line of many pieces costs linear time.
    const lines = text.split(/\r\n|\n|\r/)
    lines[0] = rest + lines[0]
    rest = lines.pop() ?? ''
    if (rest.length > maxBytes) throw tooLong
    yield* lines
  }
}
