/** Collects a router's routes, and adds prefixes and guards to them on the way up to the app. */

import {
  endpointOf,
  joinSegments,
  markerOf,
  mergedMarker,
  type PatternRoute,
  pathText,
  type Route,
  type Segment,
  samplePath,
  samplePaths,
  type Unread,
  unreadableMarker,
} from '../../src/internal.js'
import {
  endsRequest,
  handlerName,
  handlersOf,
  isGuard,
  methodsOf,
  stackOf,
  toGuard,
} from './routes-layers.js'
import { matchesPath, pathBehind } from './routes-matching.js'
import { type ExpressRoute, flattenPaths, type HandlerLayer, type Layer, routePath } from './routes-paths.js'
import { patternOf, patternsBelow } from './routes-patterns.js'

/** Routes below one router, with paths relative to it. */
export interface WalkResult {
  readonly routes: readonly FoundRoute[]
  readonly unread: readonly Unread[]
  readonly patterns: readonly PatternRoute[]
}

export interface FoundRoute extends Omit<Route, 'framework' | 'template' | 'schema'> {
  readonly segments: readonly Segment[]
  readonly handlers: readonly unknown[]
}

export const emptyResult: WalkResult = { routes: [], unread: [], patterns: [] }

export function concatResults(first: WalkResult, { routes, unread, patterns }: WalkResult): WalkResult {
  return {
    routes: [...first.routes, ...routes],
    unread: [...first.unread, ...unread],
    patterns: [...first.patterns, ...patterns.map((one) => ({ ...one, at: one.at + first.routes.length }))],
  }
}

/** Adds prefixes to the results of a mounted router. `mount`: its layer, which removes the prefix from a request. */
export function withPrefixes(
  prefixes: readonly (readonly Segment[])[],
  { routes, unread, patterns }: WalkResult,
  mount: Layer,
): WalkResult {
  return {
    patterns: patternsBelow(mount, patterns),
    routes: prefixes.flatMap((prefix) =>
      routes.map((found) => ({ ...found, segments: joinSegments(prefix, found.segments) })),
    ),
    unread: prefixes.flatMap((prefix) =>
      unread.map(({ path, reason }) => ({
        path: prefix.length === 0 ? path : pathText(prefix) + path,
        reason,
      })),
    ),
  }
}

export function withGuardsInFront(passed: readonly Layer[], found: FoundRoute): FoundRoute {
  const paths = samplePaths(found.segments)
  const inFront = passed.filter((layer) => paths.every((path) => matchesPath(layer, path)))
  const markers = inFront.map(({ handle }) => markerOf(handle)).filter((marker) => marker !== undefined)
  return {
    ...found,
    guards: [...inFront.filter(isGuard).map(toGuard), ...found.guards],
    markersInFront: [...markers, ...(found.markersInFront ?? [])],
    obstacle: found.obstacle ?? unreadableMarkerAmong(inFront),
  }
}

/**
 * Returns the middleware inside a mounted router that guards routes after it: a request that none of the router's
 * routes answers runs through its middleware. Each layer matches the paths that it matches below the mount.
 */
export function passedMiddleware(mount: Layer, outer: ReadonlySet<unknown> = new Set()): readonly Layer[] {
  const { handle } = mount
  const stack = outer.has(handle) ? undefined : stackOf(handle)
  return (stack ?? []).flatMap((layer) => {
    if (layer.route !== undefined) return []
    const inner =
      isGuard(layer) && stackOf(layer.handle) === undefined
        ? [layer]
        : passedMiddleware(layer, new Set([...outer, handle]))
    return inner.map((one) => ({
      name: handlerName(one),
      handle: one.handle,
      matchers: [nestedMatcher(mount, one)],
    }))
  })
}

function nestedMatcher(
  mount: Layer,
  inner: Layer,
): (path: string) => false | { path: string; params: Record<string, never> } {
  return (path) => {
    const rest = pathBehind(mount, path)
    return rest !== undefined && matchesPath(inner, rest) && { path, params: {} }
  }
}

export function walkRoute(route: ExpressRoute, layer: Layer): WalkResult {
  const routes: FoundRoute[] = []
  const unread: Unread[] = []
  for (const path of flattenPaths(route.path)) {
    try {
      const segments = routePath(path, layer)
      for (const method of methodsOf(route)) routes.push(toFound(route, method, segments))
    } catch (error) {
      unread.push({ path: String(path), reason: reasonOf(error) })
    }
  }
  const patterns = unread.length === 0 ? [] : [{ ...patternOf(layer), at: routes.length }]
  return { routes, unread, patterns }
}

function toFound(route: ExpressRoute, method: string, segments: readonly Segment[]): FoundRoute {
  const layers = handlersOf(route, method)
  const handlers = layers.map(({ handle }) => handle)
  const own = layers.filter(({ handle }) => markerOf(handle) === undefined)
  const handler = own.at(-1)
  const ends = own.some(({ handle }) => endsRequest(handle))
  return {
    segments,
    method,
    handlers,
    handlerName: handler === undefined ? '' : handlerName(handler),
    guards: own.slice(0, -1).map((layer) => ({ ...toGuard(layer), own: true })),
    marker: mergedMarker(handlers),
    ends,
    passes: ends ? undefined : own.map(toGuard),
    obstacle: obstacleOf(layers) ?? (handler && routerObstacle(handler, method, segments)),
  }
}

function obstacleOf(layers: readonly HandlerLayer[]): string | undefined {
  if (layers.some(({ handle }) => endpointOf(handle) !== undefined)) return 'our own endpoint'
  return unreadableMarkerAmong(layers)
}

/** Returns the obstacle of a router as a route's handler: it gets the full path, and its routes may not match that. */
function routerObstacle(
  { handle }: HandlerLayer,
  method: string,
  segments: readonly Segment[],
): string | undefined {
  const stack = stackOf(handle)
  if (stack === undefined) return undefined
  const hasEnd = stack.some((layer) => layer.route === undefined && endsRequest(layer.handle))
  const matches = patternOf({ handle, slash: true }).shadowing(method, samplePath(segments)) !== undefined
  return hasEnd || matches
    ? undefined
    : 'its handler is a router without a route for this path; mount it with `use()`'
}

function unreadableMarkerAmong(layers: readonly HandlerLayer[]): string | undefined {
  return layers
    .map((layer) => unreadableMarker(handlerName(layer), layer.handle))
    .find((obstacle) => obstacle !== undefined)
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
