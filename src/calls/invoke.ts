/** The common road of everything that runs an author's code: find, gate, context, middleware, handler. */

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

/** Whether this caller may know of a definition. One whose `visible` fails stays hidden, and the log says why. */
export function isVisible(entry: Entry, exchange: CallExchange, identity: Identity): boolean {
  // Most are shown to everybody.
  if (entry.options.visible === undefined) return true
  return isVisibleTo(
    entry,
    { identity, request: exchange.peer.request },
    (error, owner) => void reportError(exchange, error, { owner }),
  )
}

/** Refuses whom `authorize` refuses, and clients that lack what the definition needs. */
export function assertAllowed(entry: Entry, exchange: CallExchange, identity: Identity): void {
  authorize(entry, exchange, identity)
  if (entry.needs.length > 0) assertCapable(exchange, ownerOf(entry), entry.needs)
}

/** One run of a definition for one caller. */
export interface Invocation {
  readonly item: CatalogItem
  readonly exchange: CallExchange
  readonly identity: Identity
  /** What middleware calls it: the name, or the URI asked for. */
  readonly name: string
  /** Checked. */
  readonly input: unknown
  /** Called when everything before the handler has agreed. */
  readonly begin?: (() => Promise<void>) | undefined
  /** Added to `ctx`. */
  readonly extra?: { readonly uri: string }
  /** One of several runs of a request: its time limit ends this one alone. */
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

/** Throws where the client is being asked or another process runs it, whatever the handler made of it. */
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
  // What `Register` promises is in ctx: the host's user() and context() put it there.
  const call = { method: exchange.request.method, name, input, ctx: run.ctx } as unknown as Call
  // Middleware must not take for a result what does not count.
  const inner = async (value: unknown): Promise<unknown> =>
    conclude(exchange, run.owner, await handle(run, value))
  return compose(middleware, call, inner, (layer) => warnDropped(exchange.services, layer))
}

function handle(run: Run, input: unknown): unknown {
  const { item, exchange, begin } = run.of
  // Before its task began it was confirmed already.
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

/** What a client brought back is read before anything of the author runs. */
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
