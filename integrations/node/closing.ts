/** Who wants to know when the response of a request is closed: it has one listener of ours, however many they are. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isGone, type Written } from './response.js'

/** `answered`: our answer was written whole, and cannot be any more else. */
export type OnClose = (answered: boolean) => void

const none: readonly OnClose[] = []

/** What requests of Node have in common, whoever serves them. No object of its own: many of them may be streams. */
export abstract class ClosingRequest {
  /** What we wrote, that is: middleware with a time limit may have answered before. */
  written: Written | undefined
  protected readonly incoming: IncomingMessage
  protected readonly response: ServerResponse
  #listeners: readonly OnClose[] = none
  #listens = false

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.incoming = request
    this.response = response
  }

  /** Calls `listener` once, when the response was written whole or cannot be any more. */
  onClose(listener: OnClose): void {
    // Exactly as long as it must be: a request may be a stream, and there may be many of those.
    this.#listeners = this.#listeners === none ? [listener] : [...this.#listeners, listener]
    if (isClosed(this.incoming.socket, this.response)) this.#tell()
    else if (!this.#listens) this.#listen()
  }

  /** `close` of the response, not of the request: the request closes as soon as its body was read. */
  #listen(): void {
    this.#listens = true
    const { incoming, response } = this
    if (response.socket === null) onSocketClose(incoming.socket, response, () => this.#tell())
    else response.on('close', () => this.#tell())
  }

  #tell(): void {
    const listeners = this.#listeners
    this.#listeners = none
    const answered = this.written?.whole === true && this.response.writableFinished
    for (const listener of listeners) listener(answered)
  }
}

/** Earlier middleware may have taken so long that the client is gone already. */
function isClosed(socket: Socket, response: ServerResponse): boolean {
  return response.closed || isGone(response) || socket.destroyed
}

/** Per connection, the pipelined requests that wait for their turn: one listener serves them all. */
const waiting = new WeakMap<Socket, Set<() => void>>()

/**
 * A pipelined response has no socket until those before it are done, and hears nothing when the connection breaks:
 * then its request listens to the socket itself.
 */
function onSocketClose(socket: Socket, response: ServerResponse, listener: () => void): void {
  const listeners = waiting.get(socket) ?? listenToClose(socket)
  const settle = (): void => {
    listeners.delete(settle)
    response.off('close', settle)
    listener()
  }
  listeners.add(settle)
  response.once('close', settle)
}

function listenToClose(socket: Socket): Set<() => void> {
  const listeners = new Set<() => void>()
  waiting.set(socket, listeners)
  socket.once('close', () => {
    for (const settle of [...listeners]) settle()
  })
  return listeners
}
