/** What operators are told: failures with their cause, and one entry per call. */

import { runtime } from '#runtime'
import { toBase64Url } from './base64.js'
import type { Core } from './core.js'
import { ErrorCode, McpError } from './errors.js'
import { Abandoned, type Exchange } from './exchange.js'
import { type Failure, judge, messageOf } from './failure.js'
import type { Method, Outcome } from './methods.js'

/** The call that failed, for `onError` and `exposeErrors`. */
export interface FailedCall {
  readonly method: string
  /** The tool's or prompt's name, or the URI; `undefined` where the method has none. */
  readonly name: string | undefined
  readonly user: unknown
  /** What the client was given instead of the message, if it was masked. */
  readonly reference: string | undefined
}

/** One served call, for `onActivity`. */
export interface ActivityEntry {
  readonly method: string
  readonly name: string | undefined
  /** The tool's name again, for tool calls only. */
  readonly tool: string | undefined
  readonly user: unknown
  readonly protocolVersion: string
  readonly startedAt: Date
  readonly durationMs: number
  /** `error`: the model or client was told of a failure; `fault`: a bug; `cancelled`: nobody waits any more. */
  readonly outcome: 'ok' | 'error' | 'fault' | 'cancelled'
  /** Bytes of JSON. */
  readonly inputBytes: number
  readonly outputBytes: number
}

/** A failure as the client may see it, and as the log has it. */
export interface Reported {
  readonly failure: Failure
  /** What leaves the process. */
  readonly message: string
}

/** Judges what was thrown, tells log and `onError`, and finds the words that may leave. Never throws. */
export function report(exchange: Exchange, error: unknown, owner: string): Reported {
  const { core } = exchange
  const failure = judge(error, exchange.revision)
  const call = { method: exchange.request.method, name: nameOf(exchange), user: exchange.identity?.user }
  const masked = failure.message === undefined
  const shown = !masked || exposes(exchange, error, { ...call, reference: undefined })
  const reference = shown ? undefined : toBase64Url(runtime.random(9))
  const message = shown ? (failure.message ?? messageOf(error)) : `Internal error. Reference: ${reference}`
  if (error instanceof McpError && failure.code !== error.code) {
    core.log.warn(
      `${owner}: error code ${error.code} is not allowed in ${exchange.revision.version}; sent ${failure.code}`,
    )
  }
  const data = {
    err: error,
    method: call.method,
    name: call.name,
    ...(reference !== undefined && { reference }),
  }
  if (failure.kind === 'refusal') core.log.warn(`${owner} refused: ${messageOf(error)}`, data)
  else
    core.log.error(
      `${owner} failed${reference === undefined ? '' : ` (reference ${reference})`}: ${causes(error)}`,
      data,
    )
  if (failure.kind === 'fault') notify(core, error, { ...call, reference })
  core.counts.errors += 1
  return { failure, message }
}

/** The failure as a JSON-RPC error. */
export function toProtocolError(error: unknown, { failure, message }: Reported): McpError {
  if (error instanceof McpError && error.own) return error
  return new McpError(failure.code, message, failure.data, undefined, true)
}

function exposes(exchange: Exchange, error: unknown, call: FailedCall): boolean {
  const { exposeErrors } = exchange.core
  if (typeof exposeErrors !== 'function') return exposeErrors ?? exchange.peer.development
  try {
    return exposeErrors(error, call) === true
  } catch {
    return false
  }
}

function notify(core: Core, error: unknown, call: FailedCall): void {
  try {
    core.onError?.(error, call)
  } catch (hookError) {
    core.log.error(`onError failed: ${messageOf(hookError)}`, { err: hookError as object })
  }
}

/** The message with those of its causes. */
function causes(error: unknown): string {
  const messages: string[] = []
  for (let part = error; part !== undefined && part !== null && messages.length < 10; ) {
    messages.push(messageOf(part))
    part = typeof part === 'object' ? (part as { cause?: unknown }).cause : undefined
  }
  return messages.join(' <- ')
}

export function nameOf({ params }: Exchange): string | undefined {
  const name = params.name ?? params.uri
  return typeof name === 'string' ? name : undefined
}

/** Times a request for `onActivity`; the returned function ends it. */
export function observe(exchange: Exchange, method: Method | undefined): (ended: Outcome | unknown) => void {
  const { core, request, revision, params } = exchange
  const startedAt = new Date()
  const started = performance.now()
  return (ended) => {
    const name = nameOf(exchange)
    const entry: ActivityEntry = {
      method: request.method,
      name,
      tool: method?.runs === 'tool' ? name : undefined,
      user: exchange.identity?.user,
      protocolVersion: revision.version,
      startedAt,
      durationMs: performance.now() - started,
      outcome: outcomeOf(ended),
      inputBytes: bytesOf(params),
      outputBytes: bytesOf(ended),
    }
    try {
      core.onActivity?.(entry)
    } catch (error) {
      core.log.error(`onActivity failed: ${messageOf(error)}`, { err: error as object })
    }
  }
}

function outcomeOf(ended: unknown): ActivityEntry['outcome'] {
  if (ended instanceof Abandoned) return 'cancelled'
  if (ended instanceof Error)
    return (ended as Partial<McpError>).code === ErrorCode.InternalError ? 'fault' : 'error'
  const { result } = ended as { result?: { isError?: unknown } }
  return result?.isError === true ? 'error' : 'ok'
}

function bytesOf(value: unknown): number {
  if (value instanceof Error) return 0
  const { text, result } = value as { text?: unknown; result?: unknown }
  try {
    return new TextEncoder().encode(typeof text === 'string' ? text : JSON.stringify(result ?? value)).length
  } catch {
    return 0
  }
}
