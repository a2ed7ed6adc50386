/** What integrations need to find the routes of their framework and make tools of them. Not public. */

export { exchangeOf, isPassedOn } from './call-context.js'
export { aCount, aFunction, arrayOf, aString, type Check, expected } from './check-options.js'
export { inTime } from './in-time.js'
export type { ToolResult } from './results/result.js'
export { type AnswerOptions, bytesToRead, defaultMaxResultBytes, toAnswer } from './routes/answer.js'
export { connectRoutes, logOf, posturesOf, routeLog, routesOf } from './routes/connect.js'
export { endpointOf, markEndpoint } from './routes/endpoint.js'
export { progressOf } from './routes/events.js'
export { checkForwardHeaders, forwardedHeaders } from './routes/forward.js'
export { checkHeaderNames } from './routes/input-headers.js'
export { localRefs } from './routes/json-schema-refs.js'
export { labelText } from './routes/label.js'
export { warnOfLogin } from './routes/login-in-front.js'
export { checkMarker, lostMark, mark, markerAmong, markerOf } from './routes/marker.js'
export { nameOfRoute } from './routes/naming.js'
export { guardedByOthers } from './routes/passing.js'
export {
  parseExpress4,
  parseFastify,
  parseOpenApi,
  parsePathToRegexp6,
  parsePathToRegexp8,
  toSegments,
  withPattern,
} from './routes/path-syntax.js'
export { matches, parsePattern } from './routes/patterns.js'
export { type QueryParser, queryParserOf } from './routes/query.js'
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
export { type LayOver, RouteDocument } from './routes/route-document.js'
export {
  type AnyRouteOptions,
  appsByHand,
  type LazyOpenApiSource,
  type OpenApiSource,
  type RouteOptions,
} from './routes/route-options.js'
export type { RouteReader } from './routes/route-tools.js'
export { pathText, samplePath, samplePaths } from './routes/sample.js'
export { describedIn, siblingsIn } from './routes/siblings.js'
export { Snapshot } from './routes/snapshot.js'
export { mayMeet } from './routes/standing.js'
export {
  joinSegments,
  type Literal,
  type Parameter,
  parametersOf,
  type Segment,
  type Template,
  toTemplate,
  UnreadablePath,
} from './routes/template.js'
export { isThenable } from './thenable.js'
