/** One request in, one result out, whatever carried it: era, envelope, method, run. */

import { assertUser } from '../request/authorize.js'
import type { Conversation } from '../client-requests/client-requests.js'
import type { Core } from './core.js'
import { brandOf, ErrorCode, type McpError, refusal } from '../errors/errors.js'
import { Exchange } from '../request/exchange.js'
import { observe } from '../tracing/activity.js'
import { report, toProtocolError } from '../tracing/error-report.js'
import { offers } from '../methods/discovery.js'
import { assertLevel } from '../methods/set-level.js'
import { type Method, methodOf, type Outcome } from '../methods/method-table.js'
import type { Subscription } from '../notifications/subscription.js'
import type { Peer } from '../request/peer.js'
import { PreparedText } from '../support/prepared-json.js'
import {
  type Envelope,
  isModernRequest,
  notSpoken,
  readLegacyEnvelope,
  readModernEnvelope,
} from '../protocol/envelope.js'
import { describe } from '../protocol/jsonrpc.js'
import type { Revision } from '../protocol/revisions.js'
import type { JsonRpcRequest, Result } from '../protocol/types.js'
import { attempt, type Steps, whenReady } from '../support/maybe-promise.js'
import { beginWatch } from '../tracing/tracer.js'

/** A result: text where it was prepared, else an object that JSON can carry; or what stays open instead. */
export type Answer = PreparedText | Result | Subscription

/**
 * Serves one request. Throws `McpError` for what is answered with a JSON-RPC error, and `Abandoned` when nobody waits
 * for an answer any more; nothing else.
 */
export function dispatch(core: Core, request: JsonRpcRequest, peer: Peer): Answer | Promise<Answer> {
  const method = methodOf(request.method)
  const envelope = readEnvelope(core, request, method, peer)
  const exchange = new Exchange(core, peer, request, envelope)
  return whenReady(serve(exchange, method), withEnvelope, exchange)
}

/** Runs the method; throws what `dispatch` throws. */
export function serve(exchange: Exchange, method: Method | undefined): Outcome | Promise<Outcome> {
  exchange.method = method
  const { onActivity, watch, recent } = exchange.core
  const isNoted = recent?.takes(method) === true
  const unseen = onActivity === undefined && watch === undefined && !isNoted
  return unseen ? settle(exchange) : serveObserved(exchange, isNoted)
}

async function serveObserved(exchange: Exchange, isNoted: boolean): Promise<Outcome> {
  const { method } = exchange
  const isTold = exchange.core.onActivity !== undefined
  const observed = isTold || isNoted ? observe(exchange, method, isNoted) : undefined
  const watched = beginWatch(exchange, method)
  const run = (): Outcome | Promise<Outcome> => settle(exchange)
  try {
    const outcome = await (watched === undefined ? run() : watched.within(run))
    observed?.(outcome)
    watched?.end(outcome)
    return outcome
  } catch (error) {
    observed?.(error)
    watched?.end(error)
    throw error
  }
}

function settle(exchange: Exchange): Outcome | Promise<Outcome> {
  const { core, method } = exchange
  core.counts.calls += 1
  core.running.add(exchange)
  exchange.listen()
  exchange.mayAsk = method?.runs !== undefined && method.runs !== 'completion'
  return attempt(settling, exchange)
}

const settling: Steps<Outcome, Outcome, Exchange> = {
  run,
  next(outcome, exchange) {
    if (isErrorResult(outcome)) exchange.core.counts.errors += 1
    end(exchange)
    return outcome
  },
  onError(error, exchange) {
    if (exchange.suspendedBy(error)) return ask(exchange).finally(() => end(exchange))
    return fail(exchange, error)
  },
}

function end(exchange: Exchange): void {
  exchange.stopListening()
  if (exchange.task !== undefined) return
  exchange.finish()
  exchange.core.running.delete(exchange)
}

function fail(exchange: Exchange, error: unknown): never {
  const thrown = toThrown(exchange, error)
  if (!exchange.isEnding(thrown)) exchange.core.counts.errors += 1
  end(exchange)
  throw thrown
}

/** The call ends here: the client is asked, and calls again. */
async function ask(exchange: Exchange): Promise<Outcome> {
  try {
    return { result: await (exchange.conversation as Conversation).result() }
  } catch (error) {
    throw toThrown(exchange, error)
  }
}

function readEnvelope(core: Core, request: JsonRpcRequest, method: Method | undefined, peer: Peer): Envelope {
  const { headers } = peer
  if (isModernRequest(request, headers)) {
    if (core.speaks.modern)
      return readModernEnvelope(request, core.spoken, { headers, nameKey: method?.nameKey })
    const message = 'Method not found: this server speaks revisions before 2026-07-28; initialize first'
    throw refusal(ErrorCode.MethodNotFound, message, { status: 400, plain: true })
  }
  if (!core.speaks.legacy && request.method === 'initialize') {
    const { protocolVersion } = request.params ?? {}
    throw notSpoken(typeof protocolVersion === 'string' ? protocolVersion : '', core.spoken)
  }
  return readLegacyEnvelope(request, core.spoken, peer.agree(request.method))
}

function run(exchange: Exchange): Outcome | Promise<Outcome> {
  const { core, params, method } = exchange
  const called = method?.runs === 'tool' ? params.name : undefined
  const waiting = core.routes.active ? core.routes.notice(called) : undefined
  return waiting === undefined ? runMethod(exchange) : waiting.then(() => runMethod(exchange))
}

function runMethod(exchange: Exchange): Outcome | Promise<Outcome> {
  const { core, request, revision, params, method } = exchange
  if (method === undefined || !isSpoken(method, revision) || !isOffered(exchange, method)) {
    // Legacy clients read 404 as "your session is gone".
    const status = revision.era === 'modern' ? 404 : 200
    throw refusal(ErrorCode.MethodNotFound, `Method not found: ${describe(request.method)}`, { status })
  }
  const level = params._meta?.['io.modelcontextprotocol/logLevel']
  if (level !== undefined && revision.era === 'modern') assertLevel(level)
  const identifies = core.requireUser || exchange.isOwned || method.identifies === true
  return identifies ? runIdentified(exchange, method) : method.run(exchange)
}

async function runIdentified(exchange: Exchange, method: Method): Promise<Outcome> {
  const identity = await exchange.identify()
  if (exchange.core.requireUser) assertUser(identity, exchange.peer)
  return method.run(exchange)
}

function isSpoken({ eras, tasks }: Method, revision: Revision): boolean {
  return eras.includes(revision.era) && (tasks === undefined || tasks.includes(revision.tasks))
}

function isOffered({ core, peer, revision, identity }: Exchange, { capability, told }: Method): boolean {
  if (told === true && !peer.reaches(revision.era, identity)) return false
  return capability === undefined || offers[capability](core.registry.catalog())
}

/** Adds what 2026-07-28 demands of every result: `resultType`, who serves, and cache hints where they belong. */
function withEnvelope(outcome: Outcome, { core, revision }: Exchange): Answer {
  const modern = revision.era === 'modern'
  if ('prepared' in outcome) {
    const after = modern ? `,${core.envelopeText(outcome.cache)}}` : '}'
    return new PreparedText('', outcome.prepared, after)
  }
  if ('subscription' in outcome) return outcome.subscription
  const result = outcome.result as Result
  if (!modern) return result
  const { cache } = outcome
  const hints = cache === undefined ? undefined : { ttlMs: cache.ttlMs, cacheScope: cache.scope }
  const _meta = result._meta === undefined ? core.serverMeta : { ...result._meta, ...core.serverMeta }
  return { resultType: 'complete', ...result, ...hints, _meta }
}

function isErrorResult(outcome: Outcome): boolean {
  return 'result' in outcome && 'isError' in outcome.result && outcome.result.isError === true
}

/** An author's code has its errors judged where it runs; what arrives here otherwise is ours, or the host's. */
function toThrown(exchange: Exchange, error: unknown): unknown {
  if (exchange.isEnding(error) || (brandOf(error) === 'mcp' && (error as McpError).own)) return error
  return toProtocolError(report(exchange, error, { owner: exchange.request.method }))
}
