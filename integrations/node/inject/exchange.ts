/** One inner request and its response: all state of a single call. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { InnerRequest, InnerResponse, RequestInfo } from '../../../src/adapter.js'
import { shareSession } from '../session-bridges/shared-session.js'
import { BodyCollector, isDecodable } from './body-collector.js'
import { type Head, HttpResponseParser } from './http-response-parser.js'
import { InMemorySocket, type OuterSocket } from './in-memory-socket.js'
import { fillRequest } from './inner-request.js'
import { waitingFor } from './waiting.js'

/** A request listener, as `http.createServer` takes one. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** Creates the app's requests and responses. */
export interface RequestFactories {
  readonly request: (socket: Socket) => IncomingMessage
  readonly response: (request: IncomingMessage) => ServerResponse
}

interface ExchangeOptions {
  readonly makers: RequestFactories
  readonly outer: RequestInfo | undefined
  /** Value of the loop header, if the request should have one. */
  readonly loop?: string | undefined
}

export class InnerExchange {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly #request: InnerRequest
  readonly #socket: InMemorySocket
  readonly #bodyCollector: BodyCollector
  #head: Head | undefined
  #resolve!: (response: InnerResponse) => void
  #reject!: (error: unknown) => void
  #settled = false
  readonly #result: Promise<InnerResponse>
  #stopWaiting: (() => void) | undefined
  #onSettled: (() => void) | undefined

  constructor(request: InnerRequest, { makers, outer, loop }: ExchangeOptions) {
    this.#request = request
    this.#result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#bodyCollector = new BodyCollector(request)
    this.#socket = this.#connect(outer)
    this.incoming = makers.request(this.#socket as unknown as Socket)
    fillRequest(this.incoming, request, { carrier: outer?.raw, loop })
    shareSession(this.incoming, outer?.raw)
    this.response = makers.response(this.incoming)
    this.response.shouldKeepAlive = false
    this.response.assignSocket(this.#socket as unknown as Socket)
    this.#listen()
  }

  /**
   * Prevents an unhandled rejection while `prepare` runs: it may close the request before anything awaits the
   * response.
   */
  expectFailure(): void {
    this.#result.catch(() => {})
  }

  /** Passes the request to the app. Settles once, and calls `onSettled` right before that. */
  run(listener: Listener, onSettled: () => void): Promise<InnerResponse> {
    this.#onSettled = onSettled
    if (this.#settled) onSettled()
    this.#stopWaiting = waitingFor(this.#request).onEnd((reason) => this.#abort(reason))
    if (this.#settled) this.#stopWaiting()
    try {
      const returned = listener(this.incoming, this.response)
      if (isThenable(returned)) returned.then(undefined, (error: unknown) => this.#abort(error))
    } catch (error) {
      this.#abort(error)
    }
    return this.#result
  }

  #connect(outer: RequestInfo | undefined): InMemorySocket {
    let more = true
    const reader = new HttpResponseParser({
      onHead: (head) => this.#onHead(head),
      onBody: (bytes, isOurs) => {
        more = this.#bodyCollector.add(bytes, next, isOurs)
      },
    })
    let done: (error?: Error | null) => void
    const next = (): void => done()
    return new InMemorySocket(socketOf(outer), addressOf(outer), (chunk, encoding, written) => {
      done = written
      more = true
      try {
        if (typeof chunk === 'string') reader.feedText(chunk, encoding)
        else reader.feed(chunk)
      } catch (error) {
        this.#abort(error)
        return
      }
      if (more) written()
    })
  }

  #onHead(head: Head): void {
    this.#head = head
    const encoding = head.headers['content-encoding']
    if (isDecodable(encoding)) {
      delete head.headers['content-encoding']
      delete head.headers['content-length']
      this.#bodyCollector.decode(encoding)
    }
    this.#request.onHead?.(head.status, head.headers)
  }

  /** Handles events of the socket as Node's HTTP server does for a real one. */
  #listen(): void {
    const { response } = this
    const socket = this.#socket
    socket.on('error', (error) => this.#fail(error))
    // Only the app calls `socket.end()`. Node would close the connection then.
    socket.on('finish', () => socket.destroy())
    socket.on('drain', () => {
      if (response.writableFinished || response.destroyed) return
      clearNeedDrain(response)
      response.emit('drain')
    })
    // Node emits `finish` even for a response whose socket was closed before the client got it.
    let arrived = false
    socket.on('close', () => {
      if (!arrived) this.#onConnectionClosed()
    })
    response.on('finish', () => {
      if (this.#head === undefined) return
      arrived = true
      this.#discardBody()
      this.#finish()
      process.nextTick(closeSocket, socket)
    })
  }

  /** Discards the rest of the request's body if the app listens for its end, as Node's server does. */
  #discardBody(): void {
    const { incoming } = this
    if (incoming.readableDidRead) return
    if (incoming.listenerCount('end') > 0 || incoming.listenerCount('close') > 0) incoming.resume()
  }

  #finish(): void {
    const body = this.#bodyCollector.end()
    if (!(body instanceof Promise)) {
      this.#succeed(body)
      return
    }
    body.then(
      (decoded) => this.#succeed(decoded),
      (cause) => this.#fail(new Error("the response doesn't match its Content-Encoding", { cause })),
    )
  }

  #succeed(body: Buffer): void {
    const { status, headers } = this.#head as Head
    this.#settle()
    this.#resolve({ status, headers, body, truncated: this.#bodyCollector.truncated })
  }

  /** Handles a connection closed by the app, or by cancelling the call. */
  #onConnectionClosed(): void {
    // As on a real connection, the request emits an error only if there is a listener.
    if (!this.incoming.destroyed) this.incoming.destroy(connectionReset())
    this.#bodyCollector.discard()
    this.#fail(new Error('the app closed the connection without a response'))
  }

  #abort(reason: unknown): void {
    this.#fail(reason)
    this.#socket.destroy()
  }

  #fail(error: unknown): void {
    if (this.#settled) return
    this.#settle()
    this.#reject(error)
  }

  #settle(): void {
    this.#settled = true
    this.#stopWaiting?.()
    this.#onSettled?.()
  }
}

function closeSocket(socket: InMemorySocket): void {
  socket.close()
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function'
}

function connectionReset(): Error {
  return Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
}

/**
 * Clears the response's "buffer full" flag, as Node's own server does before it emits `drain`. The flag is an
 * unexported symbol. If a Node version renames it, only `writableNeedDrain` is wrong.
 */
function clearNeedDrain(response: ServerResponse): void {
  if (!response.writableNeedDrain) return
  const symbol = Object.getOwnPropertySymbols(response).find(
    ({ description }) => description === 'kNeedDrain',
  )
  if (symbol !== undefined) Object.assign(response, { [symbol]: false })
}

/** Returns the outer request's socket: requests of Node, Express and Fastify, and Koa's `ctx`, all have `socket`. */
function socketOf(outer: RequestInfo | undefined): OuterSocket | undefined {
  return (outer?.raw as { socket?: OuterSocket } | undefined)?.socket ?? undefined
}

/** Returns the client's address. Without an outer request, as on stdio, the call comes from this machine. */
function addressOf(outer: RequestInfo | undefined): string | undefined {
  return outer === undefined ? '127.0.0.1' : outer.ip
}
