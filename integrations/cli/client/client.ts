/** A client of any server: every revision, questions answered, notices handed on. */

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
import { type Agreed, canDo, envelope, type Hello, negotiate, resultOf } from './negotiate.js'
import { type Deadline, Patience } from './patience.js'
import { ServerFailure } from './server-failure.js'
import type { Said, Sending, Wire } from './wire.js'

/** Something that a server asks: `elicitation/create` and its like. */
export interface Question {
  readonly method: string
  readonly params?: Params | undefined
}

export interface ClientOptions extends Hello {
  /** Takes progress and log notices. */
  readonly hear: (notice: JsonRpcNotification) => void
  /** Answers what the server asks; a throw refuses it. */
  readonly ask: (question: Question) => Promise<object>
  /** The least severe log notice to send. */
  readonly logLevel: string
  /** Opens the transport of 2024-11-05. */
  readonly older?: (() => Promise<Wire>) | undefined
}

export interface RequestOptions extends Pick<Sending, 'signal' | 'headers'> {
  /** Takes the notices of this request alone. */
  readonly hear?: ClientOptions['hear'] | undefined
}

/** Who asks more often than this asks for ever. */
const mostRounds = 100
/** Pages of one list. */
const mostPages = 1_000
/** Before a server that is busy is asked again. Milliseconds. */
const pause = 1_000
/** Members without which a result cannot be shown. */
const needed: ReadonlyMap<string, string> = new Map([
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
  readonly #patience: Patience
  #ids = 0

  private constructor({ wire, version, server }: Agreed, options: ClientOptions) {
    this.version = version
    this.server = server
    this.isModern = isModernVersion(version)
    this.#wire = wire
    this.#options = options
    this.#patience = options.patience ?? new Patience()
  }

  /** @throws as `negotiate` does */
  static async connect(wire: Wire, options: ClientOptions): Promise<Client> {
    const client = new Client(await negotiate(wire, options, options.older), options)
    if (!client.isModern && canDo(client.server, 'logging')) {
      await client.request('logging/setLevel', { level: options.logLevel }).catch(() => {})
    }
    return client
  }

  /** @throws McpError for a JSON-RPC error, ServerFailure, the reason of `signal`, and as the wire does */
  async request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    let given = params
    for (let round = 0; round < mostRounds; round++) {
      const result = await this.#send(method, given, options)
      if (result.resultType !== 'input_required') return complete(method, result)
      const { inputRequests, requestState } = result
      // Nothing asked: it wants the request later.
      if (inputRequests === undefined) await wait(pause, undefined, { signal: options.signal })
      const inputResponses = await this.#answerAll(isObject(inputRequests) ? inputRequests : {})
      given = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) }
    }
    throw new ServerFailure(`${method}: the server has asked ${mostRounds} times and still has no answer`)
  }

  /** All pages of a list; nothing where the server has no such list. */
  async list(method: string, member: string): Promise<Record<string, unknown>[]> {
    const [capability = ''] = method.split('/')
    if (!canDo(this.server, capability)) return []
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
      if (cursor !== undefined && (seen.size >= mostPages || size > maxBytes)) {
        throw new ServerFailure(`${method}: the server has sent ${seen.size} pages and still has more`)
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
    const said = this.isModern && {
      ...envelope(this.#options),
      'io.modelcontextprotocol/logLevel': this.#options.logLevel,
    }
    const _meta = { progressToken: id, ...said }
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta } } as const
    const deadline = this.#patience.begin(method, options.signal)
    const hear = (said: Said): void => this.#hear(said, deadline, options.hear)
    try {
      return resultOf(await this.#wire.request(message, { ...options, signal: deadline.signal, hear }))
    } finally {
      deadline.end()
    }
  }

  #hear(said: Said, deadline: Deadline, hear = this.#options.hear): void {
    deadline.restart()
    if ('id' in said) void deadline.pausedFor(this.#answer(said))
    else hear(said)
  }

  /** Before 2026-07-28 a question is a request of the server's own. */
  async #answer({ id, method, params }: JsonRpcRequest): Promise<void> {
    const answer = await this.#ask({ method, params }).then(
      (result) => ({ result: result as Result }),
      (error) => ({
        error: { code: error instanceof McpError ? error.code : -32601, message: String(error.message) },
      }),
    )
    await this.#wire.post({ jsonrpc: '2.0', id, ...answer }).catch(() => {})
  }

  async #answerAll(asked: Readonly<Record<string, unknown>>): Promise<object> {
    const answered = Object.entries(asked).map(
      async ([key, question]) => [key, await this.#ask(asQuestion(question))] as const,
    )
    return Object.fromEntries(await Promise.all(answered))
  }

  async #ask(question: Question): Promise<object> {
    return question.method === 'ping' ? {} : this.#options.ask(question)
  }
}

/** @throws ServerFailure */
function asQuestion(value: unknown): Question {
  if (isObject(value) && typeof value.method === 'string') return value as unknown as Question
  throw new ServerFailure(`the server asks for input that is not a request: ${describe(value)}`)
}

/** A result that can be shown. @throws ServerFailure */
function complete(method: string, result: Result): Result {
  const member = needed.get(method)
  if (member === undefined || Array.isArray(result[member])) return result
  if (method === 'tools/call' && result.structuredContent !== undefined && result.content === undefined)
    return result
  throw new ServerFailure(
    `${method}: expected a list \`${member}\` in the result, got ${describe(result[member])}`,
  )
}
