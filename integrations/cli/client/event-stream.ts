/** Parses `text/event-stream` (HTML, Server-sent events). */

import { maxBytes } from './bounds.js'

export interface StreamEvent {
  /** The event type. Default `message`. */
  readonly event: string
  readonly data: string
  /** The last id so far, to resume the stream from. */
  readonly id: string | undefined
  /** How long to wait before reconnecting. Milliseconds. */
  readonly retry: number | undefined
}

/**
 * Yields every event with an id, data or a retry time. An incomplete event at the end of the stream is dropped.
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
      // A line counts 16 more than its length, because empty `data:` lines use memory too.
      size += line.length + 16
      if (size > maxBytes) throw tooLong
      parseField(fields, line)
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

function parseField(fields: Fields, line: string): void {
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

/** Yields the lines of a stream. Lines end with CR, LF or CRLF, and chunks may split anywhere. */
async function* linesOf(body: AsyncIterable<Uint8Array>, tooLong: Error): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let endedWithReturn = false
  for await (const chunk of body) {
    let text = decoder.decode(chunk, { stream: true })
    if (endedWithReturn && text.startsWith('\n')) text = text.slice(1)
    if (text === '') continue
    endedWithReturn = text.endsWith('\r')
    // Only the new chunk is split, so a line of many chunks takes linear time.
    const lines = text.split(/\r\n|\n|\r/)
    lines[0] = rest + lines[0]
    rest = lines.pop() ?? ''
    if (rest.length > maxBytes) throw tooLong
    yield* lines
  }
}
