/** What one router is made of, inside. Requests read it; only the router's own methods change it. */

import type { PostedAnswers } from '../client-requests/posted-answers.js'
import type { CacheHint } from '../definitions/options.js'
import type { Registry } from '../definitions/registry.js'
import type { NotificationHub } from '../notifications/notification-hub.js'
import type { SessionStreams } from '../notifications/session-streams.js'
import type { SessionSubscriptions } from '../notifications/session-subscriptions.js'
import type { Revision } from '../protocol/revisions.js'
import type { Implementation, LoggingLevel } from '../protocol/types.js'
import type { RouteTools } from '../routes/route-tools.js'
import type { Rates } from '../sessions/per-caller.js'
import type { SealedTokens } from '../sessions/sealed-tokens.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Store } from '../store/store.js'
import type { ActivityEntry, FailedCall } from '../support/hooks.js'
import type { InFlightRequests } from '../support/in-flight.js'
import type { Log, Logger } from '../support/logger.js'
import type { OpenRunner } from '../tasks/task-runner.js'
import type { Tasks } from '../tasks/tasks.js'
import type { RecentCalls } from '../tracing/recent-calls.js'
import type { Tracer } from '../tracing/tracer.js'
import type { DescribedMount } from '../transports/auth/metadata.js'
import type { Connection } from './connection.js'
import type { ToolSearch } from './tool-search.js'

export interface Core {
  readonly info: Implementation
  /** The `_meta` of every modern result. */
  readonly serverMeta: Readonly<Record<string, object>>
  /** What follows the items of a modern list, as text without braces. */
  readonly envelopeText: (cache: CacheHint) => string
  readonly instructions: string | undefined
  readonly registry: Registry
  readonly routes: RouteTools
  /** `undefined`: tools are listed themselves. */
  readonly toolSearch: ToolSearch | undefined
  /** Oldest first. */
  readonly supportedRevisions: readonly Revision[]
  readonly supportsEra: { readonly legacy: boolean; readonly modern: boolean }
  readonly pageSize: number
  /** For lists and discovery, and for reads. */
  readonly cache: { readonly lists: CacheHint; readonly reads: CacheHint }
  /** `undefined`: only in development. */
  readonly exposeErrors: boolean | ((error: unknown, call: FailedCall) => boolean) | undefined
  readonly requireUser: boolean
  readonly tokens: SealedTokens
  readonly store: Store
  /** Posted answers to what legacy clients were asked. */
  readonly postedAnswers: PostedAnswers
  /** How long a client may take to answer, and to come back. Milliseconds. */
  readonly inputTimeoutMs: number
  readonly stateTtlMs: number
  readonly tasks: Tasks
  /** Who runs tasks; `undefined`: the process that took the call. */
  runner: OpenRunner | undefined
  readonly taskDefaults: { readonly ttlMs: number; readonly pollIntervalMs: number }
  /** The store is the router's own, and closes with it; one that was given is closed by whoever made it. */
  readonly ownsStore: boolean
  /** Who is told of changes. */
  readonly notifications: NotificationHub
  readonly subscriptions: SessionSubscriptions
  readonly sessionStreams: SessionStreams
  /** `undefined`: no sessions are handed out. */
  readonly sessions: Sessions | undefined
  /** The mounts that check tokens, and whether the host root tells of them. */
  readonly metadata: { readonly described: DescribedMount[]; atRoot: boolean }
  /** `asks`: a mount has `user` or `auth`. `open`: a WebSocket mount that has neither. */
  readonly doors: { asks: boolean; open: string | undefined }
  readonly logLevel: LoggingLevel
  /** Levels set over connections that have no session. */
  readonly callerLevels: WeakMap<object, LoggingLevel>
  /** Whom limits count over connections that came through an HTTP request. */
  readonly callerKeys: WeakMap<object, string | undefined>
  /** Callers of `router.handle()` that can be told something outside of their calls. */
  readonly connections: WeakMap<object, Connection>
  /** Callers on this machine, over stdio or in tests: they read the messages of faults. */
  readonly localCallers: WeakSet<object>
  readonly log: Log
  /** `undefined`: the router was given a logger of its own. */
  readonly moveLog: ((logger: Logger) => void) | undefined
  readonly onError: ((error: unknown, call: FailedCall) => void) | undefined
  readonly onActivity: ((entry: ActivityEntry) => void) | undefined
  /** `undefined`: nobody looks at them. */
  recentCalls: RecentCalls | undefined
  /** Runs around every request; `undefined`: nobody traces. */
  tracer: Tracer | undefined
  readonly inFlight: InFlightRequests
  /** What a single caller may do in a while. */
  readonly rates: Rates
  /** Functions of the app, and circumstances, that were warned of, once each. */
  readonly warnedOf: WeakSet<object>
  readonly counts: { calls: number; errors: number; streams: number; sessions: number }
}
