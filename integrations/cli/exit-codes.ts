/** Exit codes, and the errors that determine them. */

import { ErrorCode, McpError } from '../../src/internal.js'
import { HttpFailure } from './client/http-failure.js'
import { ServerFailure } from './client/server-failure.js'

/** Exit codes; docs/command-line.md has the same table. */
export const exitCodes = {
  ok: 0,
  /** The tool failed, or `--fail-on` found something. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The module cannot be loaded, or the server cannot be reached. */
  unreachable: 3,
  /** The server refuses the request, such as for an unknown tool or a caller without permission. */
  refused: 4,
  /** Ctrl-C. */
  cancelled: 130,
} as const

/** The error for an invalid command line. The message says what's expected. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}

/** The error for a module that can't be used. The message says what to do. */
export class LoadError extends Error {
  override readonly name: string = 'LoadError'
}

/** The error after the user pressed Ctrl-C. */
export class Cancelled extends Error {
  override readonly name: string = 'Cancelled'
  constructor() {
    super('Cancelled.')
  }
}

interface Outcome {
  readonly code: number
  readonly text: string
}

const exitCodeOf: readonly [new (...args: never[]) => Error, number][] = [
  [UsageError, exitCodes.usage],
  [LoadError, exitCodes.unreachable],
  [ServerFailure, exitCodes.unreachable],
  [Cancelled, exitCodes.cancelled],
]

/** Returns the exit code and the message for an error. */
export function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof Error)) return { code: exitCodes.unreachable, text: String(error) }
  const { message } = error
  const own = exitCodeOf.find(([kind]) => error instanceof kind)
  if (own !== undefined) return { code: own[1], text: message }
  if (error instanceof McpError) {
    const hint =
      error.code === ErrorCode.Unauthorized ? '; identify the caller with --token, --header or --user' : ''
    return { code: exitCodes.refused, text: `The server refused: ${message} (${error.code})${hint}` }
  }
  if (error instanceof HttpFailure) {
    return { code: error.isRefusal ? exitCodes.refused : exitCodes.unreachable, text: message }
  }
  // Only the cause of an error of `fetch` contains the reason.
  if (error instanceof TypeError && error.cause instanceof Error) {
    return { code: exitCodes.unreachable, text: `Cannot reach the server: ${reasonOf(error.cause)}` }
  }
  return { code: exitCodes.unreachable, text: error.stack ?? message }
}

/** Returns the reason. If several addresses were tried, the error has no message, but its first inner error does. */
function reasonOf(cause: Error): string {
  const [first] = cause instanceof AggregateError ? (cause.errors as Error[]) : []
  return first?.message ?? cause.message
}
