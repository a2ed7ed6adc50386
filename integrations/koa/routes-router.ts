/** The routes of one router of @koa/router 12 to 15, with what its options make of their order and their hosts. */

import {
  type Discovered,
  endpointOf,
  joinSegments,
  markerAmong,
  markerOf,
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
import { askedIn, type KoaRouter, type RouterLayer } from './routes-asked.js'

export type SchemaReader = (handlers: readonly unknown[]) => Route['schema']

/** Where a route or the routes of a router stand, and behind what. */
export interface Place {
  readonly path: readonly Segment[]
  readonly guards: readonly RouteGuard[]
  /** As a route has them. */
  readonly markersInFront?: Route['markersInFront']
  /** The app believes `X-Forwarded-Host`. */
  readonly proxy: () => boolean
}

interface Reading extends Place {
  readonly router: KoaRouter
  readonly readSchema: SchemaReader
}

export function readRouter(router: KoaRouter, at: Place, readSchema: SchemaReader): Discovered {
  const routes: Route[] = []
  const unread: Unread[] = []
  const patterns: PatternRoute[] = []
  const reading: Reading = { ...at, router, readSchema }
  for (const layer of askedIn(router).order) {
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

/** @throws UnreadablePath */
function readLayer(layer: RouterLayer, reading: Reading): Route[] {
  const { router } = reading
  const own = pathOf(layer)
  const inFront = askedIn(router).inFront(layer, samplePaths(own))
  const place = { ...behind(reading, inFront), path: joinSegments(reading.path, own) }
  return methodsOf(layer).map((method) => {
    const route = toRoute(layer, method, place)
    const { takerOf } = askedIn(router)
    if (takerOf === undefined) return route
    const taken = (path: string): string | undefined => {
      const inner = insideOf(reading.path, path)
      const taker = inner === undefined ? undefined : takerOf(layer, method, inner)
      return taker && labelOf(taker, reading.path)
    }
    return { ...route, shadowedBy: taken }
  })
}

/** What stands behind these middlewares. */
export function behind<P extends Place>(place: P, middleware: readonly unknown[]): P {
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
  { path, guards, markersInFront, router, readSchema, proxy }: Reading,
): Route {
  const own = handlersOf(layer)
  const { obstacle, ...constrained } = constraintsOf(router.host, proxy)
  const ends = endsAt(own)
  return {
    framework: 'koa',
    method,
    template: toTemplate(path),
    guards: [...guards, ...own.slice(0, -1).map(toGuard)],
    handlerName: functionName(own.at(-1)),
    marker: markerAmong(layer.stack),
    markersInFront,
    ends,
    passes: ends ? undefined : own.map(toGuard),
    schema: readSchema(layer.stack),
    ...constrained,
    obstacle: obstacleOf(layer) ?? routerAsHandler(own.at(-1), method, samplePath(path)) ?? obstacle,
  }
}

function obstacleOf({ stack }: RouterLayer): string | undefined {
  if (stack.some((handle) => endpointOf(handle) !== undefined)) return 'our own endpoint'
  return stack
    .map((handle) => unreadableMarker(functionName(handle), handle))
    .find((lost) => lost !== undefined)
}

/** A route hands its router the whole path, which routes below a prefix don't expect. */
function routerAsHandler(handle: unknown, method: string, path: string): string | undefined {
  const { router } = (handle ?? {}) as { router?: Partial<KoaRouter> }
  if (!Array.isArray(router?.stack)) return undefined
  const layers = router.stack as readonly RouterLayer[]
  const answers = layers.some(
    ({ methods, stack, regexp }) =>
      (methods.length === 0 ? endsAt(stack) : methods.includes(method)) && regexp.test(path),
  )
  return answers ? undefined : 'its handler is a router without a route for this path; mount it with `use()`'
}

/** What the layer of a regular expression takes, and what it passes on. */
function toPattern(layer: RouterLayer, at: number, { path: prefix, router, proxy }: Reading): PatternRoute {
  const own = handlersOf(layer)
  const expression = new RegExp(layer.regexp.source, layer.regexp.flags.replace(/[gy]/g, ''))
  const methods = methodsOf(layer)
  const fits = (method: string, path: string): boolean => {
    const inner = insideOf(prefix, path)
    return (methods.includes(method) || methods[0] === 'ALL') && inner !== undefined && expression.test(inner)
  }
  const isWide = methods[0] === 'ALL' || ['/~any~', '/~any~/~any~'].every((path) => expression.test(path))
  const takes = !isWide || endsAt(own) || markerAmong(layer.stack)?.hidden === true
  return {
    at,
    shadowing: (method, path) => (takes && fits(method, path) ? labelOf(layer, prefix) : undefined),
    accepts: constraintsOf(router.host, proxy).accepts,
    ...(!takes && { passes: { guards: own.map(toGuard), fits } }),
  }
}

/** What declares no parameters at all may be a wrapper of anything. */
function endsAt(handlers: readonly unknown[]): boolean {
  return handlers.some((handle) => (handle as { length?: unknown }).length === 1)
}

function handlersOf({ stack }: RouterLayer): readonly unknown[] {
  return stack.filter((handle) => isHandler(handle) && markerOf(handle) === undefined)
}

/** Below a prefix of literals; what else a prefix may be nothing here can take off. */
function insideOf(prefix: readonly Segment[], path: string): string | undefined {
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

/** Routers 12 and 13 put a prefix in front of a regular expression's text, and break it. @throws UnreadablePath */
function pathOf({ path, opts, paramNames }: RouterLayer): readonly Segment[] {
  const text = String(path)
  if (path instanceof RegExp || opts.pathAsRegExp === true || /^(?:\/[^/]*)*\/\^/.test(text)) {
    throw new UnreadablePath(`the path ${text} is a regular expression`)
  }
  const modern = 'pathAsRegExp' in opts || paramNames.some(({ type }) => type !== undefined)
  return modern ? parsePathToRegexp8(text) : parsePathToRegexp6(text)
}

/** `.all()` names every method that Node knows. A HEAD beside a GET is its twin. */
function methodsOf({ methods }: RouterLayer): readonly string[] {
  if (methods.length > 15) return ['ALL']
  return methods.includes('GET') ? methods.filter((method) => method !== 'HEAD') : methods
}

/** `router.param()` puts functions of its own into the stacks. */
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

type Constrained = Pick<Route, 'constraints' | 'headers' | 'accepts' | 'obstacle'>

/** `proxy`: whether the app believes what its proxy says of the host. */
export function constraintsOf(host: unknown, proxy: () => boolean): Constrained {
  if (host === undefined || host === '' || host === null) return {}
  const hosts = [host].flat()
  const [first] = hosts
  const remembers = first instanceof RegExp && /[gy]/.test(first.flags)
  return {
    constraints: { host: hosts.map(String).join() },
    headers: typeof first === 'string' ? { host: first } : undefined,
    accepts: (sent) => hosts.some((one) => isAt(one, hostOf(sent, proxy()))),
    obstacle: remembers
      ? `its host is ${first}, which by its flags fits one request and not the next; leave them out`
      : undefined,
  }
}

function isAt(host: unknown, sent: string): boolean {
  return host instanceof RegExp
    ? new RegExp(host.source, host.flags.replace(/[gy]/g, '')).test(sent)
    : host === sent
}

/** As `ctx.host` has it. */
function hostOf(headers: Readonly<Record<string, string>>, proxy: boolean): string {
  const [host = ''] = ((proxy && headers['x-forwarded-host']) || headers.host || '').split(/\s*,\s*/, 1)
  return host
}
