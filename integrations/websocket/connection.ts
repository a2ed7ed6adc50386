/** Serves a router on one open WebSocket. */

import type { RawData, WebSocket } from 'ws'
import { type Channel, Duplex, type Entrant, ErrorCode, McpError, type McpRouter } from '../../src/adapter.js'

export interface ConnectionOptions {
  readonly maxBodyBytes: number
  readonly maxDepth: number
  readonly maxElements: number
  readonly maxCalls: number
  readonly drainMs: number
}

/** Amount of unsent data from which dispensable messages are dropped. */
const dropThresholdBytes = 4 * 1024 * 1024
/** Amount of unsent data from which no more messages are read from the client. */
const pauseThresholdBytes = 1024 * 1024
/** Time for the client to answer the close frame. Milliseconds. */
const closeTimeoutMs = 1_000

/** Close codes (RFC 6455, 7.4.1). */
const goingAway = 1001
const policyViolation = 1008

class SocketChannel implements Channel {
  readonly #socket: WebSocket
  #isReading = true
  /** Close code and reason. Default: the server is going away. */
  reason: { readonly code: number; readonly text: string } = { code: goingAway, text: '' }

  constructor(socket: WebSocket) {
    this.#socket = socket
  }

  get isBehind(): boolean {
    return this.#socket.bufferedAmount > dropThresholdBytes
  }

  write(text: string, sent: () => void): void {
    this.#socket.send(text, () => {
      this.#pace()
      sent()
    })
    this.#pace()
  }

  end(): void {
    const { code, text } = this.reason
    this.#socket.close(code, text)
    setTimeout(() => this.#socket.terminate(), closeTimeoutMs).unref()
  }

  /** Pauses or resumes reading, depending on the amount of unsent data. */
  #pace(): void {
    const canRead = this.#socket.bufferedAmount <= pauseThresholdBytes
    if (canRead === this.#isReading) return
    this.#isReading = canRead
    if (canRead) this.#socket.resume()
    else this.#socket.pause()
  }
}

/** Serves a socket until the socket, the router or the caller's permission ends. */
export function serveSocket(
  router: McpRouter<object>,
  socket: WebSocket,
  { caller, permission, callerKey }: Entrant,
  options: ConnectionOptions,
): void {
  const channel = new SocketChannel(socket)
  const duplex = new Duplex(router, channel, { ...options, caller, callerKey })
  socket.on('message', (data, isBinary) => receiveMessage(duplex, { data, isBinary }, options.maxBodyBytes))
  // A socket with an error also emits `close`.
  socket.on('error', () => {})
  const stopWatching = permission.watch({
    async check() {
      const found = await permission.renew()
      if (found !== undefined && found !== 'unknown') duplex.renew(found)
      return found !== undefined
    },
    end(reason) {
      channel.reason = { code: policyViolation, text: closeReasons[reason] }
      void duplex.close(reason === 'revoked' ? 0 : options.drainMs)
    },
  })
  socket.on('close', () => {
    stopWatching()
    duplex.drop()
  })
  if (socket.readyState !== socket.OPEN) duplex.drop()
}

const closeReasons = {
  expired: 'The token has expired',
  revoked: 'The caller may not go on',
} as const

function receiveMessage(duplex: Duplex, { data, isBinary }: SocketMessage, maxBodyBytes: number): void {
  const bytes = data as Buffer // the default `binaryType` of ws
  if (bytes.length > maxBodyBytes) {
    duplex.refuse(invalid(`The message is larger than ${maxBodyBytes} bytes (\`maxBodyBytes\`)`))
  } else if (isBinary) duplex.refuse(invalid('Invalid request: expected a text message, got a binary one'))
  else void duplex.receive(bytes.toString())
}

interface SocketMessage {
  readonly data: RawData
  readonly isBinary: boolean
}

function invalid(message: string): McpError {
  return new McpError(ErrorCode.InvalidRequest, message)
}
