/** One open WebSocket as a connection to a router. */

import type { RawData, WebSocket } from 'ws'
import { type Channel, Duplex, type Entrant, ErrorCode, McpError, type McpRouter } from '../../src/adapter.js'

export interface ConnectionOptions {
  readonly maxBodyBytes: number
  readonly maxDepth: number
  readonly maxElements: number
  readonly maxCalls: number
  readonly drainMs: number
}

/** A reader this far behind is sent nothing that it can do without. */
const mostWaitingBytes = 4 * 1024 * 1024
/** With so much waiting for it, nothing more is read of it. */
const enoughWaitingBytes = 1024 * 1024
/** For the other side to say goodbye. Milliseconds. */
const goodbyeMs = 1_000

/** Close codes (RFC 6455, 7.4.1). */
const goingAway = 1001
const policyViolation = 1008

class SocketChannel implements Channel {
  readonly #socket: WebSocket
  #reading = true
  /** Why it ends, where it is not the server that goes. */
  reason: { readonly code: number; readonly text: string } = { code: goingAway, text: '' }

  constructor(socket: WebSocket) {
    this.#socket = socket
  }

  get isBehind(): boolean {
    return this.#socket.bufferedAmount > mostWaitingBytes
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
    setTimeout(() => this.#socket.terminate(), goodbyeMs).unref()
  }

  /** Pauses and goes on reading by how much waits to be read over there. */
  #pace(): void {
    const reads = this.#socket.bufferedAmount <= enoughWaitingBytes
    if (reads === this.#reading) return
    this.#reading = reads
    if (reads) this.#socket.resume()
    else this.#socket.pause()
  }
}

/** Serves it until it closes, the router does, or the token of its client ends. */
export function serveSocket(
  router: McpRouter<object>,
  socket: WebSocket,
  { caller, permission, callerKey }: Entrant,
  options: ConnectionOptions,
): void {
  const channel = new SocketChannel(socket)
  const duplex = new Duplex(router, channel, { ...options, caller, callerKey })
  socket.on('message', (data, isBinary) => take(duplex, { data, isBinary }, options.maxBodyBytes))
  // What goes wrong with it closes it.
  socket.on('error', () => {})
  const forget = permission.watch({
    async check() {
      const found = await permission.renew()
      if (found !== undefined && found !== 'unknown') duplex.renew(found)
      return found !== undefined
    },
    end(reason) {
      channel.reason = { code: policyViolation, text: reasons[reason] }
      void duplex.close(reason === 'revoked' ? 0 : options.drainMs)
    },
  })
  socket.on('close', () => {
    forget()
    duplex.drop()
  })
  if (socket.readyState !== socket.OPEN) duplex.drop()
}

const reasons = {
  expired: 'The token has expired',
  revoked: 'The caller may not go on',
} as const

function take(duplex: Duplex, { data, isBinary }: Received, maxBodyBytes: number): void {
  const bytes = data as Buffer // ws hands out one buffer unless it is told otherwise
  if (bytes.length > maxBodyBytes) {
    duplex.refuse(invalid(`The message is larger than ${maxBodyBytes} bytes (\`maxBodyBytes\`)`))
  } else if (isBinary) duplex.refuse(invalid('Invalid request: expected a text message, got a binary one'))
  else void duplex.receive(bytes.toString())
}

interface Received {
  readonly data: RawData
  readonly isBinary: boolean
}

function invalid(message: string): McpError {
  return new McpError(ErrorCode.InvalidRequest, message)
}
