/** The common road of everything that runs an author's code: find, gate, context, middleware, handler. */

import type { BaseContext, Call, ContextLog, Identity, Middleware } from './context.js'
import type { Core } from './core.js'
import type { Entry, Handler } from './definitions/entries.js'
import type { Served } from './definitions/registry.js'
import { ErrorCode, refusal } from './errors.js'
import type { Exchange } from './exchange.js'
import { report } from './failures/report.js'
import { compose } from './middleware.js'
import { isObject, valueAt } from './protocol/jsonrpc.js'
import type { ClientCapabilities, LoggingLevel } from './protocol/types.js'
import { isThenable } from './thenable.js'

/** Whether this caller may know of a definition. One whose `visible` fails stays hidden, and the log says why. */
export function isVisible(entry: Entry, exchange: Exchange, identity: Identity): boolean {
  const { visible } = entry.options
  if (visible === undefined) return true
  const { user, auth, context } = identity
  try {
    const shown: unknown = visible({ ...context, user, auth, request: exchange.peer.request } as never)
    if (isThenable(shown)) throw new TypeError('`visible` returned a promise: expected true or false')
    return shown === true
  } catch (error) {
    report(exchange, error, { owner: `visible of ${entry.kind} "${entry.name}"` })
    return false
  }
}

/** Refuses anonymous callers and clients that lack what the definition needs. */
export function gate(entry: Entry, exchange: Exchange, identity: Identity): void {
  if (entry.requireUser) assertUser(identity)
  if (entry.needs.length > 0) assertCapabilities(entry, exchange)
}

/** 401: the answer to an anonymous caller where a user is required. */
export function assertUser({ user }: Identity): void {
  if (user !== undefined && user !== null) return
  throw refusal(ErrorCode.Unauthorized, 'Sign in to use this', {
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}

/** One run of a definition for one caller. */
export interface Invocation {
  readonly served: Served
  readonly exchange: Exchange
  readonly identity: Identity
  /** What middleware calls it: the name, or the URI asked for. */
  readonly name: string
  /** Checked. */
  readonly input: unknown
  /** Added to `ctx`. */
  readonly extra?: { readonly uri: string }
}

/** Runs a handler inside its middleware; what is thrown goes through. */
export function invoke(
  { served, exchange, identity, name, input, extra }: Invocation,
  handler: Handler,
): unknown {
  const ctx = contextOf(exchange, identity, served.name)
  if (extra !== undefined) Object.assign(ctx, extra)
  // What `Register` promises is in ctx: the host's user() and context() put it there.
  const call = { method: exchange.request.method, name, input, ctx } as unknown as Call
  const run = (): unknown =>
    compose(
      served.middleware,
      call,
      (value) => handler(value, ctx),
      (layer) => warnDropped(exchange.core, layer),
    )
  return exchange.settle(`${served.entry.kind} "${served.key}"`, served.entry.timeoutMs, run)
}

function warnDropped({ log, warnedOf }: Core, middleware: Middleware): void {
  if (warnedOf.has(middleware)) return
  warnedOf.add(middleware)
  const name = middleware.name === '' ? 'a middleware' : `the middleware ${middleware.name}`
  log.warn(`${name} dropped the result: it returned nothing; \`return next()\`, or what next() resolved to`)
}

/** Builds `ctx`. Throws when the host's `context(req)` would hide one of our own names. */
export function contextOf(exchange: Exchange, identity: Identity, name: string): BaseContext {
  const ctx = new CallContext(exchange, identity, name)
  const { context } = identity
  if (context !== undefined) addContext(ctx, context)
  return ctx
}

/** Every name that `ctx` has, or is going to have. */
const reserved: ReadonlySet<string> = new Set([
  'user',
  'auth',
  'request',
  'client',
  'protocolVersion',
  'sessionId',
  'session',
  'signal',
  'uri',
  'log',
  'progress',
  'elicit',
  'sample',
  'roots',
  'once',
  'closeStream',
  'constructor',
  '__proto__',
])

function addContext(ctx: object, context: object): void {
  for (const key of Object.keys(context)) {
    if (reserved.has(key))
      throw new Error(`context(): \`${key}\` would hide ctx.${key}; return it under another name`)
    ;(ctx as Record<string, unknown>)[key] = (context as Record<string, unknown>)[key]
  }
}

/** The exchange behind a `ctx` of ours: for handlers of this package. @throws TypeError for any other object. */
export function exchangeOf(ctx: unknown): Exchange {
  return CallContext.exchangeOf(ctx as CallContext)
}

class CallContext implements BaseContext {
  readonly user: unknown
  readonly auth: BaseContext['auth']
  readonly request: BaseContext['request']
  readonly client: BaseContext['client']
  readonly protocolVersion: string
  readonly sessionId: string | undefined
  readonly #exchange: Exchange
  readonly #name: string
  #log: ContextLog | undefined

  constructor(exchange: Exchange, { user, auth }: Identity, name: string) {
    this.user = user
    this.auth = auth
    this.request = exchange.peer.request
    this.client = exchange.client
    this.protocolVersion = exchange.revision.version
    this.sessionId = exchange.sessionId
    this.#exchange = exchange
    this.#name = name
  }

  static exchangeOf(ctx: CallContext): Exchange {
    return ctx.#exchange
  }

  get signal(): AbortSignal {
    return this.#exchange.signal
  }

  get log(): ContextLog {
    this.#log ??= logFor(this.#exchange, this.#name)
    return this.#log
  }

  progress(done: number, total?: number, message?: string): boolean {
    return this.#exchange.progress(done, total, message)
  }
}

const logMethods = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
} as const

function logFor(exchange: Exchange, name: string): ContextLog {
  const entries = Object.entries(logMethods).map(([method, own]) => {
    const level = (method === 'warn' ? 'warning' : method) as LoggingLevel
    const write = (message: string, data?: unknown): boolean => {
      exchange.core.log[own](message, { name, ...(data !== undefined && { data }) })
      return exchange.log(level, name, data === undefined ? message : { message, data })
    }
    return [method, write]
  })
  return Object.fromEntries(entries) as ContextLog
}

function assertCapabilities(entry: Entry, exchange: Exchange): void {
  const declared = exchange.client?.capabilities ?? {}
  const missing = entry.needs.filter((need) => !has(declared, need))
  if (missing.length === 0) return
  const message = `${entry.kind} "${entry.name}" needs a client with ${missing.join(', ')}`
  const data = { requiredCapabilities: toCapabilities(missing) }
  if (exchange.revision.era === 'legacy') throw refusal(ErrorCode.InvalidRequest, message, { data })
  throw refusal(ErrorCode.MissingRequiredClientCapability, message, { data, status: 400 })
}

function has(declared: ClientCapabilities, need: string): boolean {
  // A bare `elicitation: {}` means forms; one that names only `url` has no forms.
  const { elicitation } = declared
  if (need === 'elicitation' && isObject(elicitation)) return 'form' in elicitation || !('url' in elicitation)
  return isObject(valueAt(declared, need.split('.')))
}

/** `['sampling.tools']` as the ClientCapabilities object that error -32021 carries. */
function toCapabilities(needs: readonly string[]): Record<string, object> {
  const capabilities: Record<string, Record<string, object>> = {}
  for (const need of needs) {
    const [name = '', part] = need.split('.')
    const capability = capabilities[name] ?? {}
    if (part !== undefined) capability[part] = {}
    capabilities[name] = capability
  }
  return capabilities
}
