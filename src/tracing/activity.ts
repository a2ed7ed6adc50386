/** Builds the entry that `onActivity` gets for every served request. */

import { messageOf } from '../errors/classify-error.js'
import type { MethodInfo } from '../request/attachments.js'
import { nameOf } from '../request/exchange.js'
import { bytesOf } from '../support/base64.js'
import { type ActivityEntry, callHook } from '../support/hooks.js'
import { isObject } from '../support/values.js'
import type { TracedExchange } from './services.js'

/**
 * Starts timing a request. The returned function ends it: it takes the result or the error, calls `onActivity`, and
 * adds the call to the recent calls if `isRecorded`.
 */
export function recordActivity(
  exchange: TracedExchange,
  method: MethodInfo | undefined,
  isRecorded: boolean,
): (ended: unknown) => void {
  const { services, request, revision, params } = exchange
  const startedAt = new Date()
  const started = performance.now()
  return (ended) => {
    const name = nameOf(exchange)
    const entry: ActivityEntry = {
      method: request.method,
      name,
      tool: method?.runs === 'tool' ? toolOf(exchange) : undefined,
      user: exchange.identity?.user,
      protocolVersion: revision.version,
      startedAt,
      durationMs: performance.now() - started,
      outcome: outcomeOf(exchange, ended),
      inputBytes: sizeOf(params),
      outputBytes: sizeOf(ended),
    }
    if (isRecorded) services.recentCalls?.add(exchange, entry)
    callHook(
      () => services.onActivity?.(entry),
      (error) => services.log.error(`onActivity failed: ${messageOf(error)}`, { err: error }),
    )
  }
}

/** The name of the called tool. For `call_tool`, the name in its arguments. */
export function toolOf(exchange: TracedExchange): string | undefined {
  const name = nameOf(exchange)
  const { arguments: args } = exchange.params
  return name === undefined
    ? undefined
    : (exchange.services.toolSearch?.unwrap(name, isObject(args) ? args : {}).name ?? name)
}

/** The outcome of a request, from its result or the error that it threw. */
export function outcomeOf(exchange: TracedExchange, ended: unknown): ActivityEntry['outcome'] {
  if (exchange.isCancelledBy(ended)) return 'cancelled'
  if (exchange.asksOutside(ended)) return 'input_required'
  // The result asks the client for input.
  if (exchange.clientRequests?.signal !== undefined && !(ended instanceof Error)) return 'input_required'
  if (exchange.failed !== undefined) return exchange.failed === 'fault' ? 'fault' : 'error'
  const { result } = ended as { result?: { isError?: unknown } }
  return result?.isError === true || ended instanceof Error ? 'error' : 'ok'
}

function sizeOf(value: unknown): number {
  if (value instanceof Error) return 0
  const { text, result } = value as { text?: unknown; result?: unknown }
  try {
    return bytesOf(typeof text === 'string' ? text : JSON.stringify(result ?? value))
  } catch {
    return 0
  }
}
