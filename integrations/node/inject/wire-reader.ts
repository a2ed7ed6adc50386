/**
 * Reads what a ServerResponse writes to its socket: head, then body. The response object itself would not do, since
 * headers given to `writeHead` are found on the wire alone, and so are the frames of a chunked body.
 */

export interface Head {
  readonly status: number
  /** Lower-case names; `set-cookie` is a list. Without those of the connection. */
  readonly headers: Record<string, string | string[]>
}

export interface WireEvents {
  /** The final head: informational ones are skipped. */
  onHead(head: Head): void
  /** A piece of the body, valid during the call alone. */
  onBody(bytes: Buffer): void
}

type State = 'head' | 'plain' | 'size' | 'chunk' | 'chunk-end' | 'trailers'

const empty = Buffer.alloc(0)

export class WireReader {
  readonly #events: WireEvents
  #state: State = 'head'
  /** The beginning of a head or line that is not complete yet. */
  #held: Buffer = empty
  #left = 0

  constructor(events: WireEvents) {
    this.#events = events
  }

  feed(bytes: Buffer): void {
    let rest: Buffer | undefined = bytes
    while (rest !== undefined && rest.length > 0) rest = this.#step(rest)
  }

  /** Node writes a head, and a body that is text, as one text: the head of it is read without making bytes of it. */
  feedText(text: string, encoding: BufferEncoding): void {
    const end = this.#state === 'head' && this.#held.length === 0 ? text.indexOf('\r\n\r\n') : -1
    if (end >= 0) this.#readHead(text.slice(0, end))
    this.feed(Buffer.from(end < 0 ? text : text.slice(end + 4), encoding))
  }

  /** Reads one part; returns what comes after it. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case 'head':
        return this.#until('\r\n\r\n', bytes, (head) => this.#readHead(head))
      case 'plain':
        this.#events.onBody(bytes)
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
    const lines = text.split('\r\n')
    const status = Number(lines[0]?.split(' ')[1])
    if (status < 200) return
    const { headers, chunked } = readHeaders(lines)
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
    this.#events.onBody(part)
    return bytes.subarray(part.length)
  }
}

const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade'])

function readHeaders(lines: readonly string[]): { headers: Head['headers']; chunked: boolean } {
  const headers: Head['headers'] = Object.create(null)
  let chunked = false
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] as string
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
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
