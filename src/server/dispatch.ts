/** Serves one message of any transport: reads its envelope, finds its method, runs it. */

import type { ClientRequests } from '../client-requests/client-requests.js'
import { brandOf, ErrorCode, type McpError, refusal } from '../errors/errors.js'
import { assertLevel, offers } from '../methods/discovery.js'
import { type Method, type MethodResult, methodOf } from '../methods/method-table.js'
import type { Subscription } from '../notifications/subscription.js'
import {
  type Envelope,
  isModernRequest,
  readLegacyEnvelope,
  readModernEnvelope,
  unsupportedVersion,
} from '../protocol/envelope.js'
import type { Revision } from '../protocol/revisions.js'
import type { JsonRpcNotification, JsonRpcRequest, Result } from '../protocol/types.js'
import { assertUser } from '../request/authorize.js'
import { Exchange, RequestCancelled } from '../request/exchange.js'
import type { Peer } from '../request/peer.js'
import { scopeOf } from '../sessions/sessions.js'
import { attempt, type Steps, whenReady } from '../support/maybe-promise.js'
import { PreparedText } from '../support/prepared-json.js'
import { describe } from '../support/values.js'
import { recordActivity } from '../tracing/activity.js'
import { reportError, toProtocolError } from '../tracing/error-report.js'
import { traceNotification } from '../tracing/trace-client-request.js'
import { startTrace } from '../tracing/tracer.js'
import type { Core } from './core.js'

/** A request as this folder serves it. */
export type ServedExchange = Exchange<Core, Method>

/** A result as prepared text or as an object that JSON can carry, or an open subscription. */
export type Answer = PreparedText | Result | Subscription

/**
 * Serves one request. Throws `McpError` for a JSON-RPC error, and `RequestCancelled` for a cancelled request; nothing
 * else.
 */
export function dispatch(core: Core, request: JsonRpcRequest, peer: Peer): Answer | Promise<Answer> {
  const method = methodOf(request.method)
  const envelope = readEnvelope(core, request, method, peer)
  const exchange: ServedExchange = new Exchange(core, peer, request, envelope)
  return whenReady(serve(exchange, method), withEnvelope, exchange)
}

/** Runs the method. Throws the same errors as `dispatch`. */
export function serve(
  exchange: ServedExchange,
  method: Method | undefined,
): MethodResult | Promise<MethodResult> {
  exchange.method = method
  const { onActivity, tracer, recentCalls } = exchange.services
  const isNoted = recentCalls?.records(method) === true
  const unseen = onActivity === undefined && tracer === undefined && !isNoted
  return unseen ? settle(exchange) : serveObserved(exchange, isNoted)
}

async function serveObserved(exchange: ServedExchange, isNoted: boolean): Promise<MethodResult> {
  const { method } = exchange
  const isTold = exchange.services.onActivity !== undefined
  const observed = isTold || isNoted ? recordActivity(exchange, method, isNoted) : undefined
  const trace = startTrace(exchange, method)
  const run = (): MethodResult | Promise<MethodResult> => settle(exchange)
  try {
    const outcome = await (trace === undefined ? run() : trace.within(run))
    observed?.(outcome)
    trace?.end(outcome)
    return outcome
  } catch (error) {
    observed?.(error)
    trace?.end(error)
    throw error
  }
}

function settle(exchange: ServedExchange): MethodResult | Promise<MethodResult> {
  const { services, method } = exchange
  services.counts.calls += 1
  services.inFlight.add(exchange)
  exchange.cancelOnDisconnect()
  exchange.allowsClientRequests = method?.runs !== undefined && method.runs !== 'completion'
  return attempt(settling, exchange)
}

const settling: Steps<MethodResult, MethodResult, ServedExchange> = {
  run,
  next(outcome, exchange) {
    if (isErrorResult(outcome)) exchange.services.counts.errors += 1
    end(exchange)
    return outcome
  },
  onError(error, exchange) {
    if (exchange.isSuspendedBy(error)) return ask(exchange).finally(() => end(exchange))
    return fail(exchange, error)
  },
}

function end(exchange: ServedExchange): void {
  exchange.stopListening()
  if (exchange.task !== undefined) return
  exchange.finish()
  exchange.services.inFlight.delete(exchange)
}

function fail(exchange: ServedExchange, error: unknown): never {
  const thrown = toThrown(exchange, error)
  if (!exchange.isEnding(thrown)) exchange.services.counts.errors += 1
  end(exchange)
  throw thrown
}

/** Ends the call with `input_required`; the client calls again. */
async function ask(exchange: ServedExchange): Promise<MethodResult> {
  try {
    return { result: await (exchange.clientRequests as ClientRequests).result() }
  } catch (error) {
    throw toThrown(exchange, error)
  }
}

function readEnvelope(core: Core, request: JsonRpcRequest, method: Method | undefined, peer: Peer): Envelope {
  const { headers } = peer
  if (isModernRequest(request, headers)) {
    if (core.supportsEra.modern)
      return readModernEnvelope(request, core.supportedRevisions, { headers, nameKey: method?.nameKey })
    const message = 'Method not found: this server speaks revisions before 2026-07-28; initialize first'
    throw refusal(ErrorCode.MethodNotFound, message, { status: 400, plain: true })
  }
  if (!core.supportsEra.legacy && request.method === 'initialize') {
    const { protocolVersion } = request.params ?? {}
    throw unsupportedVersion(
      typeof protocolVersion === 'string' ? protocolVersion : '',
      core.supportedRevisions,
    )
  }
  return readLegacyEnvelope(request, core.supportedRevisions, peer.negotiated(request.method))
}

function run(exchange: ServedExchange): MethodResult | Promise<MethodResult> {
  const { services, params, method } = exchange
  const called = method?.runs === 'tool' ? params.name : undefined
  const waiting = services.routes.active ? services.routes.refreshFor(called) : undefined
  return waiting === undefined ? runMethod(exchange) : waiting.then(() => runMethod(exchange))
}

function runMethod(exchange: ServedExchange): MethodResult | Promise<MethodResult> {
  const { services, request, revision, params, method } = exchange
  if (method === undefined || !isSpoken(method, revision) || !isOffered(exchange, method)) {
    // For legacy clients, 404 means that their session has ended.
    const status = revision.era === 'modern' ? 404 : 200
    throw refusal(ErrorCode.MethodNotFound, `Method not found: ${describe(request.method)}`, { status })
  }
  const level = params._meta?.['io.modelcontextprotocol/logLevel']
  if (level !== undefined && revision.era === 'modern') assertLevel(level)
  const identifies = services.requireUser || exchange.isOwned || method.resolvesCaller === true
  return identifies ? runIdentified(exchange, method) : method.run(exchange)
}

async function runIdentified(exchange: ServedExchange, method: Method): Promise<MethodResult> {
  const identity = await exchange.resolveCaller()
  if (exchange.services.requireUser) assertUser(identity, exchange.peer)
  return method.run(exchange)
}

function isSpoken({ eras, tasks }: Method, revision: Revision): boolean {
  return eras.includes(revision.era) && (tasks === undefined || tasks.includes(revision.tasks))
}

function isOffered(
  { services, peer, revision, identity }: ServedExchange,
  { capability, needsNotifications }: Method,
): boolean {
  if (needsNotifications === true && !peer.canNotify(revision.era, identity)) return false
  return capability === undefined || offers[capability](services.registry.catalog())
}

/** Adds the members that 2026-07-28 requires in results: `resultType`, server metadata, and cache hints. */
function withEnvelope(outcome: MethodResult, { services, revision }: ServedExchange): Answer {
  const modern = revision.era === 'modern'
  if ('prepared' in outcome) {
    const after = modern ? `,${services.envelopeText(outcome.cache)}}` : '}'
    return new PreparedText('', outcome.prepared, after)
  }
  if ('subscription' in outcome) return outcome.subscription
  const result = outcome.result as Result
  if (!modern) return result
  const { cache } = outcome
  const hints = cache === undefined ? undefined : { ttlMs: cache.ttlMs, cacheScope: cache.scope }
  const _meta = result._meta === undefined ? services.serverMeta : { ...result._meta, ...services.serverMeta }
  return { resultType: 'complete', ...result, ...hints, _meta }
}

function isErrorResult(outcome: MethodResult): boolean {
  return 'result' in outcome && 'isError' in outcome.result && outcome.result.isError === true
}

/** Converts an error of the core or the host. Errors of handlers are classified where they run. */
function toThrown(exchange: ServedExchange, error: unknown): unknown {
  if (exchange.isEnding(error) || (brandOf(error) === 'mcp' && (error as McpError).own)) return error
  return toProtocolError(reportError(exchange, error, { owner: exchange.request.method }))
}

export function acceptNotification(core: Core, message: JsonRpcNotification, peer: Peer): void {
  traceNotification(core, message, peer, () =>
    accept(core, message, scopeOf(peer.negotiated().sessionId, peer.scope)),
  )
}

/** Handles `notifications/cancelled`. Other notifications need no action. */
function accept(
  core: Core,
  { method, params }: JsonRpcNotification,
  scope: string | object | undefined,
): void {
  if (method !== 'notifications/cancelled') return
  const { requestId, reason } = params ?? {}
  const text = typeof reason === 'string' ? `the client cancelled: ${reason}` : 'the client cancelled'
  const running = core.inFlight.find(scope, requestId)
  if (running !== undefined) running.abort(new RequestCancelled(text))
  else if (typeof scope === 'string') void core.sessions?.cancelElsewhere(scope, { requestId, reason: text })
}
