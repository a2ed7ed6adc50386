/** The socket of an inner request: no network, but with the members that apps use of a socket. */

import { Duplex } from 'node:stream'

/** Receives the app's writes. `done` signals that the app may write more. */
export type Sink = (
  chunk: Buffer | string,
  encoding: BufferEncoding,
  done: (error?: Error | null) => void,
) => void

/**
 * The event loop gets a turn after this many bytes. Otherwise an app that writes without end would block all timers.
 */
const bytesPerTurn = 64 * 1024

type Address = 'remotePort' | 'remoteFamily' | 'localAddress' | 'localPort' | 'localFamily'

/** Members of TLS sockets that apps read, for example for mutual TLS. */
const tlsMembers = [
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
export type OuterSocket = Partial<Record<Address | (typeof tlsMembers)[number], unknown>> & {
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
  #bytesThisTurn = 0

  constructor(outer: OuterSocket | undefined, address: string | undefined, sink: Sink) {
    super({ autoDestroy: false, emitClose: true, decodeStrings: false })
    this.#outer = outer
    this.#sink = sink
    // Read at once: a socket loses its peer's address when the client disconnects, and the call may continue.
    this.remoteAddress = (read(outer, 'remoteAddress') as string | undefined) ?? address
    this.encrypted = read(outer, 'encrypted') === true
    if (outer !== undefined && this.encrypted) for (const name of tlsMembers) this.#forward(name, outer)
  }

  /** Forwards a property to the outer socket. Methods stay bound to that socket. */
  #forward(name: keyof OuterSocket, outer: OuterSocket): void {
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
    this.#bytesThisTurn += size
    if (this.#bytesThisTurn < bytesPerTurn) {
      this.#sink(chunk, encoding, done)
      return
    }
    this.#bytesThisTurn = 0
    this.#sink(chunk, encoding, (error) => setImmediate(done, error))
  }

  /** Closes at once, like a connection that both sides have ended. A stream's own end takes several ticks. */
  close(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }

  address(): object {
    const { localAddress, localFamily, localPort } = this
    return localAddress === undefined ? {} : { address: localAddress, family: localFamily, port: localPort }
  }

  /** Ignored: calls have a deadline instead of an idle timeout. */
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

/** Reads a property. The socket of an HTTP/2 request throws once its client has disconnected. */
function read(socket: OuterSocket | undefined, name: keyof OuterSocket): unknown {
  try {
    return socket?.[name]
  } catch {
    return undefined
  }
}
