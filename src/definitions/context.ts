/** What handlers, middleware and `visible` are given: the types. `src/calls/create-context.ts` builds `ctx`. */

import type { Auth, ClientInfo } from '../protocol/identity.js'
import type { CreateMessageParams, CreateMessageResult } from '../protocol/sampling.js'
import type { JsonRpcNotification, JsonRpcRequest, Root } from '../protocol/types.js'
import type { Parsed, Schema } from '../schema/types.js'
import type { Session } from '../sessions/session-values.js'

/** A value or a promise of it. (`Promise` beside `PromiseLike` spares the compiler a long comparison.) */
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
 * Anonymous callers are possible? Say `user: User | undefined`; `requireUser: true` narrows it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled in by the app
export interface Register {}

/** The HTTP request that carried the call. */
export interface RequestInfo {
  readonly method: string
  /** Path and query as the client sent them, with every mount prefix. */
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The client's address, by the framework's own proxy rules. */
  readonly ip: string | undefined
  /** The framework's own request. */
  // biome-ignore lint/suspicious/noExplicitAny: each framework has its own; users know theirs
  readonly raw: any
}

/** A form of strings, numbers, booleans and choices (specification, Elicitation, Requested schema). */
export interface ElicitForm<S extends Schema> {
  /** What to ask, for the user. Never ask for secrets in a form. */
  readonly message: string
  /** A flat object. Any library, or JSON Schema; the answer is checked and typed by it. */
  readonly schema: S
  /** Names the question where the handler runs again. Default: made of the question itself, with a counter. */
  readonly key?: string | undefined
  readonly url?: undefined
}

/** A page for the user to open: for logins, payments and secrets. */
export interface ElicitPage {
  readonly message: string
  /** http or https, without anything secret in it. */
  readonly url: string
  /** As of a form; needed where the URL differs from run to run. */
  readonly key?: string | undefined
  readonly schema?: undefined
}

/** What the user did. */
export type Elicited<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined }

type LogMethod = (message: string, data?: unknown) => boolean

/** Sends to the client at the level it asked for, and to the router's logger. Never throws; false: not sent. */
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

/** What every `ctx` has, whatever `Register` adds. */
export interface BaseContext {
  /** What the host app's own login put on the request. Undeclared it is `unknown`: see `Register`. */
  readonly user: unknown
  /** Set when a token was checked by this package. */
  readonly auth: Auth | undefined
  /** `undefined` where no HTTP request carried the call. */
  readonly request: RequestInfo | undefined
  readonly client: ClientInfo | undefined
  readonly protocolVersion: string
  /** Legacy clients only. */
  readonly sessionId: string | undefined
  /** Values that live as long as the session of a legacy client; `undefined` where there is none. */
  readonly session: Session | undefined
  /** Aborts on cancel, time-out, shutdown, and when nobody can get the answer any more. */
  readonly signal: AbortSignal
  readonly log: ContextLog
  /**
   * Asks the user to fill in a form. Waits for a legacy client; ends this run for a 2026-07-28 client, which calls
   * again with the answer: what must not happen twice goes into `once()`.
   * @throws McpError where the client cannot be asked, or its answer does not fit the schema.
   */
  elicit<const S extends Schema>(form: ElicitForm<S>): Promise<Elicited<Parsed<S>>>
  /** Asks the user to open a page. `accept`: they agreed to; what they do there, the page tells you. */
  elicit(page: ElicitPage): Promise<Elicited<undefined>>
  /** Asks the client's model for a message. */
  sample(request: CreateMessageParams & { readonly key?: string | undefined }): Promise<CreateMessageResult>
  /** The folders that the client offers. Advisory: no access control. */
  roots(options?: { readonly key?: string | undefined }): Promise<Root[]>
  /**
   * Runs `work` once, however often the client's answers make this handler run; its result travels as JSON. A throw
   * is not remembered. Kept for `stateTtlMs` of the router.
   */
  once<T>(key: string, work: () => T | PromiseLike<T>): Promise<T>
  /**
   * 2025-11-25 clients with a session: closes the connection of this call; the client comes back for the answer after
   * `retryMs` (default 1,000). False, and nothing happens, for all others.
   */
  closeStream(options?: { readonly retryMs?: number | undefined }): boolean
  /** Reports progress; does nothing and returns false when the client asked for none or the call is over. */
  progress(done: number, total?: number, message?: string): boolean
}

/** `ctx` in handlers, completion and middleware. */
export type Context<E extends object = Register> = BaseContext & E

/** `ctx` in resource handlers: `uri` is the URI asked for. */
export type ResourceContext<E extends object = Register> = Context<E> & { readonly uri: string }

/** `requireUser: true` narrows `ctx.user`. */
export type WithUser<C extends { readonly user: unknown }, R> = R extends true
  ? C & { readonly user: NonNullable<C['user']> }
  : C

/** What `visible` may look at: lists must not depend on a connection. */
export type VisibleCaller<E extends object = Register> = Pick<BaseContext, 'user' | 'auth' | 'request'> & E

/** One call on its way through middleware. */
export interface Call<E extends object = Register> {
  /** `tools/call`, `resources/read`, `prompts/get`, `completion/complete`, or `resources/list` for the `list` of a template. */
  readonly method: string
  /** The tool's or prompt's name, or the URI; in `resources/list` that of the template. */
  readonly name: string
  /** Checked arguments, defaults applied. */
  readonly input: unknown
  readonly ctx: Context<E>
}

/**
 * Wraps calls, outermost first. `next()` resolves to what the handler returned; what the middleware returns
 * takes its place. Throwing refuses the call.
 */
export type Middleware<E extends object = Register> = (call: Call<E>, next: () => Promise<unknown>) => unknown

/** One thing that a handler asks, as the wire has it. */
export interface AskedOfCaller {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

/** As a method it is compared loosely: a caller is handed on as one of any app. */
export type UserIdOption<E extends object> = {
  of(user: NonNullable<Context<E>['user']>): string | number | undefined
}['of']

/** Who sends a message to `router.handle()`, and how to reach them. All of it is optional. */
export interface Caller<E extends object = Register> {
  readonly user?: Context<E>['user'] | undefined
  /** The stable id of a user, as the mount option of this name: what questions and tasks are bound to. */
  readonly userId?: UserIdOption<E> | undefined
  readonly auth?: Auth | undefined
  /** Enforces `scopes` of definitions. Default: those of `auth`; without either they are not enforced. */
  readonly scopes?: readonly string[] | undefined
  readonly request?: RequestInfo | undefined
  /** Merged into `ctx`: what a mount's `context(req)` returns. */
  readonly context?: Omit<E, 'user'> | undefined
  /**
   * What `initialize` agreed on with this peer. Default: with `send` and `signal` what it does agree on, else 2025-03-26.
   * Ignored by 2026-07-28 messages.
   */
  protocolVersion?: string | undefined
  client?: ClientInfo | undefined
  readonly sessionId?: string | undefined
  /** Aborts when nobody can get the answer any more: the end of the connection, where there is one. */
  readonly signal?: AbortSignal | undefined
  /**
   * Takes progress and log notices of the running call, what a subscription tells, and what a call asks a legacy client:
   * answer that with `router.handle()` and the same caller. With `signal`, a client before 2026-07-28 is told of changes
   * too, from its handshake until the signal aborts. Returns false for what cannot be sent.
   */
  readonly send?: ((message: JsonRpcNotification | JsonRpcRequest) => boolean | undefined) | undefined
  /**
   * Answers what a call in process asks: `elicitation/create`, `sampling/createMessage` or `roots/list`, with their
   * parameters. For `router.call()`, `read()` and `getPrompt()`; without it asking is refused.
   */
  readonly ask?: ((request: AskedOfCaller) => unknown) | undefined
}
