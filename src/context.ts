/** What handlers, middleware and `visible` are given: the types. `src/call.ts` builds them. */

import type { ClientCapabilities, JsonRpcNotification } from './protocol/types.js'

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

/** The principal of a checked token. */
export interface Auth {
  readonly token?: string | undefined
  readonly subject: string
  readonly clientId?: string | undefined
  readonly scopes: readonly string[]
  readonly tenant?: string | undefined
  readonly claims: Readonly<Record<string, unknown>>
}

/** Self-reported by the client: display only, never a decision. */
export interface ClientInfo {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly capabilities: ClientCapabilities
}

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
  /** Aborts on cancel, time-out, shutdown, and when nobody can get the answer any more. */
  readonly signal: AbortSignal
  readonly log: ContextLog
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

/** The caller, once the host has been asked. */
export interface Identity {
  readonly user: unknown
  readonly auth: Auth | undefined
  /** What `context(req)` returned. */
  readonly context: object | undefined
}

/** One call on its way through middleware. */
export interface Call<E extends object = Register> {
  /** `tools/call`, `resources/read`, `prompts/get` or `completion/complete`. */
  readonly method: string
  /** The tool's or prompt's name, or the URI. */
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

/** Who sends a message to `router.handle()`, and how to reach them. All of it is optional. */
export interface Caller<E extends object = Register> {
  readonly user?: Context<E>['user'] | undefined
  readonly auth?: Auth | undefined
  readonly request?: RequestInfo | undefined
  /** Merged into `ctx`: what a mount's `context(req)` returns. */
  readonly context?: Omit<E, 'user'> | undefined
  /** What `initialize` agreed on with this peer. Default 2025-03-26. Ignored by 2026-07-28 messages. */
  protocolVersion?: string | undefined
  client?: ClientInfo | undefined
  readonly sessionId?: string | undefined
  /** Aborts when nobody can get the answer any more. */
  readonly signal?: AbortSignal | undefined
  /** Takes progress and log notices of the running call. Returns false when they cannot be sent. */
  readonly send?: ((message: JsonRpcNotification) => boolean | undefined) | undefined
}
