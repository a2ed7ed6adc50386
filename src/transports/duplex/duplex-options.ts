/** The options that every transport of two directions has. */

import type { Context, Register, UserIdOption } from '../../definitions/context.js'
import {
  aCount,
  aFunction,
  anObject,
  expected,
  milliseconds,
  type OptionTable,
  scopeNames,
} from '../../support/check-options.js'
import { type BodyLimits, bodyLimits } from '../http/body.js'

/** Who is calling, where no login of a framework says it. What `Register` promises must be given. */
export type CallerOptions<E extends object = Register> = (undefined extends Context<E>['user']
  ? { user?: Context<E>['user'] }
  : { user: Context<E>['user'] }) &
  (Record<never, never> extends Omit<E, 'user'>
    ? { context?: Omit<E, 'user'> | undefined }
    : { context: Omit<E, 'user'> }) & {
    /** The stable id of the user: what questions and tasks are bound to. Default: `sub`, `id`, `_id` or `userId`. */
    userId?: UserIdOption<E> | undefined
    /** Enforces `scopes` of definitions. Default: they are not enforced. */
    scopes?: readonly string[] | undefined
  }

/** The bounds of a connection of two directions. */
export interface DuplexLimits {
  /** Default 4 MiB. */
  maxBodyBytes?: number | undefined
  /** Default 64 levels. */
  maxDepth?: number | undefined
  /** Default 100,000 members. */
  maxElements?: number | undefined
  /** How many requests of one connection may run at once; further ones are refused. Default 1,000 over stdio, 100 over WebSocket. */
  maxCalls?: number | undefined
  /** How long running calls may take to end when the connection does. Default 10,000 milliseconds. */
  drainMs?: number | undefined
}

export const duplexLimitTable: OptionTable = {
  known: {
    maxBodyBytes: aCount,
    maxDepth: aCount,
    maxElements: aCount,
    maxCalls: aCount,
    drainMs: milliseconds,
  },
}

/** The options of a connection of two directions, as a table for `checkOptions`. */
export const duplexOptionTable: OptionTable = {
  known: {
    user: expected('the user', () => true),
    userId: aFunction,
    context: anObject,
    scopes: scopeNames,
    onClose: aFunction,
    ...duplexLimitTable.known,
  },
}

/** Each limit, with its default. */
export function withDefaults(
  { maxCalls, drainMs = 10_000, ...limits }: DuplexLimits,
  mostCalls: number,
): BodyLimits & { readonly maxCalls: number; readonly drainMs: number } {
  return { ...bodyLimits(limits), maxCalls: maxCalls ?? mostCalls, drainMs }
}
