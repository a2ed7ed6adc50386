/**
 * The interface for tracers. A tracer runs around every client request and notification and every request to a client,
 * and gets their beginning and outcome.
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

/** A client request, a client notification, or a request to a client, at its start. */
export interface Operation {
  /** The sender: a client, the app (an in-process call), or this server (a request to a client). */
  readonly by: 'client' | 'app' | 'server'
  /** `undefined` for a method that no revision has. */
  readonly method: string | undefined
  /** `undefined` for notifications and in-process calls. */
  readonly requestId: string | number | undefined
  readonly protocolVersion: string
  /** Identifies the session without revealing its id, which would grant access. */
  readonly sessionKey: string | undefined
  readonly uri: string | undefined
  /** The client's `_meta`, unchanged. */
  readonly meta: Readonly<Record<string, unknown>>
  readonly request: RequestInfo | undefined
  /**
   * The called tool's name; `undefined` if there's no such tool, because an unknown name is free text from the client.
   * A function because routes may become tools while the request runs.
   */
  tool(): string | undefined
  /** The requested prompt's name; `undefined` if there's no such prompt. */
  prompt(): string | undefined
}

/** The outcome of an operation. */
export interface Outcome {
  readonly outcome: ActivityEntry['outcome']
  /** The JSON-RPC error in the response. */
  readonly error: { readonly code: number; readonly message: string } | undefined
  /** How the operation failed without a JSON-RPC error: a result with `isError`, a timeout, or another way. */
  readonly failed: 'result' | 'timeout' | 'other' | undefined
  /** The thrown error, if it was a bug. */
  readonly fault: unknown
}

/** The trace of one running operation. */
export interface RequestTrace {
  /** Runs the operation in the tracer's context. */
  within<T>(work: () => T): T
  /** Members for the `_meta` of a request to a client, so that the client's tracer can continue the trace. */
  meta(): Readonly<Record<string, unknown>>
  end(outcome: Outcome): void
}

export type Tracer = (operation: Operation) => RequestTrace

/** Begins the trace of a request. `end` takes the result or the thrown error. */
export function startTrace(
  exchange: TracedExchange,
  method: MethodInfo | undefined,
): { within: RequestTrace['within']; end(ended: unknown): void } | undefined {
  const trace = beginTrace(exchange.services, () => toOperation(exchange, method))
  return (
    trace && {
      within: trace.within,
      end: (ended) => trace.end(() => toOutcome(exchange, ended)),
    }
  )
}

export interface ActiveTrace extends Omit<RequestTrace, 'end'> {
  end(outcome: () => Outcome): void
}

/** Begins a trace. An error of the tracer is logged and doesn't affect the operation. */
export function beginTrace(
  { tracer, log }: TracingServices,
  operation: () => Operation,
): ActiveTrace | undefined {
  const onFailure = (error: unknown): void =>
    log.error(`the tracer failed: ${messageOf(error)}`, { err: error })
  try {
    const started = tracer?.(operation())
    return (
      started && {
        within: (work) => started.within(work),
        meta: () => {
          try {
            return started.meta()
          } catch (error) {
            onFailure(error)
            return {}
          }
        },
        end: (outcome) => callHook(() => started.end(outcome()), onFailure),
      }
    )
  } catch (error) {
    onFailure(error)
    return undefined
  }
}

function toOperation(exchange: TracedExchange, method: MethodInfo | undefined): Operation {
  const { services, request, params, peer, revision, sessionId } = exchange
  const known = (kind: 'tool' | 'prompt', name: unknown): string | undefined =>
    typeof name === 'string' && services.registry.catalog()[kind].byKey.has(name) ? name : undefined
  const isFromClient = peer.ask === undefined
  return {
    by: isFromClient ? 'client' : 'app',
    method: method === undefined ? undefined : request.method,
    requestId: isFromClient ? request.id : undefined,
    protocolVersion: revision.version,
    sessionKey: sessionId === undefined ? undefined : keyOf(sessionId),
    uri: typeof params.uri === 'string' ? params.uri : undefined,
    meta: isObject(params._meta) ? params._meta : {},
    request: peer.request,
    tool: () => (method?.runs === 'tool' ? known('tool', toolOf(exchange)) : undefined),
    prompt: () => (method?.runs === 'prompt' ? known('prompt', params.name) : undefined),
  }
}

function toOutcome(exchange: TracedExchange, outcome: unknown): Outcome {
  const { code, message } = outcome as McpError
  const { result } = outcome as { result?: { isError?: unknown } }
  return createOutcome(outcomeOf(exchange, outcome), {
    error: brandOf(outcome) === 'mcp' ? { code, message } : undefined,
    failed: result?.isError === true ? 'result' : undefined,
    fault: exchange.fault,
  })
}

export function createOutcome(outcome: Outcome['outcome'], details: Partial<Outcome> = {}): Outcome {
  return { outcome, error: undefined, failed: undefined, fault: undefined, ...details }
}
