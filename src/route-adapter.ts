/** What integrations need to find the routes of their framework and make tools of them. Not public. */

export { exchangeOf, isPassedOn } from './calls/create-context.js'
export type { ToolResult } from './content/tool-result.js'
export { endpointOf, markEndpoint } from './routes/discovery/endpoint.js'
export { checkMarker, mark, markerAmong, markerOf, unreadableMarker } from './routes/discovery/marker.js'
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
  type Segment,
  type Template,
  toTemplate,
  UnreadablePath,
} from './routes/discovery/path-template.js'
export { matches, parsePattern } from './routes/discovery/patterns.js'
export { mayMeet } from './routes/discovery/route-precedence.js'
export { pathText, samplePath, samplePaths } from './routes/discovery/sample-path.js'
export { describedIn, siblingsIn } from './routes/discovery/siblings.js'
export { Snapshot } from './routes/discovery/snapshot.js'
export { labelText } from './routes/label.js'
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
export { connectRoutes, logOf, routeLog, routeReportsOf, routesOf } from './server/connect-routes.js'
export { warnOfLogin } from './server/warn-of-login.js'
export { aCount, aFunction, arrayOf, aString, type Check, expected } from './support/check-options.js'
export { isThenable } from './support/maybe-promise.js'
export { withTimeout } from './support/with-timeout.js'
