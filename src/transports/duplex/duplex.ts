/** A connection that carries messages both ways, each a text: what stdio, WebSocket and their like have in common. */

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

/** What carries the texts of one connection. */
export interface Channel {
  /** Sends one message. Calls `sent` when it has left this process, or cannot any more. */
  write(text: string, sent: () => void): void
  /** The reader is too far behind for what it can do without. */
  readonly isBehind: boolean
  /** Nothing is written any more. */
  end(): void
}

/** Who calls over a connection, and its bounds. */
export interface DuplexOptions extends Depths {
  /** Who is at the other end. */
  readonly caller: Omit<Caller<object>, 'send' | 'signal' | 'ask'>
  /** The id of a user who has none, where there is no other caller to be taken for. */
  readonly unknownAs?: string
  /** How many requests may run at once; further ones are refused. */
  readonly maxCalls: number
  /** Whom its calls count for; `undefined`: they are not counted. */
  readonly callerKey?: string | undefined
  /** The other end is on this machine. */
  readonly local?: boolean
}

/** How long answers may take once their calls were aborted. Milliseconds. */
const lastMs = 1_000

/** Made when the connection is open. Hand it every message; tell it when no more can come. Nothing of it ever throws. */
export class Duplex {
  readonly #core: Core
  readonly #options: DuplexOptions
  readonly #channel: Channel
  readonly #caller: Caller
  readonly #connection: Connection
  readonly #gone = new AbortController()
  readonly #forget: () => void
  /** Requests that have no answer yet. */
  readonly #calls = new Set<object>()
  /** Ids of what the client was asked. */
  readonly #asked = new Set<RequestId>()
  readonly #idle = new Set<() => void>()
  #closing = false
  #deaf = false

  /** @throws TypeError when `router` is none. */
  constructor(router: McpRouter<never> | McpRouter<object>, channel: Channel, options: DuplexOptions) {
    const core = coreOf(router)
    this.#core = core
    this.#options = options
    this.#channel = channel
    const caller = options.caller as Caller
    this.#caller = {
      ...caller,
      userId: userIdOf(caller, options.unknownAs),
      signal: this.#gone.signal,
      send: (message) => this.#send(message),
    }
    if ('callerKey' in options) core.callerKeys.set(this.#caller, options.callerKey)
    if (options.local === true) core.localCallers.add(this.#caller)
    this.#connection = connectionOf(core, this.#caller) as Connection
    // The router itself aborts what runs for too long then.
    this.#forget = core.inFlight.whenClosing(() => void this.close())
  }

  /** As many requests run as may: further ones are refused. */
  get isBusy(): boolean {
    return this.#calls.size >= this.#options.maxCalls
  }

  /** True once nothing can be sent any more. */
  get isOver(): boolean {
    return this.#gone.signal.aborted
  }

  /** One message. A promise resolves when it is answered, which nothing need wait for. */
  receive(text: string): void | Promise<void> {
    return attempt(Duplex.#receiving, { duplex: this, text })
  }

  static readonly #receiving: Steps<unknown, void, { readonly duplex: Duplex; readonly text: string }> = {
    run: ({ duplex, text }) => readText(text, duplex.#options, 'the message'),
    next: (message, { duplex }) => duplex.#take(message),
    onError: (error, { duplex }) => duplex.refuse(toClientError(duplex.#core, error, 'a message')),
  }

  /** The answer to what is no message. */
  refuse(error: McpError, id?: RequestId): void {
    this.#write(jsonText(errorResponse(id, error)))
  }

  /** Calls from now on are those of this caller: the same one, as they are known by now. */
  renew({ user, auth }: Pick<Identity, 'user' | 'auth'>): void {
    Object.assign(this.#caller, { user, auth, scopes: auth?.scopes ?? this.#caller.scopes })
    this.#connection.renew()
  }

  /** No message will come any more: what waits for an answer of the client need not. Then as `close`. */
  async finish(drainMs?: number): Promise<void> {
    this.#deaf = true
    const error = {
      code: ErrorCode.InternalError,
      message: 'the client has closed its side of the connection',
    }
    for (const id of this.#asked) void this.#handle({ jsonrpc: '2.0', id, error })
    await this.close(drainMs)
  }

  /**
   * New requests are refused and subscriptions end; what runs may end for `drainMs` (default: as long as it takes), and
   * is aborted then, with an answer. Resolves when all is written and the channel was told to end.
   */
  async close(drainMs?: number): Promise<void> {
    this.#closing = true
    this.#connection.close()
    await this.#drained(drainMs)
    this.#core.inFlight.abortIn(this.#caller, new Interrupted('AbortError', 'the server is closing'))
    await this.#drained(lastMs)
    this.drop()
  }

  /** The connection is gone: nobody waits for anything. */
  drop(): void {
    if (this.isOver) return
    this.#forget()
    this.#gone.abort()
    this.#channel.end()
    this.#wake()
  }

  #take(message: unknown): void | Promise<void> {
    const { requests, others } = partsOf(message)
    for (const part of others) if (isObject(part)) this.#asked.delete(part.id as RequestId)
    const refused = requests.length > 0 ? this.#refusal(requests.length) : undefined
    if (refused === undefined) return this.#serve(message, requests as readonly JsonRpcRequest[])
    // What runs waits for answers, and is ended by cancellations: these are taken from beside refused requests too.
    const taken = others.length > 0 ? this.#handle(others) : undefined
    return whenReady<unknown, void>(taken, () => {
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
      this.#wake()
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
      `Too many requests of this connection at once: expected at most ${maxCalls} (\`maxCalls\`); try again later`,
    )
  }

  #send(message: JsonRpcNotification | JsonRpcRequest): boolean {
    if (!('id' in message)) return !this.#channel.isBehind && this.#write(jsonText(message))
    if (this.#deaf) return false
    this.#asked.add(message.id)
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

  /** Resolves when nothing runs any more, when the connection is gone, or after `drainMs`. */
  async #drained(drainMs: number | undefined): Promise<void> {
    if (this.#calls.size === 0 || this.isOver) return
    await new Promise<void>((resolve) => {
      const timer = drainMs === undefined ? undefined : setTimeout(() => done(), drainMs)
      const done = (): void => {
        clearTimeout(timer)
        this.#idle.delete(done)
        resolve()
      }
      this.#idle.add(done)
    })
  }

  #wake(): void {
    if (this.#calls.size > 0 && !this.isOver) return
    for (const done of [...this.#idle]) done()
  }
}

function userIdOf({ user, auth, userId }: Caller, unknownAs: string | undefined): Caller['userId'] {
  if (unknownAs === undefined) return userId
  const identity = { user, auth, scopes: undefined, context: undefined }
  return ownerOf(identity, userId as UserId | undefined).kind === 'unknown' ? () => unknownAs : userId
}

const nothing = (): void => {}
