/** The public names for people who mount a router on a framework of their own, and for middleware adapters. */

export { aBoolean, type Check, checkOptions, expected, type OptionTable, oneOf } from './check-options.js'
export type { Auth, Call, Context, Middleware, Register, RequestInfo } from './context.js'
export { ErrorCode, McpError, ToolError } from './errors.js'
export { refuseWith } from './failures/refuse-with.js'
export { adoptLogger, McpRouter } from './router.js'
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
export type { LogBound, LogEntry, Store, StoreStatus } from './store/store.js'
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
export { attempt, type Steps, whenReady } from './thenable.js'
export type {
  AuthOptions,
  Principal,
  TokenUse,
  TokenVerifier,
} from './transports/auth-options.js'
export { type Channel, Duplex, type DuplexOptions } from './transports/duplex.js'
export {
  type CallerOptions,
  type DuplexLimits,
  duplexOptionTable,
  withDefaults,
} from './transports/duplex-options.js'
export { HttpHandler } from './transports/http.js'
export { LineFeed, type PacedChannel } from './transports/line-feed.js'
export { MetadataHandler } from './transports/metadata.js'
export {
  type AnyMountOptions,
  assertNoRoutes,
  type MountOptions,
  mountOptionTable,
  type OptionsArgument,
} from './transports/mount-options.js'
export {
  type Endpoint,
  type HttpRequest,
  type HttpResponse,
  isPieces,
  type Pieces,
  type RequestBody,
  type Sink,
} from './transports/shapes.js'
export {
  type AnyUpgradeOptions,
  type Entrant,
  type UpgradeOptions,
  type UpgradeParts,
  Upgrades,
  upgradeOptionTable,
} from './transports/upgrades.js'
