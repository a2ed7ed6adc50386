/** The connection of one test client to a router, in both eras: sends requests, and answers those of the router. */

import {
  type AskedOfCaller,
  type Caller,
  coreOf,
  isModernVersion,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  McpError,
  type McpRouter,
  type Params,
  type Result,
} from '../../src/internal.js'
import { type AnyTestClientOptions, answerTo, capabilitiesOf, readOptions } from './options.js'

/** Options of one request. */
export interface RequestOptions {
  /** Cancels the request with `notifications/cancelled`. The request rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Called with the progress of this request. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** The content of a progress notification. */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** Callbacks for the router's notifications and requests. */
export interface Listener {
  onNotification(notification: JsonRpcNotification): void
  onRequest(request: AskedOfCaller): void
}

interface Pending {
  readonly reject: (reason: unknown) => void
  readonly onProgress: RequestOptions['onProgress']
}

const meta = 'io.modelcontextprotocol/'
/** How often the router may answer one request with `input_required`. */
const maxRounds = 100

export class Connection {
  readonly protocolVersion: string
  readonly isModern: boolean
  readonly #router: McpRouter<object>
  readonly #options: AnyTestClientOptions
  readonly #listener: Listener
  readonly #caller: Caller<object>
  readonly #disconnected = new AbortController()
  readonly #pending = new Map<number, Pending>()
  #ids = 0
  #handshakeResult: Promise<Result> | undefined

  constructor(router: McpRouter<object>, options: AnyTestClientOptions, listener: Listener) {
    this.protocolVersion = readOptions(router, options)
    this.isModern = isModernVersion(this.protocolVersion)
    this.#router = router
    this.#options = options
    this.#listener = listener
    const { user, auth, scopes, context, request } = options
    this.#caller = {
      user,
      auth,
      scopes,
      context,
      request: request && { ...plainPost, ...request },
      signal: this.#disconnected.signal,
      send: (message) => this.#receive(copyAsJson(message)),
    }
    coreOf(router).localCallers.add(this.#caller)
  }

  /** Returns the result of `server/discover` or `initialize`. */
  server(): Promise<Result> {
    return this.isModern ? this.request('server/discover') : this.#handshake()
  }

  /** Sends a request. @throws McpError for a JSON-RPC error, the reason of `signal`, and errors of answering functions */
  async request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    if (!this.isModern) await this.#handshake()
    let roundParams = params
    for (let round = 0; round < maxRounds; round++) {
      const result = await this.#send(method, roundParams, options)
      if (result.resultType !== 'input_required') return result
      const { inputRequests, requestState } = result
      const inputResponses = await this.#answerAll(inputRequests as Record<string, AskedOfCaller>)
      roundParams = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) }
    }
    throw new Error(`${method} requested input ${maxRounds} times in a row without a result`)
  }

  /** Sends a request that stays open. `result` resolves when it ends; cancelling `id` ends it. */
  open(method: string, params: Params): { readonly id: number; readonly result: Promise<Result> } {
    const result = this.#send(method, params, {})
    return { id: this.#ids, result }
  }

  async notify(method: string, params: Params = {}): Promise<void> {
    await this.#router.handle(copyAsJson({ jsonrpc: '2.0', method, params }), this.#caller)
  }

  /** Disconnects, and rejects all pending requests. */
  close(): void {
    this.#disconnected.abort(new Error('the test client was closed'))
    for (const { reject } of this.#pending.values()) reject(this.#disconnected.signal.reason)
  }

  async #send(method: string, params: Params, { signal, onProgress }: RequestOptions): Promise<Result> {
    this.#disconnected.signal.throwIfAborted()
    signal?.throwIfAborted()
    this.#ids += 1
    const id = this.#ids
    const message = copyAsJson({ jsonrpc: '2.0', id, method, params: this.#withMeta(params, id) })
    const cancel = (): void => void this.notify('notifications/cancelled', { requestId: id })
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const failed = new Promise<never>((_, reject) => this.#pending.set(id, { reject, onProgress }))
      const answer = await Promise.race([this.#router.handle(message, this.#caller), failed])
      return resultOf(answer as JsonRpcResponse | undefined, signal)
    } finally {
      signal?.removeEventListener('abort', cancel)
      this.#pending.delete(id)
    }
  }

  #withMeta(params: Params, id: number): Params {
    const modernMeta = {
      [`${meta}protocolVersion`]: this.protocolVersion,
      [`${meta}clientInfo`]: this.#clientInfo,
      [`${meta}clientCapabilities`]: capabilitiesOf(this.#options),
      [`${meta}logLevel`]: this.#logLevel,
    }
    return { ...params, _meta: { progressToken: id, ...(this.isModern && modernMeta), ...params._meta } }
  }

  /** Initializes the connection once, before the first request of an earlier revision (specification, Lifecycle). */
  #handshake(): Promise<Result> {
    this.#handshakeResult ??= this.#initialize()
    return this.#handshakeResult
  }

  async #initialize(): Promise<Result> {
    const { protocolVersion } = this
    const capabilities = capabilitiesOf(this.#options)
    const clientInfo = this.#clientInfo
    const result = await this.#send('initialize', { protocolVersion, capabilities, clientInfo }, {})
    await this.notify('notifications/initialized')
    await this.#send('logging/setLevel', { level: this.#logLevel }, {})
    return result
  }

  get #clientInfo(): { readonly name: string; readonly version: string } {
    return this.#options.clientInfo ?? { name: 'test-client', version: '0.0.0' }
  }

  get #logLevel(): string {
    return this.#options.logLevel ?? 'debug'
  }

  #receive(message: JsonRpcNotification | JsonRpcRequest): boolean {
    if ('id' in message) {
      void this.#answer(message)
      return true
    }
    const { progressToken, ...progress } = message.params ?? {}
    if (message.method === 'notifications/progress')
      this.#pending.get(progressToken as number)?.onProgress?.(progress as unknown as Progress)
    this.#listener.onNotification(message)
    return true
  }

  /** Answers a JSON-RPC request of the router, as used before 2026-07-28. */
  async #answer({ id, method, params }: JsonRpcRequest): Promise<void> {
    const request = { method, params } as AskedOfCaller
    const answer = await this.#handle(request).then(
      (result) => ({ result }),
      (error) => {
        // This is an error of the test rather than of the handler, so the pending requests of the test reject.
        for (const { reject } of this.#pending.values()) reject(error)
        return { error: { code: -32603, message: String(error) } }
      },
    )
    await this.#router.handle(copyAsJson({ jsonrpc: '2.0', id, ...answer }), this.#caller)
  }

  async #answerAll(inputRequests: Readonly<Record<string, AskedOfCaller>> = {}): Promise<object> {
    const responses = Object.entries(inputRequests).map(
      async ([key, request]) => [key, await this.#handle(copyAsJson(request))] as const,
    )
    return Object.fromEntries(await Promise.all(responses))
  }

  #handle(request: AskedOfCaller): Promise<object> {
    this.#listener.onRequest(request)
    return answerTo(this.#options, request)
  }
}

const plainPost = { method: 'POST', url: '/mcp', headers: {}, ip: '127.0.0.1', raw: undefined }

/** Copies a message through JSON, so that a test sees only values that JSON can represent. */
function copyAsJson<T extends object>(message: T): T {
  return JSON.parse(JSON.stringify(message)) as T
}

function resultOf(answer: JsonRpcResponse | undefined, signal: AbortSignal | undefined): Result {
  if (answer === undefined) {
    signal?.throwIfAborted()
    throw new Error('the call was cancelled')
  }
  if ('result' in answer) return copyAsJson(answer.result)
  const { code, message, data } = answer.error
  throw new McpError(code, message, data)
}
