/** Builds `ctx`, the handler's view of its call. */

import { ClientRequests } from '../client-requests/client-requests.js'
import type { ElicitOptions } from '../client-requests/elicitation.js'
import type { SampleOptions } from '../client-requests/sampling.js'
import type { CallExchange, CallServices } from '../client-requests/services.js'
import type { BaseContext, ContextLog, Elicited } from '../definitions/context.js'
import type { Identity } from '../protocol/identity.js'
import type { CreateMessageResult } from '../protocol/sampling.js'
import type { LoggingLevel, Root } from '../protocol/types.js'
import type { AttachedNotifications } from '../request/attachments.js'
import type { Exchange } from '../request/exchange.js'
import type { Session } from '../sessions/session-values.js'
import { describe } from '../support/values.js'
import { CallNotifications } from './call-notifications.js'

export function clientRequestsOf(exchange: CallExchange): ClientRequests {
  const made = exchange.clientRequests ?? new ClientRequests(exchange)
  exchange.clientRequests = made
  // Nothing else is attached there.
  return made as ClientRequests
}

function notificationsOf(exchange: CallExchange): AttachedNotifications {
  exchange.notifications ??= new CallNotifications(exchange)
  return exchange.notifications
}

/** Builds `ctx`. Throws when the host's `context(req)` returns a name that `ctx` already has. */
export function createContext(exchange: CallExchange, identity: Identity, name: string): BaseContext {
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

// The copy of this package that runs a call need not be the one that made its handler.
const exchangeKey: unique symbol = Symbol.for('mcp-router.exchange')

/** Returns the exchange behind a `ctx`, for handlers of this package. @throws TypeError for any other object. */
export function exchangeOf<Services extends CallServices = CallServices>(ctx: unknown): Exchange<Services> {
  const exchange = (ctx as Partial<CallContext> | undefined)?.[exchangeKey]
  if (exchange === undefined) throw new TypeError(`expected the ctx of a handler, got ${describe(ctx)}`)
  return exchange as Exchange<Services>
}

/** Whether another process accepted the call with its HTTP request, so its guards have run. */
export function isPassedOn(ctx: unknown): boolean {
  return ctx instanceof CallContext && exchangeOf(ctx).peer.isPassedOn === true
}

class CallContext implements BaseContext {
  readonly user: unknown
  readonly auth: BaseContext['auth']
  readonly request: BaseContext['request']
  readonly client: BaseContext['client']
  readonly protocolVersion: string
  readonly sessionId: string | undefined
  readonly #exchange: CallExchange
  readonly #name: string
  #log: ContextLog | undefined
  #session: Session | undefined

  constructor(exchange: CallExchange, { user, auth }: Identity, name: string) {
    this.user = user
    this.auth = auth
    this.request = exchange.peer.request
    this.client = exchange.client
    this.protocolVersion = exchange.revision.version
    this.sessionId = exchange.sessionId
    this.#exchange = exchange
    this.#name = name
  }

  /** @internal */
  get [exchangeKey](): CallExchange {
    return this.#exchange
  }

  get signal(): AbortSignal {
    return this.#exchange.signal
  }

  get log(): ContextLog {
    this.#log ??= logFor(this.#exchange, this.#name)
    return this.#log
  }

  get session(): Session | undefined {
    const { services, sessionId, peer, revision } = this.#exchange
    if (sessionId === undefined) return revision.era === 'legacy' ? peer.connection?.values : undefined
    if (services.sessions === undefined) return undefined
    this.#session ??= services.sessions.values(sessionId)
    return this.#session
  }

  closeStream({ retryMs = 1_000 }: { readonly retryMs?: number | undefined } = {}): boolean {
    if (Number.isSafeInteger(retryMs) && retryMs >= 0)
      return notificationsOf(this.#exchange).closeStream(retryMs)
    throw new TypeError(`ctx.closeStream(): expected retryMs to be milliseconds, got ${describe(retryMs)}`)
  }

  progress(done: number, total?: number, message?: string): boolean {
    return notificationsOf(this.#exchange).progress(done, total, message)
  }

  /** `never` fits every type that a caller's schema may have produced. */
  elicit(options: ElicitOptions): Promise<Elicited<never>> {
    return clientRequestsOf(this.#exchange).elicit(options) as Promise<Elicited<never>>
  }

  sample(options: SampleOptions): Promise<CreateMessageResult> {
    return clientRequestsOf(this.#exchange).sample(options)
  }

  roots(options?: { readonly key?: string | undefined }): Promise<Root[]> {
    return clientRequestsOf(this.#exchange).roots(options)
  }

  once<T>(key: string, work: () => T | PromiseLike<T>): Promise<T> {
    return clientRequestsOf(this.#exchange).once(key, work)
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

function logFor(exchange: CallExchange, name: string): ContextLog {
  const entries = Object.entries(logMethods).map(([method, own]) => {
    const level = (method === 'warn' ? 'warning' : method) as LoggingLevel
    const write = (message: string, data?: unknown): boolean => {
      exchange.services.log.request[own](message, { target: name, ...(data !== undefined && { data }) })
      return notificationsOf(exchange).log(level, name, data === undefined ? message : { message, data })
    }
    return [method, write]
  })
  return Object.fromEntries(entries) as ContextLog
}
