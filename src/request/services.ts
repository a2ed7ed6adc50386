/** The parts of the router that a request needs. Each lower layer extends this interface; `Core` implements all of it. */

import type { CacheHint } from '../definitions/options.js'
import type { Registry } from '../definitions/registry.js'
import type { Revision } from '../protocol/revisions.js'
import type { Implementation, LoggingLevel } from '../protocol/types.js'
import type { SealedTokens } from '../sessions/sealed-tokens.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Store } from '../store/store.js'
import type { ActivityEntry, FailedCall } from '../support/hooks.js'
import type { InFlightRequests } from '../support/in-flight.js'
import type { Log } from '../support/logger.js'

export interface RequestServices {
  readonly info: Implementation
  /** The `_meta` of every modern result. */
  readonly serverMeta: Readonly<Record<string, object>>
  readonly instructions: string | undefined
  readonly registry: Registry
  /** Oldest first. */
  readonly supportedRevisions: readonly Revision[]
  readonly supportsEra: { readonly legacy: boolean; readonly modern: boolean }
  readonly pageSize: number
  /** Cache hints of lists and discovery, and of reads. */
  readonly cache: { readonly lists: CacheHint; readonly reads: CacheHint }
  /** `undefined`: error messages are sent in development only. */
  readonly exposeErrors: boolean | ((error: unknown, call: FailedCall) => boolean) | undefined
  readonly requireUser: boolean
  readonly tokens: SealedTokens
  readonly store: Store
  /** How long a client may take to answer a request of the server. Milliseconds. */
  readonly inputTimeoutMs: number
  /** How long a `requestState` is valid. Milliseconds. */
  readonly stateTtlMs: number
  readonly taskDefaults: { readonly ttlMs: number; readonly pollIntervalMs: number }
  /** `undefined`: the router opens no sessions. */
  readonly sessions: Sessions | undefined
  readonly logLevel: LoggingLevel
  /** Levels set over connections that have no session. */
  readonly callerLevels: WeakMap<object, LoggingLevel>
  readonly log: Log
  readonly onError: ((error: unknown, call: FailedCall) => void) | undefined
  readonly onActivity: ((entry: ActivityEntry) => void) | undefined
  readonly inFlight: InFlightRequests
  /** Functions of the app that a warning was logged for, once each. */
  readonly warnedOf: WeakSet<object>
  readonly counts: { calls: number; errors: number; streams: number; sessions: number }
}
