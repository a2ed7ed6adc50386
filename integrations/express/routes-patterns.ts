/**
 * Layers with unreadable paths, mostly regular expressions: tests with their own matchers whether they match a path.
 */

import { markerOf, mergedMarker, type PatternRoute } from '../../src/internal.js'
import { endsRequest, handlersOf, methodsOf, stackOf, toGuard } from './routes-layers.js'
import { matchesPath, pathBehind } from './routes-matching.js'
import { flattenPaths, type HandlerLayer, type Layer } from './routes-paths.js'

/** Limit on nested routers: a router may contain itself. */
const maxDepth = 20

/** Describes a route, or a router at its mount, by its matchers. */
export function patternOf(layer: Layer): PatternRoute {
  const own = layer.route === undefined ? [] : ownHandlers(layer, 'GET')
  const passes = layer.route !== undefined && !handlesRequest(layer, methodsOf(layer.route)[0] ?? 'ALL')
  return {
    at: 0,
    shadowing: (method, path) => handlingRoute(layer, method, path),
    ...(passes && {
      passes: {
        guards: own.map(toGuard),
        fits: (method, path) => hasMethod(layer, method) && matchesPath(layer, path),
      },
    }),
  }
}

/** Moves a router's patterns to its mount. For a mount at several paths, each pattern covers all of them. */
export function patternsBelow(mount: Layer, patterns: readonly PatternRoute[]): readonly PatternRoute[] {
  return patterns.map(({ shadowing, passes, ...one }) => ({
    ...one,
    shadowing: (method, path) => ifBelow(mount, path, (rest) => shadowing(method, rest)),
    ...(passes && {
      passes: {
        guards: passes.guards,
        fits: (method, path) => ifBelow(mount, path, (rest) => passes.fits(method, rest)) === true,
      },
    }),
  }))
}

function ifBelow<Result>(mount: Layer, path: string, run: (rest: string) => Result): Result | undefined {
  const rest = pathBehind(mount, path)
  return rest === undefined ? undefined : run(rest)
}

function handlingRoute(layer: Layer, method: string, path: string, depth = 0): string | undefined {
  if (layer.route !== undefined) {
    const taken = hasMethod(layer, method) && matchesPath(layer, path) && handlesRequest(layer, method)
    return taken
      ? `${methodsOf(layer.route).join()} ${flattenPaths(layer.route.path).map(String).join()}`
      : undefined
  }
  const stack = stackOf(layer.handle)
  if (stack === undefined || depth === maxDepth) return undefined
  const rest = pathBehind(layer, path)
  if (rest === undefined) return undefined
  for (const inner of stack) {
    const label = handlingRoute(inner, method, rest, depth + 1)
    if (label !== undefined) return label
  }
  return undefined
}

function hasMethod({ route }: Layer, method: string): boolean {
  if (route === undefined) return false
  const methods = methodsOf(route)
  return methods.includes(method) || methods[0] === 'ALL'
}

/**
 * Whether a route handles the request. Routes for all methods or all paths call `next()`, unless they end or are
 * hidden.
 */
function handlesRequest(layer: Layer, method: string): boolean {
  const { route } = layer
  if (route === undefined) return false
  const isWide = methodsOf(route)[0] === 'ALL' || unrelatedPaths.every((path) => matchesPath(layer, path))
  return (
    !isWide ||
    ownHandlers(layer, method).some(({ handle }) => endsRequest(handle)) ||
    mergedMarker(handlersOf(route, method).map(({ handle }) => handle))?.hidden === true
  )
}

const unrelatedPaths = ['/~any~', '/~any~/~any~/~any~']

function ownHandlers({ route }: Layer, method: string): readonly HandlerLayer[] {
  return route === undefined
    ? []
    : handlersOf(route, method).filter(({ handle }) => markerOf(handle) === undefined)
}
