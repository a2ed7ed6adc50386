/** The socket of an inner request: no network, but everything that apps ask a socket for. */

import { Duplex } from 'node:stream'

/** Gets what is written, as it was written; `done` tells the app that it may write more. */
export type Sink = (
  chunk: Buffer | string,
  encoding: BufferEncoding,
  done: (error?: Error | null) => void,
) => void

/** After so many bytes the event loop gets a turn: else an app that never stops writing would starve every timer. */
const bytesPerTurn = 64 * 1024

type Address = 'remotePort' | 'remoteFamily' | 'localAddress' | 'localPort' | 'localFamily'

/** What apps behind mutual TLS read. */
const ofTls = [
  'authorized',
  'authorizationError',
  'alpnProtocol',
  'servername',
  'getPeerCertificate',
  'getPeerX509Certificate',
  'getCertificate',
  'getCipher',
  'getProtocol',
  'getSession',
  'getFinished',
  'getPeerFinished',
  'isSessionReused',
] as const

/** The socket of the request that carried the call. */
export type OuterSocket = Partial<Record<Address | (typeof ofTls)[number], unknown>> & {
  readonly remoteAddress?: string | undefined
  readonly encrypted?: boolean | undefined
}

export class InMemorySocket extends Duplex {
  readonly remoteAddress: string | undefined
  readonly encrypted: boolean
  readonly connecting = false
  readonly pending = false
  readonly timeout = 0
  readonly bytesRead = 0
  bytesWritten = 0
  readonly #outer: OuterSocket | undefined
  readonly #sink: Sink
  #sinceTurn = 0

  constructor(outer: OuterSocket | undefined, address: string | undefined, sink: Sink) {
    super({ autoDestroy: false, emitClose: true, decodeStrings: false })
    this.#outer = outer
    this.#sink = sink
    // Read now: a socket forgets its peer when the client leaves, which need not end the call.
    this.remoteAddress = (read(outer, 'remoteAddress') as string | undefined) ?? address
    this.encrypted = read(outer, 'encrypted') === true
    if (outer !== undefined && this.encrypted) for (const name of ofTls) this.#borrow(name, outer)
  }

  /** Methods keep their socket. */
  #borrow(name: keyof OuterSocket, outer: OuterSocket): void {
    const get = (): unknown => {
      const value = read(outer, name)
      return typeof value === 'function' ? value.bind(outer) : value
    }
    Object.defineProperty(this, name, { get, enumerable: true, configurable: true })
  }

  get remotePort(): unknown {
    return read(this.#outer, 'remotePort')
  }
  get remoteFamily(): unknown {
    return read(this.#outer, 'remoteFamily')
  }
  get localAddress(): unknown {
    return read(this.#outer, 'localAddress')
  }
  get localPort(): unknown {
    return read(this.#outer, 'localPort')
  }
  get localFamily(): unknown {
    return read(this.#outer, 'localFamily')
  }

  get readyState(): string {
    return this.destroyed ? 'closed' : 'open'
  }

  override _read(): void {}

  override _write(
    chunk: Buffer | string,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    const size = typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length
    this.bytesWritten += size
    this.#sinceTurn += size
    if (this.#sinceTurn < bytesPerTurn) {
      this.#sink(chunk, encoding, done)
      return
    }
    this.#sinceTurn = 0
    this.#sink(chunk, encoding, (error) => setImmediate(done, error))
  }

  /** Ends as a connection does when both sides have: at once, without the turns that a stream takes to its end. */
  close(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }

  address(): object {
    const { localAddress, localFamily, localPort } = this
    return localAddress === undefined ? {} : { address: localAddress, family: localFamily, port: localPort }
  }

  /** No idle timers: the deadline of the call ends it. */
  setTimeout(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  resetAndDestroy(): this {
    return this.destroy()
  }
}

/** The socket of an HTTP/2 request throws once its client has left. */
function read(socket: OuterSocket | undefined, name: keyof OuterSocket): unknown {
  try {
    return socket?.[name]
  } catch {
    return undefined
  }
}
