/** Everything one router is made of. Requests read it; only the router's own methods change it. */

import type { CacheHint } from '../definitions/options.js'
import type { MethodServices } from '../methods/services.js'
import type { SessionStreams } from '../notifications/session-streams.js'
import type { RouteTools } from '../routes/route-tools.js'
import type { Rates } from '../sessions/per-caller.js'
import type { Logger } from '../support/logger.js'
import type { OpenRunner } from '../tasks/task-runner.js'
import type { RecentCalls } from '../tracing/recent-calls.js'
import type { Tracer } from '../tracing/tracer.js'
import type { Connection } from './connection.js'

export interface Core extends MethodServices {
  /** What follows the items of a modern list, as text without braces. */
  readonly envelopeText: (cache: CacheHint) => string
  readonly routes: RouteTools
  /** Who runs tasks; `undefined`: the process that took the call. */
  runner: OpenRunner | undefined
  /** The store is the router's own, and closes with it; one that was given is closed by whoever made it. */
  readonly ownsStore: boolean
  readonly sessionStreams: SessionStreams
  /** `hasLogin`: some mount has `user` or `auth`. `openUpgrade`: the name of a WebSocket mount with neither. */
  readonly logins: { hasLogin: boolean; openUpgrade: string | undefined }
  /** Whom limits count over connections that came through an HTTP request. */
  readonly callerKeys: WeakMap<object, string | undefined>
  /** Callers of `router.handle()` that can be told something outside of their calls. */
  readonly connections: WeakMap<object, Connection>
  /** Callers on this machine, over stdio or in tests: they read the messages of faults. */
  readonly localCallers: WeakSet<object>
  /** `undefined`: the router was given a logger of its own. */
  readonly moveLog: ((logger: Logger) => void) | undefined
  /** `undefined`: nobody looks at them. */
  recentCalls: RecentCalls | undefined
  /** Runs around every request; `undefined`: nobody traces. */
  tracer: Tracer | undefined
  /** What a single caller may do in a while. */
  readonly rates: Rates
}
