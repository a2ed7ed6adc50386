/** Ends connections whose other side is gone without having said so. */

import type { WebSocket } from 'ws'

/** One clock for all connections of a mount. */
export class Pings {
  readonly #everyMs: number
  /** Those that have not answered since the last ping. */
  readonly #silent = new Set<WebSocket>()
  readonly #sockets = new Set<WebSocket>()
  #timer: ReturnType<typeof setInterval> | undefined

  /** 0: none are sent. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  add(socket: WebSocket): void {
    this.#sockets.add(socket)
    socket.on('pong', () => this.#silent.delete(socket))
    socket.on('close', () => this.#delete(socket))
    if (this.#everyMs === 0) return
    this.#timer ??= setInterval(() => this.#ping(), this.#everyMs)
    this.#timer.unref()
  }

  #delete(socket: WebSocket): void {
    this.#sockets.delete(socket)
    this.#silent.delete(socket)
    if (this.#sockets.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #ping(): void {
    for (const socket of this.#silent) socket.terminate()
    for (const socket of this.#sockets) {
      this.#silent.add(socket)
      // One that is closing already is left to end.
      if (socket.readyState === socket.OPEN) socket.ping()
    }
  }
}
