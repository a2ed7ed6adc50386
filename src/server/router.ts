/** `McpRouter`: registers tools, resources, prompts and middleware, and handles messages. */

import type { Caller, Middleware, Register } from '../definitions/context.js'
import {
  callSiteOf,
  type Definition,
  type DefinitionParts,
  definition,
  partsOf,
} from '../definitions/define.js'
import type { Kind } from '../definitions/entries.js'
import {
  type Handle,
  type HandleKind,
  type ListedKind,
  membersOf,
  toHandle,
  toRouteHandle,
} from '../definitions/handles.js'
import { obstacles } from '../definitions/inputs.js'
import type {
  NoInput,
  NoOutput,
  PromptOptions,
  ResourceOptions,
  TemplateVariables,
  ToolOptions,
} from '../definitions/options.js'
import { aMiddleware } from '../definitions/tables.js'
import { toEntry } from '../definitions/to-entry.js'
import { type Notify, toNotify } from '../notifications/notify.js'
import type {
  CallToolResult,
  GetPromptResult,
  JsonRpcResponse,
  ReadResourceResult,
} from '../protocol/types.js'
import type { Schema, StandardSchemaV1 } from '../schema/types.js'
import { checkOptions, milliseconds } from '../support/check-options.js'
import { isNoOp, type Logger } from '../support/logger.js'
import { describe } from '../support/values.js'
import type { Tracer } from '../tracing/tracer.js'
import type { Core } from './core.js'
import { closeCore, createCore } from './create-core.js'
import { handleMessage, runInProcess } from './in-process.js'
import type { RouterOptions } from './router-options.js'
import { runnerHost } from './task-worker.js'

const coreKey = Symbol.for('mcp-router.core')

/** The type of `router.add()`'s argument: no promise (a forgotten `await`), and no class instead of an instance. */
interface Plain {
  readonly then?: never
  readonly prototype?: never
}

/** Counters since the start. */
export interface RouterStats {
  /** Requests served. */
  readonly calls: number
  /** Requests running now. */
  readonly running: number
  /** Streams open now. */
  readonly streams: number
  /** Sessions handed out. */
  readonly sessions: number
  /** Refusals and faults. */
  readonly errors: number
}

/**
 * An MCP server that can be mounted anywhere. Define tools once at start; it serves any number of clients of any revision.
 *
 * ```ts
 * const router = new McpRouter({ name: 'task-api', version: '1.0.0' })
 * router.tool('task_list', { description: 'List tasks', input: z.object({ … }), handler: ({ status }, ctx) => … })
 * ```
 *
 * The type argument is the type of `ctx` additions, for programs with several apps. Otherwise declare `Register` once.
 */
export class McpRouter<E extends object = Register> {
  /** @internal */
  readonly [coreKey]: Core
  /** Distinguishes routers of different type arguments. Never set. */
  declare readonly environment?: ((context: E) => void) | undefined
  /** Notifies clients of changes, from anywhere in the app. */
  readonly notify: Notify

  /** @throws TypeError for unknown options and wrong values. */
  constructor(options: RouterOptions = {}) {
    this[coreKey] = createCore(options)
    this[coreKey].runner = options.tasks?.runner?.(runnerHost(this[coreKey]))
    this.notify = toNotify(this[coreKey].notifications)
  }

  /** Defines a tool. @throws TypeError or Error when it cannot be served, or its name is taken. */
  tool<const I extends Schema = NoInput, const O extends Schema = NoOutput, const R extends boolean = false>(
    name: string,
    options: ToolOptions<I, O, E, R>,
  ): Handle<'tool'> {
    return this.#add(definition({ kind: 'tool', name, place: callSiteOf(this.tool) }, options), name)
  }

  /** Defines a resource; a URI with variables is a template. @throws TypeError or Error as `tool` does. */
  resource<
    const U extends string,
    const I extends Schema = StandardSchemaV1<TemplateVariables<U>>,
    const R extends boolean = false,
  >(uri: U, options: ResourceOptions<U, I, E, R>): Handle<'resource'> {
    return this.#add(
      definition({ kind: 'resource', uri, place: callSiteOf(this.resource) }, options),
      undefined,
    )
  }

  /** Defines a prompt. @throws TypeError or Error as `tool` does. */
  prompt<const I extends Schema = NoInput, const R extends boolean = false>(
    name: string,
    options: PromptOptions<I, E, R>,
  ): Handle<'prompt'> {
    return this.#add(definition({ kind: 'prompt', name, place: callSiteOf(this.prompt) }, options), name)
  }

  /**
   * Adds what `tool()`, `resource()` and `prompt()` made: the members of a record, a module's exports, a class
   * instance's fields (the key is the name unless `name` is given), or an array. Other members are left alone.
   * @throws TypeError when there is no definition in it.
   */
  add<D extends object>(definitions: D & Plain): this {
    for (const [key, member] of membersOf(definitions)) this.#add(member, key)
    return this
  }

  /** Middleware around every call, outermost first. */
  use(middleware: Middleware<E>): this
  /** Mounts another router. Its tools and prompts are named `prefix_…`; its middleware applies. */
  use(prefix: string, router: McpRouter<E>): this
  use(first: Middleware<E> | string, router?: McpRouter<E>): this {
    const { registry } = this[coreKey]
    if (typeof first === 'function') {
      aMiddleware(first, 'use(): expected the middleware')
      registry.use(first as unknown as Middleware)
      return this
    }
    const child = (router as Partial<McpRouter<E>> | undefined)?.[coreKey]
    if (typeof first !== 'string' || child === undefined) {
      const came = router === undefined ? describe(first) : `${describe(first)} and ${describe(router)}`
      throw new TypeError(`use(): expected a middleware function, or a prefix and a McpRouter; got ${came}`)
    }
    registry.mount(first, child.registry)
    this[coreKey].routes.addMounted(child.routes)
    return this
  }

  /** Returns the handle of a definition, including those of mounted routers. Resources are found by URI. */
  get(kind: HandleKind, name: string): Handle | undefined {
    this[coreKey].routes.refresh()
    const served = kindsOf(kind).map((inner) => this[coreKey].registry.catalog()[inner].byKey.get(name))
    const found = served.find((one) => one !== undefined)
    return found && toHandle(found.registration, found.name)
  }

  has(kind: HandleKind, name: string): boolean {
    this[coreKey].routes.refresh()
    return kindsOf(kind).some((inner) => this[coreKey].registry.catalog()[inner].byKey.has(name))
  }

  /**
   * Returns every definition in the order of the lists: tools, resources, templates, prompts. Then the app's routes that
   * aren't tools, each with the reason. `app`: the app to read, before its first request.
   * @throws TypeError if no mount of this router can read `app`.
   */
  list({ app }: { app?: object | undefined } = {}): Handle<ListedKind>[] {
    const { routes } = this[coreKey]
    if (app !== undefined) routes.open(app)
    routes.refresh({ all: true })
    const { tool, resource, template, prompt } = this[coreKey].registry.catalog()
    const served = [...tool.items, ...resource.items, ...template.items, ...prompt.items]
    const others = routes.reports().filter((route) => route.tool === undefined)
    return [
      ...served.map(({ registration, name }) => toHandle(registration, name)),
      ...others.map(toRouteHandle),
    ]
  }

  /** Removes a definition. Returns false if there was none. */
  remove(kind: HandleKind, name: string): boolean {
    const handle = this.get(kind, name)
    return handle === undefined ? false : handle.remove()
  }

  /**
   * Calls a tool in process, as `caller`. A failure that a model would read is a result with `isError`.
   * @throws McpError for what a client would get as a JSON-RPC error.
   */
  async call(name: string, args: object = {}, caller: Caller<E> = {}): Promise<CallToolResult> {
    return runInProcess(this[coreKey], 'tool', { name, arguments: args }, caller as Caller)
  }

  /** Reads a resource in process, as `caller`. @throws McpError when it does not exist or fails. */
  async read(uri: string, caller: Caller<E> = {}): Promise<ReadResourceResult> {
    return runInProcess(this[coreKey], 'resource', { uri }, caller as Caller)
  }

  /** Gets a prompt in process, as `caller`. @throws McpError when it does not exist or fails. */
  async getPrompt(
    name: string,
    args: Record<string, string> = {},
    caller: Caller<E> = {},
  ): Promise<GetPromptResult> {
    return runInProcess(this[coreKey], 'prompt', { name, arguments: args }, caller as Caller)
  }

  /**
   * One JSON-RPC message in, its answer out: for transports of your own. Notifications and posted responses have no
   * answer; a batch (2025-03-26) has an array. Pass the same `caller` object for every message of one connection, so
   * that cancellation finds the call. Never rejects.
   */
  async handle(
    message: unknown,
    caller: Caller<E> = {},
  ): Promise<JsonRpcResponse | JsonRpcResponse[] | undefined> {
    return handleMessage(this[coreKey], message, caller as Caller)
  }

  /**
   * Compiles the validators of hand-written JSON Schema, which otherwise happens at the first call. A process that only
   * runs tasks, without a mount, starts with it.
   * @throws AggregateError naming each definition that this platform can't serve without `schemas`, and each route that
   * can't become a tool as configured.
   */
  async ready(): Promise<void> {
    const { registry, routes } = this[coreKey]
    routes.refresh()
    await routes.whenDocumentsRead()
    const errors = [...registry.entries().flatMap(obstacles), ...routes.errors]
    if (errors.length > 0) {
      throw new AggregateError(errors, errors.map(({ message }) => message).join('; '))
    }
    this[coreKey].runner?.work()
  }

  stats(): RouterStats {
    const { counts, inFlight } = this[coreKey]
    return { ...counts, running: inFlight.size }
  }

  /**
   * Refuses new requests (over HTTP with 503 and `Retry-After`) and tasks, ends notification streams, waits up to `drainMs`
   * (default 10,000) for running calls, then aborts them. Resolves when no call runs. Doesn't close the option `store`.
   */
  async close(options: { drainMs?: number | undefined } = {}): Promise<void> {
    checkOptions('close()', options, { known: { drainMs: milliseconds } })
    const { drainMs = 10_000 } = options
    await closeCore(this[coreKey], drainMs)
  }

  #add<K extends HandleKind>(member: Definition<K, never>, name: string | undefined): Handle<K> {
    const { registry } = this[coreKey]
    const entry = toEntry(partsOf(member) as DefinitionParts, name, registry.defaults)
    return toHandle(registry.add(entry), entry.name) as Handle<K>
  }
}

/** Returns the core of a router, for mounts. Works across copies of the package. */
export function coreOf(router: McpRouter<never> | McpRouter<object>): Core {
  const core = (router as Partial<McpRouter<object>> | undefined)?.[coreKey]
  if (core === undefined) throw new TypeError(`expected a McpRouter, got ${describe(router)}`)
  return core
}

/** Sets the framework's logger, for mounts. Ignored if the router has the option `logger`. */
export function adoptLogger(router: McpRouter<never> | McpRouter<object>, logger: Logger): void {
  if (!isNoOp(logger)) coreOf(router).moveLog?.(logger)
}

function kindsOf(kind: HandleKind): readonly Kind[] {
  if (!['tool', 'resource', 'prompt'].includes(kind)) {
    throw new TypeError(`expected the kind to be tool, resource or prompt; got ${describe(kind)}`)
  }
  return kind === 'resource' ? ['resource', 'template'] : [kind]
}

/**
 * Runs `tracer` around every request, notification and client request.
 * @throws Error if the router has a tracer already: every request would be traced twice.
 */
export function traceRequests(router: McpRouter<never> | McpRouter<object>, tracer: Tracer): void {
  const core = coreOf(router)
  if (core.tracer !== undefined) throw new Error('this router is instrumented already; do it once')
  core.tracer = tracer
}
