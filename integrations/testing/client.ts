/** `TestClient`: an MCP client in the same process, with one method for each request. */

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

/** A log notification, sent by `ctx.log`. */
export interface LogNotice {
  readonly level: LoggingLevel
  /** The tool, prompt or resource that logged it. */
  readonly logger?: string | undefined
  readonly data: unknown
}

/** The result of `server/discover` or `initialize`. */
export interface ServerInfo extends Result {
  readonly capabilities: ClientCapabilities
  readonly instructions?: string
  /** The server's name and version, before 2026-07-28. Since then they are in the `_meta` of every result. */
  readonly serverInfo?: Implementation
}

/** The prompt or resource template whose argument is completed. */
export type CompletionRef = { readonly prompt: string } | { readonly resource: string }

/**
 * A client in the same process. Methods reject with `McpError` for a JSON-RPC error. A tool failure that the model sees is
 * a result with `isError`.
 */
export class TestClient {
  /** The revision that the client uses. */
  readonly protocolVersion: string
  /** All notifications received, oldest first. Tests may clear the array. */
  readonly notices: JsonRpcNotification[] = []
  /** All progress reported by `ctx.progress()`, oldest first. Tests may clear the array. */
  readonly progress: Progress[] = []
  /** All messages logged by `ctx.log`, oldest first. Tests may clear the array. */
  readonly logs: LogNotice[] = []
  /** All elicitation, sampling and roots requests of the router, oldest first. Tests may clear the array. */
  readonly asked: AskedOfCaller[] = []
  readonly #connection: Connection
  readonly #waiting: {
    readonly method: string
    readonly resolve: (notification: JsonRpcNotification) => void
  }[] = []

  /** @internal */
  constructor(router: McpRouter<object>, options: AnyTestClientOptions) {
    this.#connection = new Connection(router, options, {
      onNotification: (notification) => this.#receive(notification),
      onRequest: (request) => this.asked.push(request),
    })
    this.protocolVersion = this.#connection.protocolVersion
  }

  /** Returns the capabilities and instructions, from `server/discover` or `initialize`. */
  async server(): Promise<ServerInfo> {
    return (await this.#connection.server()) as ServerInfo
  }

  /** Returns all pages of the tools that this caller sees. Empty if the router has no tools. */
  async listTools(): Promise<ListedTool[]> {
    return this.#list('tools/list', 'tools')
  }

  /** Returns all pages of resources, including those that templates list. */
  async listResources(): Promise<ListedResource[]> {
    return this.#list('resources/list', 'resources')
  }

  /** Returns all pages of resource templates. */
  async listResourceTemplates(): Promise<ListedTemplate[]> {
    return this.#list('resources/templates/list', 'resourceTemplates')
  }

  /** Returns all pages of prompts. */
  async listPrompts(): Promise<ListedPrompt[]> {
    return this.#list('prompts/list', 'prompts')
  }

  /** Calls a tool. The options `elicit`, `sample` and `roots` answer its requests. */
  async callTool(name: string, args: object = {}, options: RequestOptions = {}): Promise<CallToolResult> {
    return (await this.request('tools/call', { name, arguments: args }, options)) as unknown as CallToolResult
  }

  /** Reads a resource. */
  async readResource(uri: string, options: RequestOptions = {}): Promise<ReadResourceResult> {
    return (await this.request('resources/read', { uri }, options)) as unknown as ReadResourceResult
  }

  /** Gets a prompt. */
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

  /** Returns suggestions for one argument. `chosen`: the arguments that already have values. */
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

  /** Sends any other request. Answers the router's requests on the way and returns the whole result. */
  request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    return this.#connection.request(method, params, options)
  }

  /** Sends a notification. */
  notify(method: string, params: Params = {}): Promise<void> {
    return this.#connection.notify(method, params)
  }

  /**
   * Subscribes to changes, and resolves once the router sends them. Notifications go to `notices` and `nextNotice()`.
   * Before 2026-07-28 routers send list changes without a subscription.
   */
  listen(notifications: Subscription): Promise<Subscribed> {
    return listen(this.#connection, notifications, (method) => this.nextNotice(method))
  }

  /** Resolves to the next notification of this method. Call it before the change happens. */
  nextNotice(method: string): Promise<JsonRpcNotification> {
    return new Promise((resolve) => this.#waiting.push({ method, resolve }))
  }

  /** Disconnects: running calls and subscriptions end. */
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
      // A router without such items doesn't support the method, and real clients wouldn't send it.
      if (!(error instanceof McpError) || error.code !== ErrorCode.MethodNotFound) throw error
    }
    return items
  }

  #receive(notification: JsonRpcNotification): void {
    this.notices.push(notification)
    const { progressToken: _, _meta, ...params } = notification.params ?? {}
    if (notification.method === 'notifications/progress') this.progress.push(params as unknown as Progress)
    if (notification.method === 'notifications/message') this.logs.push(params as unknown as LogNotice)
    const index = this.#waiting.findIndex(({ method }) => method === notification.method)
    if (index >= 0) this.#waiting.splice(index, 1)[0]?.resolve(notification)
  }
}
