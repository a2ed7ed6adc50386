/** The names that the integrations of this package use beside the public ones. Not public: they change without notice. */

export { exchangeOf, isPassedOn } from './calls/create-context.js'
export type { ToolResult } from './content/tool-result.js'
export type {
  AskedOfCaller,
  BaseContext,
  Caller,
  Context,
  Register,
  RequestInfo,
} from './definitions/context.js'
export { type AnyDefinition, type DefinitionParts, partsOf } from './definitions/define.js'
export type { Entry } from './definitions/entries.js'
export type { Registration, Registry } from './definitions/registry.js'
export { labelText } from './definitions/route-report.js'
export { toEntry } from './definitions/to-entry.js'
export { ErrorCode, McpError } from './errors/errors.js'
export type { Auth } from './protocol/identity.js'
export { lists } from './protocol/lists.js'
export { loggingLevels } from './protocol/logging-levels.js'
export { metaOf, versionKey } from './protocol/params.js'
export { nameKeys } from './protocol/request-headers.js'
export { isModernVersion, newestRevision, revisions } from './protocol/revisions.js'
export type { CreateMessageParams, CreateMessageResult } from './protocol/sampling.js'
export type {
  Annotations,
  CallToolResult,
  ClientCapabilities,
  CompleteResult,
  ContentBlock,
  GetPromptResult,
  Icon,
  Implementation,
  JsonRpcErrorObject,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  LoggingLevel,
  Meta,
  Params,
  ReadResourceResult,
  RequestId,
  Result,
  Root,
} from './protocol/types.js'
export { endpointOf, markEndpoint } from './routes/discovery/endpoint.js'
export { checkMarker, mark, markerOf, mergedMarker, unreadableMarker } from './routes/discovery/marker.js'
export { passThroughGuards } from './routes/discovery/pass-through-routes.js'
export {
  parseExpress4,
  parseFastify,
  parseOpenApi,
  parsePathToRegexp6,
  parsePathToRegexp8,
  toSegments,
  withPattern,
} from './routes/discovery/path-syntax.js'
export {
  joinSegments,
  type Literal,
  type Parameter,
  parametersOf,
  pathText,
  type Segment,
  samplePath,
  samplePaths,
  type Template,
  toTemplate,
  UnreadablePath,
} from './routes/discovery/path-template.js'
export { matches, parsePattern } from './routes/discovery/patterns.js'
export { mayOverlap } from './routes/discovery/route-precedence.js'
export { operationRelator, withMountOptions } from './routes/discovery/siblings.js'
export { Snapshot } from './routes/discovery/snapshot.js'
export { nameOfRoute } from './routes/naming.js'
export { checkHeaderNames } from './routes/request/controlled-headers.js'
export { checkForwardHeaders, forwardedHeaders } from './routes/request/forwarded-headers.js'
export { type QueryParser, queryParserOf } from './routes/request/parameter-styles.js'
export { progressOf } from './routes/response/event-stream.js'
export {
  bytesToRead,
  defaultMaxResultBytes,
  type ToolResultOptions,
  toToolResult,
} from './routes/response/to-tool-result.js'
export type {
  DescribedParts,
  Discovered,
  PatternRoute,
  Route,
  RouteGuard,
  RouteMarker,
  RouteSchema,
  RouteSource,
  Unread,
} from './routes/route.js'
export {
  type AnyRouteOptions,
  appsByHand,
  type LazyOpenApiSource,
  type OpenApiSource,
  type RouteOptions,
} from './routes/route-options.js'
export type { RouteReader } from './routes/route-tools.js'
export { localRefs } from './routes/schema/refs.js'
export { type Overlay, RouteDocument } from './routes/schema/route-document.js'
export { type HeaderParameter, headerParameters } from './schema/index.js'
export {
  connectRoutes,
  logOf,
  routeLog,
  routeReportsOf,
  routesOf,
  warnOfLogin,
} from './server/connect-routes.js'
export type { Core } from './server/core.js'
export { coreOf, type McpRouter, traceRequests } from './server/router.js'
export { PerCaller } from './sessions/per-caller.js'
export { toBase64 } from './support/base64.js'
export {
  aBoolean,
  aCount,
  aFunction,
  anObject,
  arrayOf,
  aString,
  type Check,
  checkOptions,
  expected,
  oneOf,
  scopeNames,
} from './support/check-options.js'
export { withTimeout } from './support/deadlines.js'
export type { Log } from './support/logger.js'
export { isThenable } from './support/maybe-promise.js'
export { nearest } from './support/nearest.js'
export { describe, isObject, userOf, valueAt } from './support/values.js'
export type { Operation, Outcome, RequestTrace, Tracer } from './tracing/tracer.js'
export type { OptionsArgument } from './transports/http/mount-options.js'
