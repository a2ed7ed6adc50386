/** The parts of one router. Requests read them; only the router's own methods change them. */

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
  /** Returns the JSON that follows the items of a modern list, without braces. */
  readonly envelopeText: (cache: CacheHint) => string
  readonly routes: RouteTools
  /** Runs tasks. `undefined`: the process that received the call does. */
  runner: OpenRunner | undefined
  /** Whether the router created the store, and closes it. */
  readonly ownsStore: boolean
  readonly sessionStreams: SessionStreams
  /** `hasLogin`: some mount has `user` or `auth`. `openUpgrade`: the name of a WebSocket mount with neither. */
  readonly logins: { hasLogin: boolean; openUpgrade: string | undefined }
  /** The keys that per-caller limits count by, for connections that began as an HTTP request. */
  readonly callerKeys: WeakMap<object, string | undefined>
  /** Connections of `router.handle()`, by their caller object. */
  readonly connections: WeakMap<object, Connection>
  /** Callers on this machine, over stdio or in tests. They get the messages of faults. */
  readonly localCallers: WeakSet<object>
  /** Sets the framework's logger. `undefined` if the router has the option `logger`. */
  readonly moveLog: ((logger: Logger) => void) | undefined
  /** `undefined` while no endpoint shows them. */
  recentCalls: RecentCalls | undefined
  /** Runs around every request. `undefined` without tracing. */
  tracer: Tracer | undefined
  /** The rate limits per caller. */
  readonly rates: Rates
}
