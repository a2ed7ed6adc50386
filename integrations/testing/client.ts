/** `TestClient`: what a client does, one method each. */

import {
  type AskedOfCaller,
  type CallToolResult,
  type ClientCapabilities,
  type CompleteResult,
  ErrorCode,
  type GetPromptResult,
  type Implementation,
  type JsonRpcNotification,
  type LoggingLevel,
  McpError,
  type McpRouter,
  type Params,
  type ReadResourceResult,
  type Result,
} from '../../src/internal.js'
import { Connection, type Progress, type RequestOptions } from './connection.js'
import type { ListedPrompt, ListedResource, ListedTemplate, ListedTool } from './listed.js'
import type { AnyTestClientOptions } from './options.js'
import { listen, type Subscribed, type Subscription } from './subscription.js'

/** A log notice of `ctx.log`. */
export interface LogNotice {
  readonly level: LoggingLevel
  /** The tool, prompt or resource that said it. */
  readonly logger?: string | undefined
  readonly data: unknown
}

/** What a router says of itself. */
export interface ServerInfo extends Result {
  readonly capabilities: ClientCapabilities
  readonly instructions?: string
  /** Before 2026-07-28; since then it is in the `_meta` of every result. */
  readonly serverInfo?: Implementation
}

/** Whose arguments are completed. */
export type CompletionRef = { readonly prompt: string } | { readonly resource: string }

/**
 * A client in the same process. Methods reject with `McpError` for what a client would get as a JSON-RPC error; a
 * failure that the model reads is a result with `isError`.
 */
export class TestClient {
  /** The revision it speaks. */
  readonly protocolVersion: string
  /** Every notice that came, oldest first. Yours to empty. */
  readonly notices: JsonRpcNotification[] = []
  /** What `ctx.progress()` said, oldest first. Yours to empty. */
  readonly progress: Progress[] = []
  /** What `ctx.log` said, oldest first. Yours to empty. */
  readonly logs: LogNotice[] = []
  /** What the user, the model or the client was asked, oldest first. Yours to empty. */
  readonly asked: AskedOfCaller[] = []
  readonly #connection: Connection
  readonly #waiting: { readonly method: string; readonly resolve: (notice: JsonRpcNotification) => void }[] =
    []

  /** @internal */
  constructor(router: McpRouter<object>, options: AnyTestClientOptions) {
    this.#connection = new Connection(router, options, {
      notice: (notice) => this.#take(notice),
      asked: (question) => this.asked.push(question),
    })
    this.protocolVersion = this.#connection.protocolVersion
  }

  /** Capabilities and instructions, from `server/discover` or `initialize`. */
  async server(): Promise<ServerInfo> {
    return (await this.#connection.server()) as ServerInfo
  }

  /** All pages, as this caller sees them; none where the router has none. */
  async listTools(): Promise<ListedTool[]> {
    return this.#list('tools/list', 'tools')
  }

  /** Fixed resources, and those that templates list. All pages. */
  async listResources(): Promise<ListedResource[]> {
    return this.#list('resources/list', 'resources')
  }

  async listResourceTemplates(): Promise<ListedTemplate[]> {
    return this.#list('resources/templates/list', 'resourceTemplates')
  }

  async listPrompts(): Promise<ListedPrompt[]> {
    return this.#list('prompts/list', 'prompts')
  }

  /** Calls a tool; what it asks is answered by `elicit`, `sample` and `roots`. */
  async callTool(name: string, args: object = {}, options: RequestOptions = {}): Promise<CallToolResult> {
    return (await this.request('tools/call', { name, arguments: args }, options)) as unknown as CallToolResult
  }

  async readResource(uri: string, options: RequestOptions = {}): Promise<ReadResourceResult> {
    return (await this.request('resources/read', { uri }, options)) as unknown as ReadResourceResult
  }

  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: RequestOptions = {},
  ): Promise<GetPromptResult> {
    return (await this.request(
      'prompts/get',
      { name, arguments: args },
      options,
    )) as unknown as GetPromptResult
  }

  /** Suggestions for one argument; `chosen` are those that are filled in. */
  async complete(
    ref: CompletionRef,
    argument: { readonly name: string; readonly value: string },
    chosen: Readonly<Record<string, string>> = {},
  ): Promise<CompleteResult['completion']> {
    const wire =
      'prompt' in ref ? { type: 'ref/prompt', name: ref.prompt } : { type: 'ref/resource', uri: ref.resource }
    const params = { ref: wire, argument, context: { arguments: chosen } }
    const { completion } = await this.request('completion/complete', params)
    return completion as CompleteResult['completion']
  }

  /** Any other method: its whole result, after questions on the way were answered. */
  request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    return this.#connection.request(method, params, options)
  }

  /** Sends a notification. */
  notify(method: string, params: Params = {}): Promise<void> {
    return this.#connection.notify(method, params)
  }

  /**
   * Has the router tell of changes; resolves once it does. They come to `notices` and `nextNotice()`. Before 2026-07-28
   * lists are told of without being asked for.
   */
  listen(notifications: Subscription): Promise<Subscribed> {
    return listen(this.#connection, notifications, (method) => this.nextNotice(method))
  }

  /** The next notice of this method. Ask before the change that it tells of. */
  nextNotice(method: string): Promise<JsonRpcNotification> {
    return new Promise((resolve) => this.#waiting.push({ method, resolve }))
  }

  /** As when the connection breaks: running calls and subscriptions end. */
  close(): void {
    this.#connection.close()
  }

  async #list<T>(method: string, member: string): Promise<T[]> {
    const items: T[] = []
    let cursor: string | undefined
    try {
      do {
        const result = await this.request(method, cursor === undefined ? {} : { cursor })
        items.push(...(result[member] as T[]))
        cursor = result.nextCursor as string | undefined
      } while (cursor !== undefined)
    } catch (error) {
      // A router without any does not advertise the list, and clients do not ask for it.
      if (!(error instanceof McpError) || error.code !== ErrorCode.MethodNotFound) throw error
    }
    return items
  }

  #take(notice: JsonRpcNotification): void {
    this.notices.push(notice)
    const { progressToken: _, _meta, ...params } = notice.params ?? {}
    if (notice.method === 'notifications/progress') this.progress.push(params as unknown as Progress)
    if (notice.method === 'notifications/message') this.logs.push(params as unknown as LogNotice)
    const index = this.#waiting.findIndex(({ method }) => method === notice.method)
    if (index >= 0) this.#waiting.splice(index, 1)[0]?.resolve(notice)
  }
}
