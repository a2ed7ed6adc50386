/** One place that decides what becomes of a thrown value: what the client reads, its code, and how loud the log is. */

import { brandOf, ErrorCode, type McpError } from './errors.js'
import type { Revision } from './protocol/revisions.js'

/** The server broke its own promise: a result that fails `output`, or that JSON cannot carry. Always masked, always -32603. */
export class ServerFault extends Error {
  override readonly name: string = 'ServerFault'
}

/** The wait for a handler ended: time-out or shutdown. Its message may leave; it is also the reason of `ctx.signal`. */
export class Interrupted extends Error {
  override readonly name: 'TimeoutError' | 'AbortError'

  constructor(name: 'TimeoutError' | 'AbortError', message: string) {
    super(message)
    this.name = name
  }
}

export interface Failure {
  /** Refusals were thrown on purpose and are logged at `warn`; faults are bugs and are logged at `error`. */
  readonly kind: 'refusal' | 'fault'
  /** True: a JSON-RPC error even from a tool, whose failures are results otherwise. */
  readonly protocol: boolean
  readonly code: number
  /** `undefined`: masked, the message must not leave. */
  readonly message: string | undefined
  readonly data?: unknown
  readonly error: unknown
}

/** Judges anything that was thrown. */
export function judge(
  error: unknown,
  revision: Revision,
  notFound: number = ErrorCode.InvalidParams,
): Failure {
  const brand = brandOf(error)
  if (brand === 'mcp') {
    const { code, message, data } = error as McpError
    const kind = code === ErrorCode.InternalError ? 'fault' : 'refusal'
    return { kind, protocol: true, code: projectCode(error as McpError, revision), message, data, error }
  }
  if (brand !== undefined) {
    const code = {
      tool: ErrorCode.InternalError,
      'not-found': notFound,
      'invalid-params': ErrorCode.InvalidParams,
    }[brand]
    return { kind: 'refusal', protocol: false, code, message: messageOf(error), error }
  }
  if (error instanceof Interrupted) {
    return { kind: 'fault', protocol: false, code: ErrorCode.InternalError, message: error.message, error }
  }
  const status = exposedStatus(error)
  if (status !== undefined) {
    const code = codeOfStatus[status] ?? (status === 404 ? notFound : ErrorCode.InternalError)
    return { kind: 'refusal', protocol: false, code, message: messageOf(error), error }
  }
  return {
    kind: 'fault',
    protocol: error instanceof ServerFault,
    code: ErrorCode.InternalError,
    message: undefined,
    error,
  }
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  try {
    const message = (error as { message?: unknown } | null | undefined)?.message
    return typeof message === 'string' ? message : String(error)
  } catch {
    return 'an error that cannot be read'
  }
}

const codeOfStatus: Readonly<Record<number, number>> = {
  400: ErrorCode.InvalidParams,
  401: ErrorCode.Unauthorized,
  403: ErrorCode.Forbidden,
  422: ErrorCode.InvalidParams,
}

/** What errors of HTTP and cloud clients carry: their status is another server's, their text names its insides. */
const foreign = [
  'response',
  'request',
  'config',
  'requestId',
  'requestID',
  'request_id',
  '$metadata',
  '$response',
]

/** The status of an error that the app threw for its callers to read; `undefined` when it must be masked. */
function exposedStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { expose, status, statusCode } = error as Record<string, unknown>
  if (expose === false || foreign.some((key) => key in error)) return undefined
  const code = Number(status ?? statusCode)
  if (code >= 400 && code <= 499) return code
  return expose === true ? 0 : undefined
}

/**
 * The code as this revision allows it. Digest 1.3: 2026-07-28 must not send -32002 or -32042, nothing of the legacy
 * range -32000…-32019, and of the reserved -32020…-32099 only what the router itself sends. Before it, the reserved
 * ones mean nothing.
 */
export function projectCode(error: McpError, revision: Revision): number {
  const { code } = error
  if (error.own || code > -32000 || code < -32099)
    return Number.isInteger(code) ? code : ErrorCode.InternalError
  if (code === ErrorCode.ResourceNotFound) return revision.resourceNotFound
  const legacyOnly = code > -32020 || (code === -32042 && revision.version === '2025-11-25')
  return legacyOnly && revision.era === 'legacy' ? code : ErrorCode.InternalError
}
