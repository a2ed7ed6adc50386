/** Classifies thrown values: the message and code for the client, and the level of the log entry. */

import { assertJson } from './assert-json.js'
import { brandOf, CannotAskError, ErrorCode, type McpError, mark } from './errors.js'

/** A handler was interrupted by a timeout or by shutdown. Clients may read the message; it's also the reason of `ctx.signal`. */
export class Interrupted extends Error {
  override readonly name: 'TimeoutError' | 'AbortError'

  constructor(name: 'TimeoutError' | 'AbortError', message: string) {
    super(message)
    mark(this, 'interrupted')
    this.name = name
  }
}

export interface Failure {
  /** Refusals were thrown on purpose and are logged at `warn`; faults are bugs and are logged at `error`. */
  readonly kind: 'refusal' | 'fault'
  /** True for JSON-RPC errors, also from tools, whose other failures are results. */
  readonly protocol: boolean
  readonly code: number
  /** `undefined`: the message is masked. */
  readonly message: string | undefined
  readonly data?: unknown
  readonly error: unknown
}

/** The error codes that a revision allows. */
export interface ErrorCodeRules {
  readonly version: string
  readonly era: 'legacy' | 'modern'
  /** The code of "resource not found". */
  readonly resourceNotFound: number
}

/** Which code "not found" has: -32602, or the revision's own code for resources. */
export interface NotFound {
  readonly code: number
  readonly data?: unknown
}

/** Classifies any thrown value. One whose members can't be read is a fault. */
export function classifyError(
  error: unknown,
  revision: ErrorCodeRules,
  notFound: NotFound = { code: ErrorCode.InvalidParams },
): Failure {
  try {
    return classifyReadable(error, revision, notFound)
  } catch {
    return fault(error)
  }
}

function classifyReadable(error: unknown, revision: ErrorCodeRules, notFound: NotFound): Failure {
  const brand = brandOf(error)
  if (brand === 'mcp') return classifyMcpError(error as McpError, revision)
  if (brand === 'not-found') return refusal(error, notFound)
  if (brand === 'invalid-params') return refusal(error, { code: ErrorCode.InvalidParams })
  if (brand === 'tool') return refusal(error, { code: ErrorCode.InternalError })
  if (brand === 'interrupted') return { ...fault(error), message: messageOf(error) }
  const status = exposedStatus(error)
  if (status === undefined) return fault(error)
  if (status === 404) return refusal(error, notFound)
  return refusal(error, { code: codeOfStatus[status] ?? ErrorCode.InternalError })
}

function classifyMcpError(error: McpError, revision: ErrorCodeRules): Failure {
  assertJson(error.data)
  const kind = error.code === ErrorCode.InternalError ? 'fault' : 'refusal'
  const { message, data } = error
  const protocol = !(error instanceof CannotAskError)
  return { kind, protocol, code: toRevisionCode(error, revision), message, data, error }
}

function refusal(error: unknown, { code, data }: NotFound): Failure {
  return { kind: 'refusal', protocol: false, code, data, message: messageOf(error), error }
}

function fault(error: unknown): Failure {
  return {
    kind: 'fault',
    protocol: brandOf(error) === 'mcp',
    code: ErrorCode.InternalError,
    message: undefined,
    error,
  }
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  try {
    const message = (error as { message?: unknown } | null | undefined)?.message
    return typeof message === 'string' ? message : String(error)
  } catch {
    return 'an error that cannot be read'
  }
}

/** A limit, because chains of causes may be circular. */
const mostCauses = 10

/** Returns the message with those of its causes. */
export function causesOf(error: unknown): string {
  const messages: string[] = []
  try {
    let part = error
    for (let depth = 0; part !== undefined && part !== null && depth < mostCauses; depth++) {
      const message = messageOf(part)
      if (!messages.some((said) => said.includes(message))) messages.push(message)
      part = typeof part === 'object' ? (part as { cause?: unknown }).cause : undefined
    }
  } catch {
    messages.push('a cause that cannot be read')
  }
  return messages.length === 0 ? `${String(error)} was thrown` : messages.join(' <- ')
}

const codeOfStatus: Readonly<Record<number, number>> = {
  400: ErrorCode.InvalidParams,
  401: ErrorCode.Unauthorized,
  403: ErrorCode.Forbidden,
  422: ErrorCode.InvalidParams,
}

/** Members that mark errors of HTTP and cloud clients. Their status and text are another server's and must not leave. */
const foreign = [
  'response',
  'request',
  'config',
  'requestId',
  'requestID',
  'request_id',
  '$metadata',
  '$response',
  'moreInfo',
  '__isAuthError',
  '__isStorageError',
]

function isForeign(error: object): boolean {
  if (foreign.some((key) => key in error)) return true
  const { code, meta } = error as { code?: unknown; meta?: unknown }
  if (typeof code === 'string' && code.startsWith('UND_ERR_')) return true
  // Search clients keep the other server's response in `meta`.
  return typeof meta === 'object' && meta !== null && 'statusCode' in meta
}

/** Returns the HTTP status of an error that the app exposes to its callers; `undefined` if it must be masked. */
export function exposedStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { expose, status, statusCode } = error as Record<string, unknown>
  if (expose === false || isForeign(error)) return undefined
  const number = Number(status ?? statusCode)
  if (number >= 400 && number <= 499) return number
  return expose === true ? 0 : undefined
}

/**
 * Converts a code to one that the revision allows (2026-07-28, Base protocol, Error codes). The newest revision must not
 * send -32002, -32042 or the legacy range -32000…-32019, and of the reserved range -32020…-32099 only the router's own
 * codes. Older revisions have no reserved codes.
 */
function toRevisionCode(error: McpError, revision: ErrorCodeRules): number {
  const { code } = error
  if (error.own || code > -32000 || code < -32099)
    return Number.isInteger(code) ? code : ErrorCode.InternalError
  if (code === ErrorCode.ResourceNotFound) return revision.resourceNotFound
  const legacyOnly = code > -32020 || (code === -32042 && revision.version === '2025-11-25')
  return legacyOnly && revision.era === 'legacy' ? code : ErrorCode.InternalError
}
