/** One client's conversation with a router: both eras, questions answered, notices handed on. */

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

/** What is said beside a request. */
export interface RequestOptions {
  /** Cancels the call, as a client does. It rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Told of the progress of this call. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** A progress notice. */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** Who reads what the router says by itself. */
export interface Listener {
  notice(notice: JsonRpcNotification): void
  asked(question: AskedOfCaller): void
}

interface Pending {
  readonly reject: (reason: unknown) => void
  readonly onProgress: RequestOptions['onProgress']
}

const meta = 'io.modelcontextprotocol/'
/** A handler that asks more often than this asks for ever. */
const mostRounds = 100

export class Connection {
  readonly protocolVersion: string
  readonly isModern: boolean
  readonly #router: McpRouter<object>
  readonly #options: AnyTestClientOptions
  readonly #listener: Listener
  readonly #caller: Caller<object>
  readonly #gone = new AbortController()
  readonly #pending = new Map<number, Pending>()
  #ids = 0
  #shaken: Promise<Result> | undefined

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
      signal: this.#gone.signal,
      send: (message) => this.#hear(onTheWire(message)),
    }
    coreOf(router).localCallers.add(this.#caller)
  }

  /** What the router says of itself. */
  server(): Promise<Result> {
    return this.isModern ? this.request('server/discover') : this.#handshake()
  }

  /** @throws McpError for a JSON-RPC error, the reason of `signal`, and what an answering function threw. */
  async request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    if (!this.isModern) await this.#handshake()
    let given = params
    for (let round = 0; round < mostRounds; round++) {
      const result = await this.#send(method, given, options)
      if (result.resultType !== 'input_required') return result
      const { inputRequests, requestState } = result
      const inputResponses = await this.#answerAll(inputRequests as Record<string, AskedOfCaller>)
      given = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) }
    }
    throw new Error(`${method} asked ${mostRounds} times in a row and still has no answer`)
  }

  /** The answer comes when it is over, however long that takes; `id` ends it. */
  open(method: string, params: Params): { readonly id: number; readonly over: Promise<Result> } {
    const over = this.#send(method, params, {})
    return { id: this.#ids, over }
  }

  async notify(method: string, params: Params = {}): Promise<void> {
    await this.#router.handle(onTheWire({ jsonrpc: '2.0', method, params }), this.#caller)
  }

  /** Nothing is read any more, as when a connection breaks. */
  close(): void {
    this.#gone.abort(new Error('the test client was closed'))
    for (const { reject } of this.#pending.values()) reject(this.#gone.signal.reason)
  }

  async #send(method: string, params: Params, { signal, onProgress }: RequestOptions): Promise<Result> {
    this.#gone.signal.throwIfAborted()
    signal?.throwIfAborted()
    this.#ids += 1
    const id = this.#ids
    const message = onTheWire({ jsonrpc: '2.0', id, method, params: this.#withMeta(params, id) })
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
    const said = {
      [`${meta}protocolVersion`]: this.protocolVersion,
      [`${meta}clientInfo`]: this.#clientInfo,
      [`${meta}clientCapabilities`]: capabilitiesOf(this.#options),
      [`${meta}logLevel`]: this.#logLevel,
    }
    return { ...params, _meta: { progressToken: id, ...(this.isModern && said), ...params._meta } }
  }

  /** Once, before the first request of a revision that has one (specification, Lifecycle). */
  #handshake(): Promise<Result> {
    this.#shaken ??= this.#initialize()
    return this.#shaken
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

  #hear(message: JsonRpcNotification | JsonRpcRequest): boolean {
    if ('id' in message) {
      void this.#answer(message)
      return true
    }
    const { progressToken, ...progress } = message.params ?? {}
    if (message.method === 'notifications/progress')
      this.#pending.get(progressToken as number)?.onProgress?.(progress as unknown as Progress)
    this.#listener.notice(message)
    return true
  }

  /** Before 2026-07-28 a question is a request of the router's own. */
  async #answer({ id, method, params }: JsonRpcRequest): Promise<void> {
    const asked = { method, params } as AskedOfCaller
    const answer = await this.#ask(asked).then(
      (result) => ({ result }),
      (error) => {
        // It is the test that is at fault, so the test is told, not the handler.
        for (const { reject } of this.#pending.values()) reject(error)
        return { error: { code: -32603, message: String(error) } }
      },
    )
    await this.#router.handle(onTheWire({ jsonrpc: '2.0', id, ...answer }), this.#caller)
  }

  async #answerAll(asked: Readonly<Record<string, AskedOfCaller>> = {}): Promise<object> {
    const answered = Object.entries(asked).map(
      async ([key, question]) => [key, await this.#ask(onTheWire(question))] as const,
    )
    return Object.fromEntries(await Promise.all(answered))
  }

  #ask(asked: AskedOfCaller): Promise<object> {
    this.#listener.asked(asked)
    return answerTo(this.#options, asked)
  }
}

const plainPost = { method: 'POST', url: '/mcp', headers: {}, ip: '127.0.0.1', raw: undefined }

/** As it would arrive: a test must not see what JSON does not carry. */
function onTheWire<T extends object>(message: T): T {
  return JSON.parse(JSON.stringify(message)) as T
}

function resultOf(answer: JsonRpcResponse | undefined, signal: AbortSignal | undefined): Result {
  if (answer === undefined) {
    signal?.throwIfAborted()
    throw new Error('the call was cancelled')
  }
  if ('result' in answer) return onTheWire(answer.result)
  const { code, message, data } = answer.error
  throw new McpError(code, message, data)
}
