/** An MCP client for servers of any revision. Used by the command line and the explorer. */

import { setTimeout as wait } from 'node:timers/promises'
import {
  describe,
  isModernVersion,
  isObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  McpError,
  type Params,
  type Result,
} from '../../../src/internal.js'
import { maxBytes } from './bounds.js'
import {
  envelope,
  hasCapability,
  type Negotiated,
  type NegotiateOptions,
  negotiate,
  resultOf,
} from './negotiate.js'
import { type Deadline, Deadlines } from './patience.js'
import { ServerFailure } from './server-failure.js'
import type { SendOptions, ServerMessage, Wire } from './wire.js'

/** A request of the server to this client, such as `elicitation/create`. */
export interface ServerRequest {
  readonly method: string
  readonly params?: Params | undefined
}

export interface ClientOptions extends NegotiateOptions {
  /** Called with progress and log notifications. */
  readonly onNotification: (notification: JsonRpcNotification) => void
  /** Returns the result of a request of the server. If it throws, the server gets an error. */
  readonly onRequest: (request: ServerRequest) => Promise<object>
  /** The least severe log messages that the server sends. */
  readonly logLevel: string
  /** Opens the HTTP+SSE transport of 2024-11-05. */
  readonly openSse?: (() => Promise<Wire>) | undefined
}

export interface RequestOptions extends Pick<SendOptions, 'signal' | 'headers'> {
  /** Called with the notifications of this request, in place of the client's `onNotification`. */
  readonly onNotification?: ClientOptions['onNotification'] | undefined
}

/** How often a server may answer one request with `input_required`. */
const maxRounds = 100
/** Limit of pages of one list. */
const maxPages = 1_000
/** How long to wait before a request is repeated, if the server asks for that. Milliseconds. */
const retryDelayMs = 1_000
/** The list that a result must contain, by method. */
const requiredMembers: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'content'],
  ['resources/read', 'contents'],
  ['prompts/get', 'messages'],
])

export class Client {
  readonly version: string
  readonly server: Result
  readonly isModern: boolean
  readonly #wire: Wire
  readonly #options: ClientOptions
  readonly #deadlines: Deadlines
  #ids = 0

  private constructor({ wire, version, server }: Negotiated, options: ClientOptions) {
    this.version = version
    this.server = server
    this.isModern = isModernVersion(version)
    this.#wire = wire
    this.#options = options
    this.#deadlines = options.deadlines ?? new Deadlines()
  }

  /** Negotiates the revision with the server and returns a client. @throws as `negotiate` does */
  static async connect(wire: Wire, options: ClientOptions): Promise<Client> {
    const client = new Client(await negotiate(wire, options, options.openSse), options)
    if (!client.isModern && hasCapability(client.server, 'logging')) {
      await client.request('logging/setLevel', { level: options.logLevel }).catch(() => {})
    }
    return client
  }

  /**
   * Sends a request, answers the server's input requests, and returns the result.
   * @throws McpError for a JSON-RPC error, ServerFailure, the reason of `signal`, and as the transport does
   */
  async request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    let roundParams = params
    for (let round = 0; round < maxRounds; round++) {
      const result = await this.#send(method, roundParams, options)
      if (result.resultType !== 'input_required') return checkResult(method, result)
      const { inputRequests, requestState } = result
      // Without input requests, the server only wants the same request again later.
      if (inputRequests === undefined) await wait(retryDelayMs, undefined, { signal: options.signal })
      const inputResponses = await this.#answerAll(isObject(inputRequests) ? inputRequests : {})
      roundParams = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) }
    }
    throw new ServerFailure(`${method}: the server asked for input ${maxRounds} times and sent no result`)
  }

  /** Fetches all pages of a list. Returns an empty array if the server doesn't have this list. */
  async list(method: string, member: string): Promise<Record<string, unknown>[]> {
    const [capability = ''] = method.split('/')
    if (!hasCapability(this.server, capability)) return []
    const items: Record<string, unknown>[] = []
    const seen = new Set<unknown>()
    let cursor: unknown
    let size = 0
    do {
      seen.add(cursor)
      const result = await this.request(method, cursor === undefined ? {} : { cursor })
      const page = result[member]
      if (!Array.isArray(page))
        throw new ServerFailure(`${method}: expected a list \`${member}\`, got ${describe(page)}`)
      for (const item of page.filter(isObject)) items.push(item)
      size += JSON.stringify(page).length
      cursor = result.nextCursor ?? undefined
      if (cursor !== undefined && (seen.size >= maxPages || size > maxBytes)) {
        throw new ServerFailure(`${method}: the server sent ${seen.size} pages and still has more`)
      }
    } while (cursor !== undefined && !seen.has(cursor))
    return items
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  async #send(method: string, params: Params, options: RequestOptions): Promise<Result> {
    this.#ids += 1
    const id = this.#ids
    const modernMeta = this.isModern && {
      ...envelope(this.#options),
      'io.modelcontextprotocol/logLevel': this.#options.logLevel,
    }
    const _meta = { progressToken: id, ...modernMeta }
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta } } as const
    const deadline = this.#deadlines.start(method, options.signal)
    const onMessage = (received: ServerMessage): void =>
      this.#receive(received, deadline, options.onNotification)
    try {
      return resultOf(await this.#wire.request(message, { ...options, signal: deadline.signal, onMessage }))
    } finally {
      deadline.end()
    }
  }

  #receive(message: ServerMessage, deadline: Deadline, onNotification = this.#options.onNotification): void {
    deadline.restart()
    if ('id' in message) void deadline.pausedFor(this.#answer(message))
    else onNotification(message)
  }

  /** Answers a JSON-RPC request of the server, which servers before 2026-07-28 send. */
  async #answer({ id, method, params }: JsonRpcRequest): Promise<void> {
    const answer = await this.#handle({ method, params }).then(
      (result) => ({ result: result as Result }),
      (error) => ({
        error: { code: error instanceof McpError ? error.code : -32601, message: String(error.message) },
      }),
    )
    await this.#wire.post({ jsonrpc: '2.0', id, ...answer }).catch(() => {})
  }

  async #answerAll(inputRequests: Readonly<Record<string, unknown>>): Promise<object> {
    const responses = Object.entries(inputRequests).map(
      async ([key, request]) => [key, await this.#handle(toServerRequest(request))] as const,
    )
    return Object.fromEntries(await Promise.all(responses))
  }

  async #handle(request: ServerRequest): Promise<object> {
    return request.method === 'ping' ? {} : this.#options.onRequest(request)
  }
}

/** Checks that an input request has a method. @throws ServerFailure */
function toServerRequest(value: unknown): ServerRequest {
  if (isObject(value) && typeof value.method === 'string') return value as unknown as ServerRequest
  throw new ServerFailure(
    `expected each of the server's input requests to have a \`method\`, got ${describe(value)}`,
  )
}

/** Returns the result if it contains the list that its method requires. @throws ServerFailure */
function checkResult(method: string, result: Result): Result {
  const member = requiredMembers.get(method)
  if (member === undefined || Array.isArray(result[member])) return result
  if (method === 'tools/call' && result.structuredContent !== undefined && result.content === undefined)
    return result
  throw new ServerFailure(
    `${method}: expected a list \`${member}\` in the result, got ${describe(result[member])}`,
  )
}
