/** The options of all bidirectional transports, such as stdio and WebSocket. */

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

/** The caller of a connection without a framework's login. Members that `Register` declares as required must be given. */
export type CallerOptions<E extends object = Register> = (undefined extends Context<E>['user']
  ? { user?: Context<E>['user'] }
  : { user: Context<E>['user'] }) &
  (Record<never, never> extends Omit<E, 'user'>
    ? { context?: Omit<E, 'user'> | undefined }
    : { context: Omit<E, 'user'> }) & {
    /** Returns the stable id of the user, which client requests and tasks are bound to. Default: `sub`, `id`, `_id` or `userId`. */
    userId?: UserIdOption<E> | undefined
    /** The caller's scopes. Enforces the `scopes` of definitions. Default: scopes aren't enforced. */
    scopes?: readonly string[] | undefined
  }

/** The limits of a bidirectional connection. */
export interface DuplexLimits {
  /** The maximum size of a message in bytes. Default 4 MiB. */
  maxBodyBytes?: number | undefined
  /** The maximum nesting depth of a message. Default 64 levels. */
  maxDepth?: number | undefined
  /** The maximum number of members and elements in a message. Default 100,000. */
  maxElements?: number | undefined
  /** The maximum number of requests that run at once on one connection; further ones are refused. Default 1,000 over stdio, 100 over WebSocket. */
  maxCalls?: number | undefined
  /** Milliseconds that running calls have to finish when the connection closes. Default 10,000. */
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

/** The options of a bidirectional connection, as a table for `checkOptions`. */
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

/** Fills in the defaults of limits. `defaultMaxCalls` depends on the transport. */
export function withDefaults(
  { maxCalls, drainMs = 10_000, ...limits }: DuplexLimits,
  defaultMaxCalls: number,
): BodyLimits & { readonly maxCalls: number; readonly drainMs: number } {
  return { ...bodyLimits(limits), maxCalls: maxCalls ?? defaultMaxCalls, drainMs }
}
