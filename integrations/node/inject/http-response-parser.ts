/**
 * Parses the bytes that a ServerResponse writes to its socket: head, then body. The response object isn't enough:
 * headers passed to `writeHead` and the framing of a chunked body appear only in these bytes.
 */

export interface Head {
  readonly status: number
  /** Lower-case names; `set-cookie` is a list. Without hop-by-hop headers. */
  readonly headers: Record<string, string | string[]>
}

export interface ResponseParserEvents {
  /** Called with the final head. Informational responses are skipped. */
  onHead(head: Head): void
  /** Called with a piece of the body. Unless `isOurs`, the bytes are valid only during the call. */
  onBody(bytes: Buffer, isOurs: boolean): void
}

type State = 'head' | 'plain' | 'size' | 'chunk' | 'chunk-end' | 'trailers'

const empty = Buffer.alloc(0)

export class HttpResponseParser {
  readonly #events: ResponseParserEvents
  #state: State = 'head'
  /** The start of an incomplete head or line. */
  #incomplete: Buffer = empty
  #bytesLeft = 0
  #isOurs = false

  constructor(events: ResponseParserEvents) {
    this.#events = events
  }

  feed(bytes: Buffer, isOurs = false): void {
    this.#isOurs = isOurs
    let rest: Buffer | undefined = bytes
    while (rest !== undefined && rest.length > 0) rest = this.#step(rest)
  }

  /** Node writes a head and a text body as one string. Parses the head without encoding it first. */
  feedText(text: string, encoding: BufferEncoding): void {
    const end = this.#state === 'head' && this.#incomplete.length === 0 ? text.indexOf('\r\n\r\n') : -1
    if (end >= 0) this.#readHead(text.slice(0, end))
    this.feed(Buffer.from(end < 0 ? text : text.slice(end + 4), encoding), true)
  }

  /** Reads one element and returns the bytes after it. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case 'head':
        return this.#readUntil('\r\n\r\n', bytes, (head) => this.#readHead(head))
      case 'plain':
        this.#events.onBody(bytes, this.#isOurs)
        return undefined
      case 'size':
        return this.#readUntil('\r\n', bytes, (line) => this.#readSize(line))
      case 'chunk':
        return this.#readChunk(bytes)
      case 'chunk-end':
        return this.#readUntil('\r\n', bytes, () => {
          this.#state = 'size'
        })
      case 'trailers':
        return undefined
    }
  }

  #readUntil(mark: string, bytes: Buffer, read: (text: string) => void): Buffer | undefined {
    const all = this.#incomplete.length === 0 ? bytes : Buffer.concat([this.#incomplete, bytes])
    const end = all.indexOf(mark)
    if (end < 0) {
      this.#incomplete = Buffer.from(all)
      return undefined
    }
    this.#incomplete = empty
    read(all.toString('latin1', 0, end))
    return all.subarray(end + mark.length)
  }

  #readHead(text: string): void {
    const code = text.indexOf(' ') + 1
    const status = Number(text.slice(code, code + 3))
    if (status < 200) return
    const { headers, chunked } = readHeaders(text)
    this.#state = chunked ? 'size' : 'plain'
    this.#events.onHead({ status, headers })
  }

  #readSize(line: string): void {
    this.#bytesLeft = Number.parseInt(line, 16)
    this.#state = this.#bytesLeft > 0 ? 'chunk' : 'trailers'
  }

  #readChunk(bytes: Buffer): Buffer | undefined {
    const part = bytes.subarray(0, this.#bytesLeft)
    this.#bytesLeft -= part.length
    if (this.#bytesLeft === 0) this.#state = 'chunk-end'
    this.#events.onBody(part, this.#isOurs)
    return bytes.subarray(part.length)
  }
}

const hopByHopHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade'])

/** Parses the head line by line, which costs half as much as splitting it. */
function readHeaders(head: string): { headers: Head['headers']; chunked: boolean } {
  const headers: Head['headers'] = Object.create(null)
  let chunked = false
  let end = head.indexOf('\r\n')
  while (end >= 0) {
    const from = end + 2
    end = head.indexOf('\r\n', from)
    const colon = head.indexOf(':', from)
    const name = head.slice(from, colon).toLowerCase()
    const value = head.slice(colon + 1, end < 0 ? undefined : end).trim()
    if (name === 'transfer-encoding') chunked = /chunked/i.test(value)
    if (!hopByHopHeaders.has(name)) addHeader(headers, name, value)
  }
  return { headers, chunked }
}

function addHeader(headers: Head['headers'], name: string, value: string): void {
  const present = headers[name]
  if (name === 'set-cookie') headers[name] = [...(present ?? []), value]
  else headers[name] = present === undefined ? value : `${present}, ${value}`
}
