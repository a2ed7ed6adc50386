/** Notifies listeners when the response of a request closes, with a single event listener per request. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isGone, type Written } from './response.js'

/** Listener for the end of a response. `answered`: the router's response was written completely. */
export type OnClose = (answered: boolean) => void

const none: readonly OnClose[] = []

/** Base class of requests on Node servers. A separate object per request would cost memory for each open stream. */
export abstract class ClosingRequest {
  /** Set once the router has responded. Unset if other middleware, such as a timeout, responded first. */
  written: Written | undefined
  protected readonly incoming: IncomingMessage
  protected readonly response: ServerResponse
  #listeners: readonly OnClose[] = none
  #isListening = false

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.incoming = request
    this.response = response
  }

  /** Calls `listener` once, when the response is complete or can no longer be written. */
  onClose(listener: OnClose): void {
    // Exact-length arrays: there may be many open streams, each with its own request.
    this.#listeners = this.#listeners === none ? [listener] : [...this.#listeners, listener]
    if (isClosed(this.incoming.socket, this.response)) this.#notify()
    else if (!this.#isListening) this.#listen()
  }

  /** Listens to `close` of the response: a request closes as soon as its body has been read. */
  #listen(): void {
    this.#isListening = true
    const { incoming, response } = this
    if (response.socket === null) onSocketClose(incoming.socket, response, () => this.#notify())
    else response.on('close', () => this.#notify())
  }

  #notify(): void {
    const listeners = this.#listeners
    this.#listeners = none
    const answered = this.written?.whole === true && this.response.writableFinished
    for (const listener of listeners) listener(answered)
  }
}

/** Whether the connection is closed already, for example because earlier middleware took too long. */
function isClosed(socket: Socket, response: ServerResponse): boolean {
  return response.closed || isGone(response) || socket.destroyed
}

/** The pipelined requests of each connection that wait for their turn. One listener per socket serves them all. */
const pipelinedListeners = new WeakMap<Socket, Set<() => void>>()

/**
 * Calls `listener` when the response or its socket closes. A pipelined response has no socket until the responses
 * before it are done, and emits no event when the connection breaks, so its request listens to the socket itself.
 */
function onSocketClose(socket: Socket, response: ServerResponse, listener: () => void): void {
  const listeners = pipelinedListeners.get(socket) ?? listenToClose(socket)
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
  pipelinedListeners.set(socket, listeners)
  socket.once('close', () => {
    for (const settle of [...listeners]) settle()
  })
  return listeners
}
