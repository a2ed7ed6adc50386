/** How a command ends, and the errors that end one. */

import { ErrorCode, McpError } from '../../src/internal.js'
import { HttpFailure } from './client/http-failure.js'
import { ServerFailure } from './client/server-failure.js'

/** As docs/command-line.md lists them. */
export const exitCodes = {
  fine: 0,
  /** The tool failed, or `--fail-on` found something. */
  failed: 1,
  /** Wrong use of the command. */
  usage: 2,
  /** The module cannot be loaded, or the server cannot be reached. */
  unreachable: 3,
  /** The server refuses: an unknown tool, a caller who may not. */
  refused: 4,
  /** Ctrl-C. */
  cancelled: 130,
} as const

/** The command was used wrongly; the message says how it is used. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}

/** A module is not what it should be; the message says what to do. */
export class LoadError extends Error {
  override readonly name: string = 'LoadError'
}

/** The user pressed Ctrl-C. */
export class Cancelled extends Error {
  override readonly name: string = 'Cancelled'
  constructor() {
    super('Cancelled.')
  }
}

interface Ending {
  readonly code: number
  readonly text: string
}

const endings: readonly [new (...args: never[]) => Error, number][] = [
  [UsageError, exitCodes.usage],
  [LoadError, exitCodes.unreachable],
  [ServerFailure, exitCodes.unreachable],
  [Cancelled, exitCodes.cancelled],
]

/** What an error means to who started the command. */
export function endingOf(error: unknown): Ending {
  if (!(error instanceof Error)) return { code: exitCodes.unreachable, text: String(error) }
  const { message } = error
  const own = endings.find(([kind]) => error instanceof kind)
  if (own !== undefined) return { code: own[1], text: message }
  if (error instanceof McpError) {
    const hint = error.code === ErrorCode.Unauthorized ? '; --token, --header or --user says who calls' : ''
    return { code: exitCodes.refused, text: `The server refuses: ${message} (${error.code})${hint}` }
  }
  if (error instanceof HttpFailure) {
    return { code: error.isRefusal ? exitCodes.refused : exitCodes.unreachable, text: message }
  }
  // `fetch` says why in the cause alone.
  if (error instanceof TypeError && error.cause instanceof Error) {
    return { code: exitCodes.unreachable, text: `Cannot reach the server: ${reasonOf(error.cause)}` }
  }
  return { code: exitCodes.unreachable, text: error.stack ?? message }
}

/** Several addresses that were tried come as an error without a message. */
function reasonOf(cause: Error): string {
  const [first] = cause instanceof AggregateError ? (cause.errors as Error[]) : []
  return first?.message ?? cause.message
}
