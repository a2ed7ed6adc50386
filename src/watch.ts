/** The seam for tracers: they run around every request, and are told of it when it begins and when it has ended. */

import type { RequestInfo } from './context.js'
import { brandOf, type McpError } from './errors.js'
import type { Exchange } from './exchange.js'
import { outcomeOf, toolOf } from './failures/activity.js'
import { messageOf } from './failures/failure.js'
import { type ActivityEntry, callHook } from './failures/hooks.js'
import type { Method, Outcome } from './methods.js'
import { isObject } from './protocol/jsonrpc.js'
import { keyOf } from './sessions/sessions.js'

/** A request that begins. */
export interface Operation {
  /** `undefined`: a method of no revision. */
  readonly method: string | undefined
  /** `undefined`: a call in process, which no client made. */
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
export interface Ending {
  readonly outcome: ActivityEntry['outcome']
  /** The JSON-RPC error that is the answer. */
  readonly error: { readonly code: number; readonly message: string } | undefined
  /** The answer is a result with `isError`. */
  readonly isError: boolean
  /** What was thrown, where that was a bug. */
  readonly fault: unknown
}

/** One request while it is watched. */
export interface Watching {
  /** Runs it, with whatever is to be around it. */
  within<T>(work: () => T): T
  end(ending: Ending): void
}

export type Watch = (operation: Operation) => Watching

/** Begins to watch a request; a watch that fails harms nothing. `end` takes what came of it, or what was thrown. */
export function beginWatch(
  exchange: Exchange,
  method: Method | undefined,
): { within: Watching['within']; end(ended: Outcome | unknown): void } | undefined {
  const { watch, log } = exchange.core
  const onFailure = (error: unknown): void =>
    log.error(`a request could not be watched: ${messageOf(error)}`, { err: error })
  try {
    const watching = watch?.(operationOf(exchange, method))
    return (
      watching && {
        within: (work) => watching.within(work),
        end: (ended) => callHook(() => watching.end(endingOf(exchange, ended)), onFailure),
      }
    )
  } catch (error) {
    onFailure(error)
    return undefined
  }
}

function operationOf(exchange: Exchange, method: Method | undefined): Operation {
  const { core, request, params, peer, revision, sessionId } = exchange
  const known = (kind: 'tool' | 'prompt', name: unknown): string | undefined =>
    typeof name === 'string' && core.registry.catalog()[kind].byKey.has(name) ? name : undefined
  return {
    method: method === undefined ? undefined : request.method,
    requestId: peer.ask === undefined ? request.id : undefined,
    protocolVersion: revision.version,
    sessionKey: sessionId === undefined ? undefined : keyOf(sessionId),
    uri: typeof params.uri === 'string' ? params.uri : undefined,
    meta: isObject(params._meta) ? params._meta : {},
    request: peer.request,
    tool: () => (method?.runs === 'tool' ? known('tool', toolOf(exchange)) : undefined),
    prompt: () => (method?.runs === 'prompt' ? known('prompt', params.name) : undefined),
  }
}

function endingOf(exchange: Exchange, ended: Outcome | unknown): Ending {
  const { code, message } = ended as McpError
  const { result } = ended as { result?: { isError?: unknown } }
  return {
    outcome: outcomeOf(exchange, ended),
    error: brandOf(ended) === 'mcp' ? { code, message } : undefined,
    isError: result?.isError === true,
    fault: exchange.fault,
  }
}
