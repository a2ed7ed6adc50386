/** Runs a handler of the app: authorization, `ctx`, middleware, handler. */

import { assertCapable } from '../client-requests/client-request.js'
import type { CallExchange, CallServices } from '../client-requests/services.js'
import type { BaseContext, Call, Middleware } from '../definitions/context.js'
import type { Entry, Handler } from '../definitions/entries.js'
import type { CatalogItem } from '../definitions/registry.js'
import type { Identity } from '../protocol/identity.js'
import { authorize, isVisibleTo, ownerOf } from '../request/authorize.js'
import { isThenable, whenReady } from '../support/maybe-promise.js'
import { reportError } from '../tracing/error-report.js'
import { clientRequestsOf, createContext } from './create-context.js'

/** Whether the caller may see a definition. If `visible` throws, the definition stays hidden and the log says why. */
export function isVisible(entry: Entry, exchange: CallExchange, identity: Identity): boolean {
  // Most definitions are visible to everyone.
  if (entry.options.visible === undefined) return true
  return isVisibleTo(
    entry,
    { identity, request: exchange.peer.request },
    (error, owner) => void reportError(exchange, error, { owner }),
  )
}

/** Throws for callers that `authorize` refuses, and for clients without a capability that the definition needs. */
export function assertAllowed(entry: Entry, exchange: CallExchange, identity: Identity): void {
  authorize(entry, exchange, identity)
  if (entry.needs.length > 0) assertCapable(exchange, ownerOf(entry), entry.needs)
}

/** One run of a definition for one caller. */
export interface Invocation {
  readonly item: CatalogItem
  readonly exchange: CallExchange
  readonly identity: Identity
  /** The `name` of the call in middleware: the definition's name, or the requested URI. */
  readonly name: string
  /** The validated arguments. */
  readonly input: unknown
  /** Called right before the handler, after all checks and middleware. */
  readonly begin?: (() => Promise<void>) | undefined
  /** Added to `ctx`. */
  readonly extra?: { readonly uri: string }
  /** One of several handlers that a request runs. A timeout ends only this one. */
  readonly isOneOfSeveral?: boolean
}

/**
 * Runs a handler inside its middleware; what is thrown goes through. What it comes to counts unless the client is
 * being asked: then that is thrown.
 */
export function invoke(invocation: Invocation, handler: Handler): unknown {
  const { exchange, item } = invocation
  const owner = `${item.entry.kind} "${item.key}"`
  const value = run(invocation, owner, handler)
  if (!isThenable(value)) return conclude(exchange, owner, value)
  return value.then(
    (result) => conclude(exchange, owner, result),
    (error) => {
      throw exchange.signalled ?? error
    },
  )
}

/** Throws if the call waits for the client or moved to another process, whatever the handler returned. */
function conclude<T>(exchange: CallExchange, owner: string, value: T): T {
  const { clientRequests } = exchange
  exchange.assertHere()
  if (clientRequests === undefined) return value
  clientRequests.conclude()
  if (clientRequests.signal === undefined) return value
  clientRequests.noteSwallowed(owner)
  throw clientRequests.signal
}

interface Run {
  readonly of: Invocation
  readonly owner: string
  readonly handler: Handler
  readonly ctx: BaseContext
}

function run(of: Invocation, owner: string, handler: Handler): unknown {
  const { item, exchange, identity, extra, isOneOfSeveral } = of
  const { timeoutMs } = item.entry
  exchange.assertOpen()
  const ctx = createContext(exchange, identity, item.name)
  if (extra !== undefined) Object.assign(ctx, extra)
  const run: Run = { of, owner, handler, ctx }
  const resuming = resumed(exchange)
  const value = resuming === undefined ? runMiddleware(run) : resuming.then(() => runMiddleware(run))
  return isOneOfSeveral === true
    ? exchange.withOwnTimeout(owner, timeoutMs, value)
    : exchange.withTimeout(owner, timeoutMs, value)
}

function runMiddleware(run: Run): unknown {
  const { item, exchange, name, input } = run.of
  const { middleware } = item
  if (middleware.length === 0) return handle(run, input)
  // The host's user() and context() put into ctx what `Register` declares.
  const call = { method: exchange.request.method, name, input, ctx: run.ctx } as unknown as Call
  // Keeps ignored results from middleware.
  const inner = async (value: unknown): Promise<unknown> =>
    conclude(exchange, run.owner, await handle(run, value))
  return compose(middleware, call, inner, (layer) => warnDropped(exchange.services, layer))
}

function handle(run: Run, input: unknown): unknown {
  const { item, exchange, begin } = run.of
  // A call that became a task was confirmed before.
  const asks = item.entry.confirm && exchange.task === undefined
  const agreed = asks ? clientRequestsOf(exchange).confirm(run.owner, input) : undefined
  const begun = begin === undefined ? agreed : whenReady(agreed, begin)
  return begun === undefined ? callHandler(run, input) : begun.then(() => callHandler(run, input))
}

function callHandler({ of: { exchange }, handler, ctx }: Run, input: unknown): unknown {
  exchange.assertOpen()
  exchange.peer.onHandlerStart?.()
  return handler(input, ctx)
}

/** Reads the client's answers before any code of the app runs. */
function resumed(exchange: CallExchange): Promise<void> | undefined {
  const { requestState, inputResponses } = exchange.params
  if (requestState === undefined && inputResponses === undefined) return undefined
  return exchange.allowsClientRequests ? clientRequestsOf(exchange).resume() : undefined
}

function warnDropped({ log, warnedOf }: CallServices, middleware: Middleware): void {
  if (warnedOf.has(middleware)) return
  warnedOf.add(middleware)
  const name = middleware.name === '' ? 'a middleware' : `the middleware ${middleware.name}`
  log.warn(`${name} dropped the result: it returned nothing; \`return next()\`, or what next() resolved to`)
}

/**
 * Runs `handler` inside `middleware`. `onDropped` hears of a middleware
 * that returned nothing although there was a result.
 */
export function compose(
  middleware: readonly Middleware[],
  call: Call,
  handler: (input: unknown) => unknown,
  onDropped: (middleware: Middleware) => void,
): Promise<unknown> {
  let reached = -1
  const step = async (index: number): Promise<unknown> => {
    if (index <= reached)
      throw new Error(
        'next() was called twice by one middleware: a handler runs once, so keep what the first call resolved to',
      )
    reached = index
    const layer = middleware[index]
    if (layer === undefined) return handler(call.input)
    let inner: unknown
    const value = await layer(call, async () => {
      inner = await step(index + 1)
      return inner
    })
    if (value === undefined && inner !== undefined) onDropped(layer)
    return value
  }
  return step(0)
}
