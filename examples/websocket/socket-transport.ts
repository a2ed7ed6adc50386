/** A transport for the official client over a WebSocket with custom headers. */
import { once } from 'node:events'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import WebSocket from 'ws'

export class SocketTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #socket: WebSocket

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#socket = new WebSocket(url, 'mcp', { headers })
    this.#socket.on('message', (data) => this.onmessage?.(JSON.parse(String(data))))
    this.#socket.on('close', () => this.onclose?.())
  }

  /** Opens the connection. Rejects if the upgrade is refused. */
  async start(): Promise<void> {
    await once(this.#socket, 'open')
    this.#socket.on('error', (error) => this.onerror?.(error))
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(JSON.stringify(message), (error) => (error ? reject(error) : resolve()))
    })
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return
    this.#socket.close()
    await once(this.#socket, 'close')
  }
}
