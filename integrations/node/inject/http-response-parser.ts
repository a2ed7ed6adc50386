/**
 * Reads what a ServerResponse writes to its socket: head, then body. The response object itself would not do, since
 * headers given to `writeHead` are found on the wire alone, and so are the frames of a chunked body.
 */

export interface Head {
  readonly status: number
  /** Lower-case names; `set-cookie` is a list. Without those of the connection. */
  readonly headers: Record<string, string | string[]>
}

export interface ResponseParserEvents {
  /** The final head: informational ones are skipped. */
  onHead(head: Head): void
  /** A piece of the body, valid during the call alone unless it is `isOurs`: then nobody else has it. */
  onBody(bytes: Buffer, isOurs: boolean): void
}

type State = 'head' | 'plain' | 'size' | 'chunk' | 'chunk-end' | 'trailers'

const empty = Buffer.alloc(0)

export class HttpResponseParser {
  readonly #events: ResponseParserEvents
  #state: State = 'head'
  /** The beginning of a head or line that is not complete yet. */
  #held: Buffer = empty
  #left = 0
  #isOurs = false

  constructor(events: ResponseParserEvents) {
    this.#events = events
  }

  feed(bytes: Buffer, isOurs = false): void {
    this.#isOurs = isOurs
    let rest: Buffer | undefined = bytes
    while (rest !== undefined && rest.length > 0) rest = this.#step(rest)
  }

  /** Node writes a head, and a body that is text, as one text: the head of it is read without making bytes of it. */
  feedText(text: string, encoding: BufferEncoding): void {
    const end = this.#state === 'head' && this.#held.length === 0 ? text.indexOf('\r\n\r\n') : -1
    if (end >= 0) this.#readHead(text.slice(0, end))
    this.feed(Buffer.from(end < 0 ? text : text.slice(end + 4), encoding), true)
  }

  /** Reads one part; returns what comes after it. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case 'head':
        return this.#until('\r\n\r\n', bytes, (head) => this.#readHead(head))
      case 'plain':
        this.#events.onBody(bytes, this.#isOurs)
        return undefined
      case 'size':
        return this.#until('\r\n', bytes, (line) => this.#readSize(line))
      case 'chunk':
        return this.#readChunk(bytes)
      case 'chunk-end':
        return this.#until('\r\n', bytes, () => {
          this.#state = 'size'
        })
      case 'trailers':
        return undefined
    }
  }

  #until(mark: string, bytes: Buffer, read: (text: string) => void): Buffer | undefined {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    const end = all.indexOf(mark)
    if (end < 0) {
      this.#held = Buffer.from(all)
      return undefined
    }
    this.#held = empty
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
    this.#left = Number.parseInt(line, 16)
    this.#state = this.#left > 0 ? 'chunk' : 'trailers'
  }

  #readChunk(bytes: Buffer): Buffer | undefined {
    const part = bytes.subarray(0, this.#left)
    this.#left -= part.length
    if (this.#left === 0) this.#state = 'chunk-end'
    this.#events.onBody(part, this.#isOurs)
    return bytes.subarray(part.length)
  }
}

const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade'])

/** Line by line: to split them costs as much again. */
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
    if (!ofConnection.has(name)) addHeader(headers, name, value)
  }
  return { headers, chunked }
}

function addHeader(headers: Head['headers'], name: string, value: string): void {
  const present = headers[name]
  if (name === 'set-cookie') headers[name] = [...(present ?? []), value]
  else headers[name] = present === undefined ? value : `${present}, ${value}`
}
