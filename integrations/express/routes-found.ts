/** Routes as they are found in a router, and what becomes of them on the way up to the app: prefixes, and guards in front. */

import {
  endpointOf,
  joinSegments,
  markerAmong,
  markerOf,
  type PatternRoute,
  pathText,
  type Route,
  type Segment,
  samplePath,
  samplePaths,
  type Unread,
  unreadableMarker,
} from '../../src/internal.js'
import { handlerName, handlersOf, isGuard, isLast, methodsOf, stackOf, toGuard } from './routes-layers.js'
import { covers, restOf } from './routes-matching.js'
import { type ExpressRoute, flat, type HandlerLayer, type Layer, routePath } from './routes-paths.js'
import { patternOf, patternsBelow } from './routes-patterns.js'

/** What lies below one router: paths are relative to it. */
export interface Walked {
  readonly routes: readonly FoundRoute[]
  readonly unread: readonly Unread[]
  readonly patterns: readonly PatternRoute[]
}

export interface FoundRoute extends Omit<Route, 'framework' | 'template' | 'schema'> {
  readonly segments: readonly Segment[]
  readonly handlers: readonly unknown[]
}

export const nothing: Walked = { routes: [], unread: [], patterns: [] }

export function after(first: Walked, { routes, unread, patterns }: Walked): Walked {
  return {
    routes: [...first.routes, ...routes],
    unread: [...first.unread, ...unread],
    patterns: [...first.patterns, ...patterns.map((one) => ({ ...one, at: one.at + first.routes.length }))],
  }
}

/** `mount`: the layer that takes the prefix off. */
export function below(
  prefixes: readonly (readonly Segment[])[],
  { routes, unread, patterns }: Walked,
  mount: Layer,
): Walked {
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

export function behind(passed: readonly Layer[], found: FoundRoute): FoundRoute {
  const paths = samplePaths(found.segments)
  const inFront = passed.filter((layer) => paths.every((path) => covers(layer, path)))
  const markers = inFront.map(({ handle }) => markerOf(handle)).filter((marker) => marker !== undefined)
  return {
    ...found,
    guards: [...inFront.filter(isGuard).map(toGuard), ...found.guards],
    markersInFront: [...markers, ...(found.markersInFront ?? [])],
    obstacle: found.obstacle ?? lostAmong(inFront),
  }
}

/**
 * The middleware inside a router, for the routes behind that router: a request that none of its routes answers passes
 * them all. Each takes the paths that it takes where the router is mounted.
 */
export function passedThrough(mount: Layer, outer: ReadonlySet<unknown> = new Set()): readonly Layer[] {
  const { handle } = mount
  const stack = outer.has(handle) ? undefined : stackOf(handle)
  return (stack ?? []).flatMap((layer) => {
    if (layer.route !== undefined) return []
    const inner =
      isGuard(layer) && stackOf(layer.handle) === undefined
        ? [layer]
        : passedThrough(layer, new Set([...outer, handle]))
    return inner.map((one) => ({
      name: handlerName(one),
      handle: one.handle,
      matchers: [bothTake(mount, one)],
    }))
  })
}

function bothTake(
  mount: Layer,
  inner: Layer,
): (path: string) => false | { path: string; params: Record<string, never> } {
  return (path) => {
    const rest = restOf(mount, path)
    return rest !== undefined && covers(inner, rest) && { path, params: {} }
  }
}

export function walkRoute(route: ExpressRoute, layer: Layer): Walked {
  const routes: FoundRoute[] = []
  const unread: Unread[] = []
  for (const path of flat(route.path)) {
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
  const ends = own.some(({ handle }) => isLast(handle))
  return {
    segments,
    method,
    handlers,
    handlerName: handler === undefined ? '' : handlerName(handler),
    guards: own.slice(0, -1).map((layer) => ({ ...toGuard(layer), own: true })),
    marker: markerAmong(handlers),
    ends,
    passes: ends ? undefined : own.map(toGuard),
    obstacle: obstacleOf(layers) ?? (handler && routerAsHandler(handler, method, segments)),
  }
}

function obstacleOf(layers: readonly HandlerLayer[]): string | undefined {
  if (layers.some(({ handle }) => endpointOf(handle) !== undefined)) return 'our own endpoint'
  return lostAmong(layers)
}

/** A route hands its router the whole path, which routes below a prefix don't expect. */
function routerAsHandler(
  { handle }: HandlerLayer,
  method: string,
  segments: readonly Segment[],
): string | undefined {
  const stack = stackOf(handle)
  if (stack === undefined) return undefined
  const answers = stack.some((layer) => layer.route === undefined && isLast(layer.handle))
  const taken = patternOf({ handle, slash: true }).shadowing(method, samplePath(segments)) !== undefined
  return answers || taken
    ? undefined
    : 'its handler is a router without a route for this path; mount it with `use()`'
}

function lostAmong(layers: readonly HandlerLayer[]): string | undefined {
  return layers
    .map((layer) => unreadableMarker(handlerName(layer), layer.handle))
    .find((lost) => lost !== undefined)
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
