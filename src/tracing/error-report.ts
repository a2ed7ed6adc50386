/** Reports what was thrown: to the log and to `onError` in full, to the client in the words that may leave. */

import { runtime } from '#runtime'
import { causesOf, classifyError, type Failure, messageOf, type NotFound } from '../errors/classify-error.js'
import { brandOf, ErrorCode, McpError, refusal } from '../errors/errors.js'
import { type Exchange, nameOf } from '../request/exchange.js'
import type { RequestServices } from '../request/services.js'
import { toBase64Url } from '../support/base64.js'
import { callHook, type FailedCall } from '../support/hooks.js'

/** A failure as the client may see it, and as the log has it. */
export interface Reported {
  readonly failure: Failure
  /** What leaves the process. */
  readonly message: string
}

export interface Reporting {
  /** How messages name what failed. */
  readonly owner: string
  /** What "not found" says. Default -32602. */
  readonly notFound?: NotFound
}

/** Judges what was thrown, tells log and `onError`, and finds the words that may leave. Never throws. */
export function reportError(exchange: Exchange, error: unknown, { owner, notFound }: Reporting): Reported {
  const { services } = exchange
  const failure = classifyError(error, exchange.revision, notFound)
  const call = { method: exchange.request.method, name: nameOf(exchange), user: exchange.identity?.user }
  const masked = failure.message === undefined
  const shown = !masked || exposes(exchange, error, { ...call, reference: undefined })
  const reference = shown ? undefined : toBase64Url(runtime.random(9))
  const message = shown ? (failure.message ?? messageOf(error)) : `Internal error. Reference: ${reference}`
  if (brandOf(error) === 'mcp' && failure.code !== (error as McpError).code) {
    services.log.request.warn(
      `${owner}: error code ${(error as McpError).code} is not allowed in ${exchange.revision.version}; sent ${failure.code}`,
    )
  }
  writeLog(exchange, failure, { owner, reference })
  if (failure.kind === 'fault') notify(services, error, { ...call, reference })
  exchange.failed = failure.kind
  if (failure.kind === 'fault') exchange.fault = error
  return { failure, message }
}

/** Refusals were meant for their reader and need no stack; faults come with everything. */
function writeLog(
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

/** Runs what may fail in an author's code; the failure is reported and thrown as a JSON-RPC error. */
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

/** The failure as a JSON-RPC error. */
export function toProtocolError({ failure, message }: Reported): McpError {
  const { error, code, data } = failure
  if (brandOf(error) === 'mcp' && (error as McpError).own) return error as McpError
  return new McpError(code, message, data, undefined, true)
}

function exposes(exchange: Exchange, error: unknown, call: FailedCall): boolean {
  const { exposeErrors } = exchange.services
  if (typeof exposeErrors !== 'function') return exposeErrors ?? exchange.peer.development
  try {
    return exposeErrors(error, call) === true
  } catch {
    return false
  }
}

/** Reports a fault of the host's own functions where no exchange is there to tell of it. */
export function reportHostFault(services: RequestServices, error: unknown, method: string): void {
  reportFault(services, error, { what: 'a request could not be served', method })
}

/** The error that may leave: a refusal as it is; anything else is reported, and masked. */
export function toClientError(services: RequestServices, error: unknown, method: string): McpError {
  if (brandOf(error) === 'mcp') return error as McpError
  reportHostFault(services, error, method)
  return refusal(ErrorCode.InternalError, 'Internal error')
}

/** The same of a function that a definition brings. */
export function reportFault(
  services: RequestServices,
  error: unknown,
  { what, method }: { readonly what: string; readonly method: string },
): void {
  services.counts.errors += 1
  services.log.error(`${what}: ${causesOf(error)}`, { err: error, method })
  notify(services, error, { method, name: undefined, user: undefined, reference: undefined })
}

function notify(services: RequestServices, error: unknown, call: FailedCall): void {
  callHook(
    () => services.onError?.(error, call),
    (hookError) => services.log.error(`onError failed: ${messageOf(hookError)}`, { err: hookError }),
  )
}
