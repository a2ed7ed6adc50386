/** Layers whose paths cannot be told, regular expressions mostly: whether they take a finished path, by their own matchers. */

import { markerAmong, markerOf, type PatternRoute } from '../../src/internal.js'
import { handlersOf, isLast, methodsOf, stackOf, toGuard } from './routes-layers.js'
import { covers, restOf } from './routes-matching.js'
import { flat, type HandlerLayer, type Layer } from './routes-paths.js'

/** A router may hold itself. */
const deepest = 20

/** A route, or a router that is mounted there. */
export function patternOf(layer: Layer): PatternRoute {
  const own = layer.route === undefined ? [] : ownHandlers(layer, 'GET')
  const passes = layer.route !== undefined && !takes(layer, methodsOf(layer.route)[0] ?? 'ALL')
  return {
    at: 0,
    shadowing: (method, path) => takerOf(layer, method, path),
    ...(passes && {
      passes: {
        guards: own.map(toGuard),
        fits: (method, path) => isFor(layer, method) && covers(layer, path),
      },
    }),
  }
}

/** Those of a router, as they are where it is mounted. A mount at several paths has its routes as often. */
export function patternsBelow(mount: Layer, patterns: readonly PatternRoute[]): readonly PatternRoute[] {
  return patterns.map(({ shadowing, passes, ...one }) => ({
    ...one,
    shadowing: (method, path) => inside(mount, path, (rest) => shadowing(method, rest)),
    ...(passes && {
      passes: {
        guards: passes.guards,
        fits: (method, path) => inside(mount, path, (rest) => passes.fits(method, rest)) === true,
      },
    }),
  }))
}

function inside<Result>(mount: Layer, path: string, look: (rest: string) => Result): Result | undefined {
  const rest = restOf(mount, path)
  return rest === undefined ? undefined : look(rest)
}

function takerOf(layer: Layer, method: string, path: string, depth = 0): string | undefined {
  if (layer.route !== undefined) {
    const taken = isFor(layer, method) && covers(layer, path) && takes(layer, method)
    return taken ? `${methodsOf(layer.route).join()} ${flat(layer.route.path).map(String).join()}` : undefined
  }
  const stack = stackOf(layer.handle)
  if (stack === undefined || depth === deepest) return undefined
  const rest = restOf(layer, path)
  if (rest === undefined) return undefined
  for (const inner of stack) {
    const label = takerOf(inner, method, rest, depth + 1)
    if (label !== undefined) return label
  }
  return undefined
}

function isFor({ route }: Layer, method: string): boolean {
  if (route === undefined) return false
  const methods = methodsOf(route)
  return methods.includes(method) || methods[0] === 'ALL'
}

/** What is for every method, or every path, passes on, unless it ends or is hidden. */
function takes(layer: Layer, method: string): boolean {
  const { route } = layer
  if (route === undefined) return false
  const isWide = methodsOf(route)[0] === 'ALL' || wide.every((path) => covers(layer, path))
  return (
    !isWide ||
    ownHandlers(layer, method).some(({ handle }) => isLast(handle)) ||
    markerAmong(handlersOf(route, method).map(({ handle }) => handle))?.hidden === true
  )
}

const wide = ['/~any~', '/~any~/~any~/~any~']

function ownHandlers({ route }: Layer, method: string): readonly HandlerLayer[] {
  return route === undefined
    ? []
    : handlersOf(route, method).filter(({ handle }) => markerOf(handle) === undefined)
}
