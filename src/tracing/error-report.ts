/** Reports errors: in full to the log and `onError`, and with a message that is safe to expose to the client. */

import { runtime } from '#runtime'
import { causesOf, classifyError, type Failure, messageOf, type NotFound } from '../errors/classify-error.js'
import { brandOf, ErrorCode, McpError, refusal } from '../errors/errors.js'
import { type Exchange, nameOf } from '../request/exchange.js'
import type { RequestServices } from '../request/services.js'
import { toBase64Url } from '../support/base64.js'
import { callHook, type FailedCall } from '../support/hooks.js'

/** A classified error and its message for the client. */
export interface ReportedFailure {
  readonly failure: Failure
  /** The message for the client; masked unless it may be exposed. */
  readonly message: string
}

export interface Reporting {
  /** Names the failed tool, prompt or method in log lines. */
  readonly owner: string
  /** The code and data of a "not found" error. Default code: -32602. */
  readonly notFound?: NotFound
}

/** Classifies `error`, reports it to the log and `onError`, and returns the message for the client. Never throws. */
export function reportError(
  exchange: Exchange,
  error: unknown,
  { owner, notFound }: Reporting,
): ReportedFailure {
  const { services } = exchange
  const failure = classifyError(error, exchange.revision, notFound)
  const call = { method: exchange.request.method, name: nameOf(exchange), user: exchange.identity?.user }
  const masked = failure.message === undefined
  const shown = !masked || isExposed(exchange, error, { ...call, reference: undefined })
  const reference = shown ? undefined : toBase64Url(runtime.random(9))
  const message = shown ? (failure.message ?? messageOf(error)) : `Internal error. Reference: ${reference}`
  if (brandOf(error) === 'mcp' && failure.code !== (error as McpError).code) {
    services.log.request.warn(
      `${owner}: error code ${(error as McpError).code} is not allowed in ${exchange.revision.version}; sent ${failure.code}`,
    )
  }
  logFailure(exchange, failure, { owner, reference })
  if (failure.kind === 'fault') callOnError(services, error, { ...call, reference })
  exchange.failed = failure.kind
  if (failure.kind === 'fault') exchange.fault = error
  return { failure, message }
}

/** Logs a refusal as a warning without a stack, and a fault as an error with its causes and stack. */
function logFailure(
  exchange: Exchange,
  { kind, error }: Failure,
  { owner, reference }: { owner: string; reference: string | undefined },
): void {
  const { log } = exchange.services
  // `name` is what pino and bunyan call the logger.
  const about = { method: exchange.request.method, target: nameOf(exchange) }
  if (kind === 'refusal') {
    log.request.warn(`${owner} refused: ${messageOf(error)}`, about)
    return
  }
  const mark = reference === undefined ? '' : ` (reference ${reference})`
  log.error(`${owner} failed${mark}: ${causesOf(error)}`, {
    err: error,
    ...about,
    ...(reference !== undefined && { reference }),
  })
}

/** Runs the app's code. If it throws, reports the error and throws a JSON-RPC error instead. */
export async function asProtocolError<T>(
  exchange: Exchange,
  about: Reporting,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw exchange.isEnding(error) ? error : toProtocolError(reportError(exchange, error, about))
  }
}

/** Converts a reported failure to a JSON-RPC error. */
export function toProtocolError({ failure, message }: ReportedFailure): McpError {
  const { error, code, data } = failure
  if (brandOf(error) === 'mcp' && (error as McpError).own) return error as McpError
  return new McpError(code, message, data, undefined, true)
}

function isExposed(exchange: Exchange, error: unknown, call: FailedCall): boolean {
  const { exposeErrors } = exchange.services
  if (typeof exposeErrors !== 'function') return exposeErrors ?? exchange.peer.development
  try {
    return exposeErrors(error, call) === true
  } catch {
    return false
  }
}

/** Reports an error of the app's own functions outside of an exchange. */
export function reportHostFault(services: RequestServices, error: unknown, method: string): void {
  reportFault(services, error, { what: 'a request could not be served', method })
}

/** Returns an `McpError` as it is. Reports any other error and returns a masked one. */
export function toClientError(services: RequestServices, error: unknown, method: string): McpError {
  if (brandOf(error) === 'mcp') return error as McpError
  reportHostFault(services, error, method)
  return refusal(ErrorCode.InternalError, 'Internal error')
}

/** Reports an error of a function that belongs to a definition. `what` begins the log line. */
export function reportFault(
  services: RequestServices,
  error: unknown,
  { what, method }: { readonly what: string; readonly method: string },
): void {
  services.counts.errors += 1
  services.log.error(`${what}: ${causesOf(error)}`, { err: error, method })
  callOnError(services, error, { method, name: undefined, user: undefined, reference: undefined })
}

function callOnError(services: RequestServices, error: unknown, call: FailedCall): void {
  callHook(
    () => services.onError?.(error, call),
    (hookError) => services.log.error(`onError failed: ${messageOf(hookError)}`, { err: hookError }),
  )
}
