/** A bidirectional connection of text messages, the common part of stdio, WebSocket and similar transports. */

import type { Caller } from '../../definitions/context.js'
import { Interrupted } from '../../errors/classify-error.js'
import { closingError, ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import { partsOf } from '../../protocol/batch.js'
import type { Identity } from '../../protocol/identity.js'
import { errorResponse } from '../../protocol/jsonrpc.js'
import type { JsonRpcNotification, JsonRpcRequest, RequestId } from '../../protocol/types.js'
import { type Connection, connectionOf } from '../../server/connection.js'
import type { Core } from '../../server/core.js'
import { handleMessage } from '../../server/in-process.js'
import { coreOf, type McpRouter } from '../../server/router.js'
import { ownerOf, type UserId } from '../../sessions/owner.js'
import { jsonText } from '../../support/long-numbers.js'
import { attempt, type Steps, whenReady } from '../../support/maybe-promise.js'
import { isObject } from '../../support/values.js'
import { toClientError } from '../../tracing/error-report.js'
import { type Depths, readText } from '../http/body.js'
import { jsonResponse } from '../http/json-response.js'

/** The underlying channel of a connection, such as a socket. */
export interface Channel {
  /** Sends one message. Calls `sent` once the message has left this process, or can't be sent any more. */
  write(text: string, sent: () => void): void
  /** Whether the reader is too slow to get further notifications. */
  readonly isBehind: boolean
  /** Closes the channel. */
  end(): void
}

/** The caller and the limits of a connection. */
export interface DuplexOptions extends Depths {
  /** The caller at the other end. */
  readonly caller: Omit<Caller<object>, 'send' | 'signal' | 'ask'>
  /** The id for a user without one. Only for connections with a single possible caller. */
  readonly unknownAs?: string
  /** The maximum number of requests that run at once; further ones are refused. */
  readonly maxCalls: number
  /** The key that the caller's calls are counted by; not counted if `undefined`. */
  readonly callerKey?: string | undefined
  /** Whether the other end is on this machine. */
  readonly local?: boolean
}

/** Milliseconds that aborted calls have to send their responses. */
const abortGraceMs = 1_000

/**
 * The server's side of a bidirectional connection. Create it when the connection opens, pass every message to `receive`, and
 * call `finish`, `close` or `drop` when the connection ends. Its methods never throw.
 */
export class Duplex {
  readonly #core: Core
  readonly #options: DuplexOptions
  readonly #channel: Channel
  readonly #caller: Caller
  readonly #connection: Connection
  readonly #disconnected = new AbortController()
  readonly #stopListening: () => void
  /** Requests without a response so far. */
  readonly #calls = new Set<object>()
  /** Ids of requests to the client that have no response so far. */
  readonly #pendingRequestIds = new Set<RequestId>()
  readonly #idleListeners = new Set<() => void>()
  #closing = false
  #isInputClosed = false

  /** @throws TypeError if `router` isn't an `McpRouter`. */
  constructor(router: McpRouter<never> | McpRouter<object>, channel: Channel, options: DuplexOptions) {
    const core = coreOf(router)
    this.#core = core
    this.#options = options
    this.#channel = channel
    const caller = options.caller as Caller
    this.#caller = {
      ...caller,
      userId: userIdOf(caller, options.unknownAs),
      signal: this.#disconnected.signal,
      send: (message) => this.#send(message),
    }
    if ('callerKey' in options) core.callerKeys.set(this.#caller, options.callerKey)
    if (options.local === true) core.localCallers.add(this.#caller)
    this.#connection = connectionOf(core, this.#caller) as Connection
    // No time limit here: the router itself aborts calls that take too long while it closes.
    this.#stopListening = core.inFlight.whenClosing(() => void this.close())
  }

  /** Whether `maxCalls` requests are running, so that further ones are refused. */
  get isBusy(): boolean {
    return this.#calls.size >= this.#options.maxCalls
  }

  /** Whether the connection has ended, so that nothing can be sent any more. */
  get isOver(): boolean {
    return this.#disconnected.signal.aborted
  }

  /** Handles one message. A returned promise resolves once the message is answered; callers needn't wait for it. */
  receive(text: string): void | Promise<void> {
    return attempt(Duplex.#receiving, { duplex: this, text })
  }

  static readonly #receiving: Steps<unknown, void, { readonly duplex: Duplex; readonly text: string }> = {
    run: ({ duplex, text }) => readText(text, duplex.#options, 'the message'),
    next: (message, { duplex }) => duplex.#handleParsed(message),
    onError: (error, { duplex }) => duplex.refuse(toClientError(duplex.#core, error, 'a message')),
  }

  /** Sends an error response, such as for input that isn't a message. */
  refuse(error: McpError, id?: RequestId): void {
    this.#write(jsonText(errorResponse(id, error)))
  }

  /** Updates the caller after they were authenticated again. Applies to later calls. */
  renew({ user, auth }: Pick<Identity, 'user' | 'auth'>): void {
    Object.assign(this.#caller, { user, auth, scopes: auth?.scopes ?? this.#caller.scopes })
    this.#connection.renew()
  }

  /** Call it when no more messages can arrive. Fails pending requests to the client, then closes like `close`. */
  async finish(drainMs?: number): Promise<void> {
    this.#isInputClosed = true
    const error = {
      code: ErrorCode.InternalError,
      message: 'the client has closed its side of the connection',
    }
    for (const id of this.#pendingRequestIds) void this.#handle({ jsonrpc: '2.0', id, error })
    await this.close(drainMs)
  }

  /**
   * Closes the connection gracefully: refuses new requests, ends subscriptions, and waits up to `drainMs` milliseconds
   * (default: without limit) for running calls, then aborts them with an error response. Resolves once everything is
   * written and the channel is closed.
   */
  async close(drainMs?: number): Promise<void> {
    this.#closing = true
    this.#connection.close()
    await this.#waitUntilIdle(drainMs)
    this.#core.inFlight.abortIn(this.#caller, new Interrupted('AbortError', 'the server is closing'))
    await this.#waitUntilIdle(abortGraceMs)
    this.drop()
  }

  /** Ends the connection at once, such as when the client has disconnected. */
  drop(): void {
    if (this.isOver) return
    this.#stopListening()
    this.#disconnected.abort()
    this.#channel.end()
    this.#notifyIdle()
  }

  #handleParsed(message: unknown): void | Promise<void> {
    const { requests, others } = partsOf(message)
    for (const part of others) if (isObject(part)) this.#pendingRequestIds.delete(part.id as RequestId)
    const refused = requests.length > 0 ? this.#refusal(requests.length) : undefined
    if (refused === undefined) return this.#serve(message, requests as readonly JsonRpcRequest[])
    // Responses and cancellations in a refused batch are still handled, because running calls depend on them.
    const handled = others.length > 0 ? this.#handle(others) : undefined
    return whenReady<unknown, void>(handled, () => {
      const answers = (requests as readonly JsonRpcRequest[]).map(({ id }) => errorResponse(id, refused))
      this.#write(jsonText(Array.isArray(message) ? answers : answers[0]))
    })
  }

  #serve(message: unknown, requests: readonly JsonRpcRequest[]): void | Promise<void> {
    const { inFlight } = this.#core
    for (const call of requests) this.#calls.add(call)
    inFlight.enter()
    const sent = (): void => {
      inFlight.leave()
      for (const call of requests) this.#calls.delete(call)
      this.#notifyIdle()
    }
    return whenReady(this.#handle(message), (answer) => {
      const isWanted = answer !== undefined && !this.isOver
      this.#write(isWanted ? jsonResponse(this.#core, answer, requests[0]?.method ?? '') : undefined, sent)
    })
  }

  #handle(message: unknown): ReturnType<typeof handleMessage> {
    return handleMessage(this.#core, message, this.#caller)
  }

  #refusal(count: number): McpError | undefined {
    if (this.#closing || this.#core.inFlight.closing) return closingError()
    const { maxCalls, callerKey } = this.#options
    if (this.#calls.size + count <= maxCalls) return this.#core.rates.calls.consume(callerKey, count)
    return refusal(
      ErrorCode.InternalError,
      `Too many requests on this connection at once: expected at most ${maxCalls} (\`maxCalls\`); try again later`,
    )
  }

  #send(message: JsonRpcNotification | JsonRpcRequest): boolean {
    if (!('id' in message)) return !this.#channel.isBehind && this.#write(jsonText(message))
    if (this.#isInputClosed) return false
    this.#pendingRequestIds.add(message.id)
    return this.#write(jsonText(message))
  }

  #write(text: string | undefined, sent: () => void = nothing): boolean {
    if (this.isOver || text === undefined) {
      sent()
      return false
    }
    this.#channel.write(text, sent)
    return true
  }

  /** Resolves when no call runs any more, when the connection has ended, or after `drainMs`. */
  async #waitUntilIdle(drainMs: number | undefined): Promise<void> {
    if (this.#calls.size === 0 || this.isOver) return
    await new Promise<void>((resolve) => {
      const timer = drainMs === undefined ? undefined : setTimeout(() => done(), drainMs)
      const done = (): void => {
        clearTimeout(timer)
        this.#idleListeners.delete(done)
        resolve()
      }
      this.#idleListeners.add(done)
    })
  }

  #notifyIdle(): void {
    if (this.#calls.size > 0 && !this.isOver) return
    for (const done of [...this.#idleListeners]) done()
  }
}

function userIdOf({ user, auth, userId }: Caller, unknownAs: string | undefined): Caller['userId'] {
  if (unknownAs === undefined) return userId
  const identity = { user, auth, scopes: undefined, context: undefined }
  return ownerOf(identity, userId as UserId | undefined).kind === 'unknown' ? () => unknownAs : userId
}

const nothing = (): void => {}
