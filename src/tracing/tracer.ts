/**
 * The seam for tracers: they run around every request and notification of a client and every question that a client is
 * asked, and are told when it begins and when it has ended.
 */

import type { RequestInfo } from '../definitions/context.js'
import { messageOf } from '../errors/classify-error.js'
import { brandOf, type McpError } from '../errors/errors.js'
import type { MethodInfo } from '../request/attachments.js'
import { keyOf } from '../sessions/sessions.js'
import { type ActivityEntry, callHook } from '../support/hooks.js'
import { isObject } from '../support/values.js'
import { outcomeOf, toolOf } from './activity.js'
import type { TracedExchange, TracingServices } from './services.js'

/** A request, a notification or a question that begins. */
export interface Operation {
  /** Who began it: a client, the app by a call in process, or this server, which asks a client. */
  readonly by: 'client' | 'app' | 'server'
  /** `undefined`: a method of no revision. */
  readonly method: string | undefined
  /** `undefined`: a notification, or a call in process. */
  readonly requestId: string | number | undefined
  readonly protocolVersion: string
  /** Which session it is, without being the id that opens it. */
  readonly sessionKey: string | undefined
  readonly uri: string | undefined
  /** `_meta` as the client wrote it. */
  readonly meta: Readonly<Record<string, unknown>>
  readonly request: RequestInfo | undefined
  /** The names that there are: what else a client asks for is its own words. Routes may become tools meanwhile. */
  tool(): string | undefined
  prompt(): string | undefined
}

/** What became of it. */
export interface Outcome {
  readonly outcome: ActivityEntry['outcome']
  /** The JSON-RPC error that is the answer. */
  readonly error: { readonly code: number; readonly message: string } | undefined
  /** How it failed where no such error says so: a result with `isError`, no answer in time, or another way. */
  readonly failed: 'result' | 'timeout' | 'other' | undefined
  /** What was thrown, where that was a bug. */
  readonly fault: unknown
}

/** One of them while it is watched. */
export interface RequestTrace {
  /** Runs it, with whatever is to be around it. */
  within<T>(work: () => T): T
  /** What a question carries in its `_meta`, for the tracer of the client. */
  meta(): Readonly<Record<string, unknown>>
  end(ending: Outcome): void
}

export type Tracer = (operation: Operation) => RequestTrace

/** Begins to watch a request. `end` takes what came of it, or what was thrown. */
export function startTrace(
  exchange: TracedExchange,
  method: MethodInfo | undefined,
): { within: RequestTrace['within']; end(ended: unknown): void } | undefined {
  const watched = begin(exchange.services, () => operationOf(exchange, method))
  return (
    watched && {
      within: watched.within,
      end: (ended) => watched.end(() => endingOf(exchange, ended)),
    }
  )
}

export interface ActiveTrace extends Omit<RequestTrace, 'end'> {
  end(ending: () => Outcome): void
}

/** Begins to watch; a watch that fails harms nothing. */
export function begin({ tracer, log }: TracingServices, operation: () => Operation): ActiveTrace | undefined {
  const onFailure = (error: unknown): void =>
    log.error(`a request could not be watched: ${messageOf(error)}`, { err: error })
  try {
    const watching = tracer?.(operation())
    return (
      watching && {
        within: (work) => watching.within(work),
        meta: () => {
          try {
            return watching.meta()
          } catch (error) {
            onFailure(error)
            return {}
          }
        },
        end: (ending) => callHook(() => watching.end(ending()), onFailure),
      }
    )
  } catch (error) {
    onFailure(error)
    return undefined
  }
}

function operationOf(exchange: TracedExchange, method: MethodInfo | undefined): Operation {
  const { services, request, params, peer, revision, sessionId } = exchange
  const known = (kind: 'tool' | 'prompt', name: unknown): string | undefined =>
    typeof name === 'string' && services.registry.catalog()[kind].byKey.has(name) ? name : undefined
  const isOfClient = peer.ask === undefined
  return {
    by: isOfClient ? 'client' : 'app',
    method: method === undefined ? undefined : request.method,
    requestId: isOfClient ? request.id : undefined,
    protocolVersion: revision.version,
    sessionKey: sessionId === undefined ? undefined : keyOf(sessionId),
    uri: typeof params.uri === 'string' ? params.uri : undefined,
    meta: isObject(params._meta) ? params._meta : {},
    request: peer.request,
    tool: () => (method?.runs === 'tool' ? known('tool', toolOf(exchange)) : undefined),
    prompt: () => (method?.runs === 'prompt' ? known('prompt', params.name) : undefined),
  }
}

function endingOf(exchange: TracedExchange, outcome: unknown): Outcome {
  const { code, message } = outcome as McpError
  const { result } = outcome as { result?: { isError?: unknown } }
  return ended(outcomeOf(exchange, outcome), {
    error: brandOf(outcome) === 'mcp' ? { code, message } : undefined,
    failed: result?.isError === true ? 'result' : undefined,
    fault: exchange.fault,
  })
}

export function ended(outcome: Outcome['outcome'], how: Partial<Outcome> = {}): Outcome {
  return { outcome, error: undefined, failed: undefined, fault: undefined, ...how }
}
