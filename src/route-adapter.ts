/** What integrations need to find the routes of their framework and make tools of them. Not public. */

export { exchangeOf, isPassedOn } from './calls/create-context.js'
export { aCount, aFunction, arrayOf, aString, type Check, expected } from './support/check-options.js'
export { inTime } from './support/with-timeout.js'
export type { ToolResult } from './content/tool-result.js'
export { type AnswerOptions, bytesToRead, defaultMaxResultBytes, toAnswer } from './routes/response/to-tool-result.js'
export { connectRoutes, logOf, posturesOf, routeLog, routesOf } from './server/connect-routes.js'
export { endpointOf, markEndpoint } from './routes/discovery/endpoint.js'
export { progressOf } from './routes/response/event-stream.js'
export { checkForwardHeaders, forwardedHeaders } from './routes/request/forwarded-headers.js'
export { checkHeaderNames } from './routes/request/controlled-headers.js'
export { localRefs } from './routes/schema/refs.js'
export { labelText } from './routes/label.js'
export { warnOfLogin } from './server/warn-of-login.js'
export { checkMarker, lostMark, mark, markerAmong, markerOf } from './routes/discovery/marker.js'
export { nameOfRoute } from './routes/naming.js'
export { guardedByOthers } from './routes/discovery/pass-through-routes.js'
export {
  parseExpress4,
  parseFastify,
  parseOpenApi,
  parsePathToRegexp6,
  parsePathToRegexp8,
  toSegments,
  withPattern,
} from './routes/discovery/path-syntax.js'
export { matches, parsePattern } from './routes/discovery/patterns.js'
export { type QueryParser, queryParserOf } from './routes/request/parameter-styles.js'
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
export { type LayOver, RouteDocument } from './routes/schema/route-document.js'
export {
  type AnyRouteOptions,
  appsByHand,
  type LazyOpenApiSource,
  type OpenApiSource,
  type RouteOptions,
} from './routes/route-options.js'
export type { RouteReader } from './routes/route-tools.js'
export { pathText, samplePath, samplePaths } from './routes/discovery/sample-path.js'
export { describedIn, siblingsIn } from './routes/discovery/siblings.js'
export { Snapshot } from './routes/discovery/snapshot.js'
export { mayMeet } from './routes/discovery/route-precedence.js'
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
export { isThenable } from './support/maybe-promise.js'
