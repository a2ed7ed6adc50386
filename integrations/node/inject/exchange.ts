/** One inner request and its answer: everything that belongs to one call and to no other. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { InnerRequest, InnerResponse, RequestInfo } from '../../../src/adapter.js'
import { shareSession } from '../session-bridges/shared-session.js'
import { BodyCollector, isDecodable } from './body-collector.js'
import { type Head, HttpResponseParser } from './http-response-parser.js'
import { InMemorySocket, type OuterSocket } from './in-memory-socket.js'
import { fill } from './inner-request.js'
import { waitingFor } from './waiting.js'

/** What Node's `http.createServer` takes. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** How the app's requests and responses are made. */
export interface Makers {
  readonly request: (socket: Socket) => IncomingMessage
  readonly response: (request: IncomingMessage) => ServerResponse
}

interface Around {
  readonly makers: Makers
  readonly outer: RequestInfo | undefined
  /** What the loop header says, where there is to be one. */
  readonly loop?: string | undefined
}

export class InnerExchange {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly #request: InnerRequest
  readonly #socket: InMemorySocket
  readonly #keeper: BodyCollector
  #head: Head | undefined
  #resolve!: (response: InnerResponse) => void
  #reject!: (error: unknown) => void
  #settled = false
  readonly #answer: Promise<InnerResponse>
  #stopWaiting: (() => void) | undefined
  #onSettled: (() => void) | undefined

  constructor(request: InnerRequest, { makers, outer, loop }: Around) {
    this.#request = request
    this.#answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#keeper = new BodyCollector(request)
    this.#socket = this.#connect(outer)
    this.incoming = makers.request(this.#socket as unknown as Socket)
    fill(this.incoming, request, { carrier: outer?.raw, loop })
    shareSession(this.incoming, outer?.raw)
    this.response = makers.response(this.incoming)
    this.response.shouldKeepAlive = false
    this.response.assignSocket(this.#socket as unknown as Socket)
    this.#watch()
  }

  /** For what happens before it runs: `prepare` may close it, and nobody listens yet. */
  expectFailure(): void {
    this.#answer.catch(() => {})
  }

  /** Hands the request to the app. Settles once, and tells `onSettled` right before. */
  run(listener: Listener, onSettled: () => void): Promise<InnerResponse> {
    this.#onSettled = onSettled
    if (this.#settled) onSettled()
    this.#stopWaiting = waitingFor(this.#request).onEnd((reason) => this.#leave(reason))
    if (this.#settled) this.#stopWaiting()
    try {
      const returned = listener(this.incoming, this.response)
      if (isThenable(returned)) returned.then(undefined, (error: unknown) => this.#leave(error))
    } catch (error) {
      this.#leave(error)
    }
    return this.#answer
  }

  #connect(outer: RequestInfo | undefined): InMemorySocket {
    let more = true
    const reader = new HttpResponseParser({
      onHead: (head) => this.#start(head),
      onBody: (bytes, isOurs) => {
        more = this.#keeper.add(bytes, next, isOurs)
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
        this.#leave(error)
        return
      }
      if (more) written()
    })
  }

  #start(head: Head): void {
    this.#head = head
    const encoding = head.headers['content-encoding']
    if (isDecodable(encoding)) {
      delete head.headers['content-encoding']
      delete head.headers['content-length']
      this.#keeper.decode(encoding)
    }
    this.#request.onHead?.(head.status, head.headers)
  }

  /** What Node's server does around a response on a real socket. */
  #watch(): void {
    const { response } = this
    const socket = this.#socket
    socket.on('error', (error) => this.#fail(error))
    // Only the app ends the socket itself; Node would close it then.
    socket.on('finish', () => socket.destroy())
    socket.on('drain', () => {
      if (response.writableFinished || response.destroyed) return
      clearNeedDrain(response)
      response.emit('drain')
    })
    // Of a response to a socket that is closed Node says that it is finished, though nobody got it.
    let arrived = false
    socket.on('close', () => {
      if (!arrived) this.#abandon()
    })
    response.on('finish', () => {
      if (this.#head === undefined) return
      arrived = true
      this.#dump()
      this.#finish()
      process.nextTick(closeSocket, socket)
    })
  }

  /** Nobody will read the rest of the body, but somebody may wait for its end. */
  #dump(): void {
    const { incoming } = this
    if (incoming.readableDidRead) return
    if (incoming.listenerCount('end') > 0 || incoming.listenerCount('close') > 0) incoming.resume()
  }

  #finish(): void {
    const body = this.#keeper.end()
    if (!(body instanceof Promise)) {
      this.#succeed(body)
      return
    }
    body.then(
      (decoded) => this.#succeed(decoded),
      (cause) => this.#fail(new Error('the answer is not encoded as its Content-Encoding says', { cause })),
    )
  }

  #succeed(body: Buffer): void {
    const { status, headers } = this.#head as Head
    this.#settle()
    this.#resolve({ status, headers, body, truncated: this.#keeper.truncated })
  }

  /** The app closed the connection, or the caller has left. */
  #abandon(): void {
    // The request of a client that went away ends with an error, heard only where somebody listens.
    if (!this.incoming.destroyed) this.incoming.destroy(connectionReset())
    this.#keeper.discard()
    this.#fail(new Error('the app closed the connection before it had answered'))
  }

  #leave(reason: unknown): void {
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
 * Node's own server takes the mark of a full buffer off before it says `drain`; the mark has no public name. Left on,
 * only `writableNeedDrain` would be wrong.
 */
function clearNeedDrain(response: ServerResponse): void {
  if (!response.writableNeedDrain) return
  const symbol = Object.getOwnPropertySymbols(response).find(
    ({ description }) => description === 'kNeedDrain',
  )
  if (symbol !== undefined) Object.assign(response, { [symbol]: false })
}

/** Requests of Node, Express and Fastify, and Koa's `ctx`, all have `socket`. */
function socketOf(outer: RequestInfo | undefined): OuterSocket | undefined {
  return (outer?.raw as { socket?: OuterSocket } | undefined)?.socket ?? undefined
}

/** Who started the process calls from this machine. */
function addressOf(outer: RequestInfo | undefined): string | undefined {
  return outer === undefined ? '127.0.0.1' : outer.ip
}
