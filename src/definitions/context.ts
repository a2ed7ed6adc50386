/** Types of the arguments of handlers, middleware and `visible`. `src/calls/create-context.ts` builds `ctx`. */

import type { Auth, ClientInfo } from '../protocol/identity.js'
import type { CreateMessageParams, CreateMessageResult } from '../protocol/sampling.js'
import type { JsonRpcNotification, JsonRpcRequest, Root } from '../protocol/types.js'
import type { Parsed, Schema } from '../schema/types.js'
import type { Session } from '../sessions/session-values.js'

/** A value or a promise of it. (`Promise` next to `PromiseLike` saves the compiler an expensive comparison.) */
export type Awaitable<T> = T | Promise<T> | PromiseLike<T>

/**
 * Types `ctx` for the whole program. Declare it once, in a file that is a module:
 *
 * ```ts
 * declare module 'mcp-router' {
 *   interface Register { user: User; db: Db }   // user: from the login; the rest: what `context(req)` returns
 * }
 * ```
 *
 * If callers can be anonymous, declare `user: User | undefined`; `requireUser: true` narrows it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled in by the app
export interface Register {}

/** The HTTP request that carried the call. */
export interface RequestInfo {
  readonly method: string
  /** Path and query as the client sent them, with every mount prefix. */
  readonly url: string
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The client's address, as the framework determines it from its proxy settings. */
  readonly ip: string | undefined
  /** The framework's own request. */
  // biome-ignore lint/suspicious/noExplicitAny: each framework has its own; users know theirs
  readonly raw: any
}

/** A form with strings, numbers, booleans and choices (specification, Elicitation, Requested schema). */
export interface ElicitForm<S extends Schema> {
  /** The question to show to the user. Never ask for secrets in a form. */
  readonly message: string
  /** A flat object schema from any library, or JSON Schema. It checks and types the answer. */
  readonly schema: S
  /** Identifies the question when the handler runs again. Default: derived from the question, with a counter. */
  readonly key?: string | undefined
  readonly url?: undefined
}

/** A page that the user opens, for logins, payments and secrets. */
export interface ElicitPage {
  readonly message: string
  /** An http or https URL without secrets. */
  readonly url: string
  /** Identifies the question, as in `ElicitForm`. Needed if the URL differs between runs. */
  readonly key?: string | undefined
  readonly schema?: undefined
}

/** The user's answer to an elicitation. */
export type Elicited<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined }

type LogMethod = (message: string, data?: unknown) => boolean

/**
 * Sends log messages to the client, at the level it set, and to the router's logger. Never throws. A method returns
 * false if the client was not sent the message.
 */
export interface ContextLog {
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly notice: LogMethod
  /** The same as `warning`. */
  readonly warn: LogMethod
  readonly warning: LogMethod
  readonly error: LogMethod
  readonly critical: LogMethod
  readonly alert: LogMethod
  readonly emergency: LogMethod
}

/** Members that every `ctx` has, whatever `Register` adds. */
export interface BaseContext {
  /** The user that the host app's login put on the request. Type `unknown` unless `Register` declares it. */
  readonly user: unknown
  /** Set if this package verified a token. */
  readonly auth: Auth | undefined
  /** `undefined` if the call did not arrive in an HTTP request. */
  readonly request: RequestInfo | undefined
  readonly client: ClientInfo | undefined
  readonly protocolVersion: string
  /** Set for legacy clients only. */
  readonly sessionId: string | undefined
  /** Values that live as long as a legacy client's session; `undefined` without a session. */
  readonly session: Session | undefined
  /** Aborts on cancellation, timeout, shutdown, and when the client can no longer receive the response. */
  readonly signal: AbortSignal
  readonly log: ContextLog
  /**
   * Asks the user to fill in a form. With a legacy client, waits for the answer. With a 2026-07-28 client, ends this
   * run; the client calls again with the answer. Put side effects that must not happen twice into `once()`.
   * @throws McpError if the client does not support elicitation, or its answer does not match the schema.
   */
  elicit<const S extends Schema>(form: ElicitForm<S>): Promise<Elicited<Parsed<S>>>
  /**
   * Asks the user to open a page. `accept` means that the user agreed to open it; the page itself reports what happens
   * there.
   */
  elicit(page: ElicitPage): Promise<Elicited<undefined>>
  /** Requests a message from the client's model (sampling). */
  sample(request: CreateMessageParams & { readonly key?: string | undefined }): Promise<CreateMessageResult>
  /** Lists the client's roots. They are advisory, not access control. */
  roots(options?: { readonly key?: string | undefined }): Promise<Root[]>
  /**
   * Runs `work` once, even if the handler runs several times because it asks the client. The result is stored as JSON
   * for `stateTtlMs` of the router. Errors are not stored.
   */
  once<T>(key: string, work: () => T | PromiseLike<T>): Promise<T>
  /**
   * Closes the connection of this call for 2025-11-25 clients with a session. The client reconnects for the response
   * after `retryMs` (default 1,000). Returns false without doing anything for other clients.
   */
  closeStream(options?: { readonly retryMs?: number | undefined }): boolean
  /**
   * Reports progress. Returns false without doing anything if the client did not request progress or the call has
   * ended.
   */
  progress(done: number, total?: number, message?: string): boolean
}

/** `ctx` in handlers, completers and middleware. */
export type Context<E extends object = Register> = BaseContext & E

/** `ctx` in resource handlers. `uri` is the requested URI. */
export type ResourceContext<E extends object = Register> = Context<E> & { readonly uri: string }

/** `requireUser: true` narrows `ctx.user`. */
export type WithUser<C extends { readonly user: unknown }, R> = R extends true
  ? C & { readonly user: NonNullable<C['user']> }
  : C

/** Members that `visible` may read. Lists must not depend on a connection. */
export type VisibleCaller<E extends object = Register> = Pick<BaseContext, 'user' | 'auth' | 'request'> & E

/** One call as middleware sees it. */
export interface Call<E extends object = Register> {
  /**
   * `tools/call`, `resources/read`, `prompts/get`, `completion/complete`, or `resources/list` for the `list` function
   * of a template.
   */
  readonly method: string
  /** The name of the tool or prompt, or the URI. For `resources/list`, the name of the template. */
  readonly name: string
  /** Validated arguments, with defaults applied. */
  readonly input: unknown
  readonly ctx: Context<E>
}

/**
 * Wraps calls, outermost first. `next()` resolves to the handler's return value; the middleware's return value replaces
 * it. Throw to reject the call.
 */
export type Middleware<E extends object = Register> = (call: Call<E>, next: () => Promise<unknown>) => unknown

/** A request from a handler to the client, as it is sent. */
export interface AskedOfCaller {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Typed as a method so that TypeScript compares it bivariantly: a `Caller` of one app is passed on as a `Caller` of any
 * app.
 */
export type UserIdOption<E extends object> = {
  of(user: NonNullable<Context<E>['user']>): string | number | undefined
}['of']

/** The sender of a message for `router.handle()`, and how to reach it. All members are optional. */
export interface Caller<E extends object = Register> {
  readonly user?: Context<E>['user'] | undefined
  /**
   * Returns a stable id of a user, like the mount option of the same name. Client requests and tasks are bound to this
   * id.
   */
  readonly userId?: UserIdOption<E> | undefined
  readonly auth?: Auth | undefined
  /**
   * Scopes to enforce against `scopes` of definitions. Default: those of `auth`. Without either, scopes are not
   * enforced.
   */
  readonly scopes?: readonly string[] | undefined
  readonly request?: RequestInfo | undefined
  /** Merged into `ctx`, like the result of a mount's `context(req)`. */
  readonly context?: Omit<E, 'user'> | undefined
  /**
   * The revision negotiated with this peer by `initialize`. Default: with `send` and `signal`, the revision that
   * `initialize` negotiates later; otherwise 2025-03-26. Ignored for 2026-07-28 messages.
   */
  protocolVersion?: string | undefined
  client?: ClientInfo | undefined
  readonly sessionId?: string | undefined
  /** Aborts when the client can no longer receive the response: at the end of the connection, if there is one. */
  readonly signal?: AbortSignal | undefined
  /**
   * Sends messages to the client: progress and log notifications of the running call, notifications of a subscription,
   * and requests to a legacy client. Pass the client's response to `router.handle()` with the same caller. With
   * `signal`, clients before 2026-07-28 also get change notifications, from their handshake until the signal aborts.
   * Returns false if a message cannot be sent.
   */
  readonly send?: ((message: JsonRpcNotification | JsonRpcRequest) => boolean | undefined) | undefined
  /**
   * Answers requests that a handler makes during an in-process call: `elicitation/create`, `sampling/createMessage` or
   * `roots/list`, with their parameters. For `router.call()`, `read()` and `getPrompt()`. Without `ask`, such requests
   * are rejected.
   */
  readonly ask?: ((request: AskedOfCaller) => unknown) | undefined
}
