/** The public names for people who mount a router on a framework of their own, and for middleware adapters. */

export type { Call, Context, Middleware, Register, RequestInfo } from './definitions/context.js'
export { ErrorCode, McpError, ToolError } from './errors/errors.js'
/** @deprecated Use `fromHttpRefusal`. */
export { fromHttpRefusal, fromHttpRefusal as refuseWith } from './errors/from-http-refusal.js'
export type { Auth } from './protocol/identity.js'
export type {
  Discovered,
  Dispatch,
  InnerHeaders,
  InnerRequest,
  InnerResponse,
  Route,
  RouteGuard,
  RouteMarker,
  RouteSchema,
  RouteSource,
  Unread,
} from './routes/route.js'
export { adoptLogger, McpRouter } from './server/router.js'
export type { LogBound, LogEntry, Store, StoreStatus } from './store/store.js'
export {
  aBoolean,
  type Check,
  checkOptions,
  expected,
  type OptionTable,
  oneOf,
} from './support/check-options.js'
export { attempt, type Steps, whenReady } from './support/maybe-promise.js'
export type { TaskOptions } from './tasks/task.js'
export type {
  Attempt,
  OpenRunner,
  QueuedCaller,
  QueuedTask,
  Ran,
  RunnerHost,
  TaskRunner,
} from './tasks/task-runner.js'
export type {
  AuthOptions,
  Principal,
  TokenUse,
  TokenVerifier,
} from './transports/auth/auth-options.js'
export { MetadataHandler } from './transports/auth/metadata.js'
export { type Channel, Duplex, type DuplexOptions } from './transports/duplex/duplex.js'
export {
  type CallerOptions,
  type DuplexLimits,
  duplexOptionTable,
  withDefaults,
} from './transports/duplex/duplex-options.js'
export { LineFeed, type PacedChannel } from './transports/duplex/line-feed.js'
export {
  type AnyUpgradeOptions,
  type Entrant,
  type UpgradeOptions,
  type UpgradeParts,
  Upgrades,
  upgradeOptionTable,
} from './transports/duplex/upgrades.js'
export { HttpHandler } from './transports/http/http.js'
export {
  type AnyMountOptions,
  assertNoRoutes,
  type MountOptions,
  mountOptionTable,
  type OptionsArgument,
} from './transports/http/mount-options.js'
export {
  type Endpoint,
  type HttpRequest,
  type HttpResponse,
  isPieces,
  type Pieces,
  type RequestBody,
  type Sink,
} from './transports/http/shapes.js'
