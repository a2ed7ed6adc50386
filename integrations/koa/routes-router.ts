/** Reads the routes of one router of @koa/router 12 to 15, including the effects of its options on order and hosts. */

import {
  type Discovered,
  endpointOf,
  joinSegments,
  markerOf,
  mergedMarker,
  type PatternRoute,
  parsePathToRegexp6,
  parsePathToRegexp8,
  pathText,
  type Route,
  type RouteGuard,
  type Segment,
  samplePath,
  samplePaths,
  toTemplate,
  type Unread,
  UnreadablePath,
  unreadableMarker,
} from '../../src/internal.js'
import { type KoaRouter, type RouterLayer, routerOrder } from './routes-asked.js'

export type SchemaReader = (handlers: readonly unknown[]) => Route['schema']

/** The path of a route or router, and the guards and markers in front of it. */
export interface RoutePlace {
  readonly path: readonly Segment[]
  readonly guards: readonly RouteGuard[]
  /** Markers in front, in the form of `Route`. */
  readonly markersInFront?: Route['markersInFront']
  /** Whether the app trusts `X-Forwarded-Host`. */
  readonly proxy: () => boolean
}

interface RouterReading extends RoutePlace {
  readonly router: KoaRouter
  readonly readSchema: SchemaReader
}

export function readRouter(router: KoaRouter, at: RoutePlace, readSchema: SchemaReader): Discovered {
  const routes: Route[] = []
  const unread: Unread[] = []
  const patterns: PatternRoute[] = []
  const reading: RouterReading = { ...at, router, readSchema }
  for (const layer of routerOrder(router).order) {
    if (layer.methods.length === 0) continue
    try {
      routes.push(...readLayer(layer, reading))
    } catch (error) {
      unread.push({
        path: pathText(at.path).replace(/\/$/, '') + String(layer.path),
        reason: error instanceof Error ? error.message : String(error),
      })
      patterns.push(toPattern(layer, routes.length, reading))
    }
  }
  return { routes, unread, patterns }
}

/** Reads the routes of a layer, one per method. @throws UnreadablePath */
function readLayer(layer: RouterLayer, reading: RouterReading): Route[] {
  const { router } = reading
  const own = pathOf(layer)
  const inFront = routerOrder(router).inFront(layer, samplePaths(own))
  const place = { ...placeBehind(reading, inFront), path: joinSegments(reading.path, own) }
  return methodsOf(layer).map((method) => {
    const route = toRoute(layer, method, place)
    const { replacedBy } = routerOrder(router)
    if (replacedBy === undefined) return route
    const shadowedBy = (path: string): string | undefined => {
      const inner = pathBelow(reading.path, path)
      const replacement = inner === undefined ? undefined : replacedBy(layer, method, inner)
      return replacement && labelOf(replacement, reading.path)
    }
    return { ...route, shadowedBy }
  })
}

/** Returns the place behind these middleware functions. */
export function placeBehind<P extends RoutePlace>(place: P, middleware: readonly unknown[]): P {
  const markers = middleware.map(markerOf).filter((marker) => marker !== undefined)
  return {
    ...place,
    guards: [...place.guards, ...middleware.filter(isGuard).map(toGuard)],
    markersInFront: [...(place.markersInFront ?? []), ...markers],
  }
}

function toRoute(
  layer: RouterLayer,
  method: string,
  { path, guards, markersInFront, router, readSchema, proxy }: RouterReading,
): Route {
  const own = handlersOf(layer)
  const { obstacle, ...constrained } = constraintsOf(router.host, proxy)
  const ends = endsRequest(own)
  return {
    framework: 'koa',
    method,
    template: toTemplate(path),
    guards: [...guards, ...own.slice(0, -1).map(toGuard)],
    handlerName: functionName(own.at(-1)),
    marker: mergedMarker(layer.stack),
    markersInFront,
    ends,
    passes: ends ? undefined : own.map(toGuard),
    schema: readSchema(layer.stack),
    ...constrained,
    obstacle: obstacleOf(layer) ?? routerObstacle(own.at(-1), method, samplePath(path)) ?? obstacle,
  }
}

function obstacleOf({ stack }: RouterLayer): string | undefined {
  if (stack.some((handle) => endpointOf(handle) !== undefined)) return 'our own endpoint'
  return stack
    .map((handle) => unreadableMarker(functionName(handle), handle))
    .find((obstacle) => obstacle !== undefined)
}

/** Returns the obstacle of a router as a route's handler: it gets the full path, and its routes may not match that. */
function routerObstacle(handle: unknown, method: string, path: string): string | undefined {
  const { router } = (handle ?? {}) as { router?: Partial<KoaRouter> }
  if (!Array.isArray(router?.stack)) return undefined
  const layers = router.stack as readonly RouterLayer[]
  const hasRoute = layers.some(
    ({ methods, stack, regexp }) =>
      (methods.length === 0 ? endsRequest(stack) : methods.includes(method)) && regexp.test(path),
  )
  return hasRoute ? undefined : 'its handler is a router without a route for this path; mount it with `use()`'
}

/** Describes a layer with a regular expression: the requests that it handles, or passes on with `next()`. */
function toPattern(
  layer: RouterLayer,
  at: number,
  { path: prefix, router, proxy }: RouterReading,
): PatternRoute {
  const own = handlersOf(layer)
  const expression = new RegExp(layer.regexp.source, layer.regexp.flags.replace(/[gy]/g, ''))
  const methods = methodsOf(layer)
  const fits = (method: string, path: string): boolean => {
    const inner = pathBelow(prefix, path)
    return (methods.includes(method) || methods[0] === 'ALL') && inner !== undefined && expression.test(inner)
  }
  const isWide = methods[0] === 'ALL' || ['/~any~', '/~any~/~any~'].every((path) => expression.test(path))
  const handles = !isWide || endsRequest(own) || mergedMarker(layer.stack)?.hidden === true
  return {
    at,
    shadowing: (method, path) => (handles && fits(method, path) ? labelOf(layer, prefix) : undefined),
    accepts: constraintsOf(router.host, proxy).accepts,
    ...(!handles && { passes: { guards: own.map(toGuard), fits } }),
  }
}

/**
 * Whether a handler can't call `next`, the second parameter. A function without declared parameters may be a wrapper
 * of any handler.
 */
function endsRequest(handlers: readonly unknown[]): boolean {
  return handlers.some((handle) => (handle as { length?: unknown }).length === 1)
}

function handlersOf({ stack }: RouterLayer): readonly unknown[] {
  return stack.filter((handle) => isHandler(handle) && markerOf(handle) === undefined)
}

/**
 * Returns the path below a prefix of literals. `undefined` for other paths, and always for a prefix with parameters.
 */
function pathBelow(prefix: readonly Segment[], path: string): string | undefined {
  if (prefix.length === 0) return path
  const text = pathText(prefix)
  if (path === text) return '/'
  return path.startsWith(`${text}/`) ? path.slice(text.length) : undefined
}

function labelOf(layer: RouterLayer, prefix: readonly Segment[]): string {
  const methods = layer.methods.length === 0 ? 'a middleware at' : methodsOf(layer).join()
  return `${methods} ${prefix.length === 0 ? '' : pathText(prefix)}${textOf(layer)}`
}

function textOf(layer: RouterLayer): string {
  try {
    return pathText(pathOf(layer))
  } catch {
    return String(layer.path)
  }
}

/**
 * Parses the path of a layer. Routers 12 and 13 break regular expressions by adding a prefix to their text.
 * @throws UnreadablePath
 */
function pathOf({ path, opts, paramNames }: RouterLayer): readonly Segment[] {
  const text = String(path)
  if (path instanceof RegExp || opts.pathAsRegExp === true || /^(?:\/[^/]*)*\/\^/.test(text)) {
    throw new UnreadablePath(`the path ${text} is a regular expression`)
  }
  const modern = 'pathAsRegExp' in opts || paramNames.some(({ type }) => type !== undefined)
  return modern ? parsePathToRegexp8(text) : parsePathToRegexp6(text)
}

/** Returns the methods of a layer. `.all()` lists every method that Node knows. HEAD is left out if there is a GET. */
function methodsOf({ methods }: RouterLayer): readonly string[] {
  if (methods.length > 15) return ['ALL']
  return methods.includes('GET') ? methods.filter((method) => method !== 'HEAD') : methods
}

/** Whether the function is a handler of the app: `router.param()` adds functions of its own. */
function isHandler(handle: unknown): boolean {
  return typeof handle === 'function' && (handle as { param?: unknown }).param === undefined
}

function isGuard(handle: unknown): boolean {
  return isHandler(handle) && endpointOf(handle) === undefined && markerOf(handle) === undefined
}

function toGuard(handle: unknown): RouteGuard {
  return { name: functionName(handle), handle }
}

function functionName(handler: unknown): string {
  return typeof handler === 'function' ? handler.name.replace(/^(?:bound )+/, '') : ''
}

type HostConstraints = Pick<Route, 'constraints' | 'headers' | 'accepts' | 'obstacle'>

/** Returns the constraints for the router's `host`. `proxy`: whether the app trusts `X-Forwarded-Host`. */
export function constraintsOf(host: unknown, proxy: () => boolean): HostConstraints {
  if (host === undefined || host === '' || host === null) return {}
  const hosts = [host].flat()
  const [first] = hosts
  const isStateful = first instanceof RegExp && /[gy]/.test(first.flags)
  return {
    constraints: { host: hosts.map(String).join() },
    headers: typeof first === 'string' ? { host: first } : undefined,
    accepts: (sent) => hosts.some((one) => matchesHost(one, hostOf(sent, proxy()))),
    obstacle: isStateful
      ? `its host is ${first}, whose flags \`g\` and \`y\` make it match only some requests; remove those flags`
      : undefined,
  }
}

function matchesHost(host: unknown, sent: string): boolean {
  return host instanceof RegExp
    ? new RegExp(host.source, host.flags.replace(/[gy]/g, '')).test(sent)
    : host === sent
}

/** Returns the host of the headers, as `ctx.host` does. */
function hostOf(headers: Readonly<Record<string, string>>, proxy: boolean): string {
  const [host = ''] = ((proxy && headers['x-forwarded-host']) || headers.host || '').split(/\s*,\s*/, 1)
  return host
}
