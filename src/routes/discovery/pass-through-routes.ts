/** Treats routes that pass requests on (for every method or every path) as guards of the routes behind them. */

import type { Discovered, PatternRoute, Route, RouteGuard } from '../route.js'
import { samplePaths } from './path-template.js'
import { handlesRequests, isOrdered, precedes } from './route-precedence.js'

/**
 * Adds the handlers of preceding pass-through routes to the guards of each route, for frameworks that match in order.
 */
export function passThroughGuards({ routes, patterns = [], ...rest }: Discovered): Discovered {
  const passing = routes.flatMap((route, at) =>
    route.passes === undefined || handlesRequests(route) ? [] : [{ route, at, guards: route.passes }],
  )
  const guarded = routes.map((route, at): Route => {
    if (!isOrdered(route)) return route
    const preceding = [
      ...passing.filter((other) => other.at < at && precedes(other.route, route)),
      ...patterns.filter((other) => other.at <= at && passesThrough(other, route)).map(toPassThrough),
    ]
    return preceding.reduce(insertGuards, route)
  })
  return { ...rest, routes: guarded, patterns }
}

interface PassThrough {
  readonly route?: Route
  readonly guards: readonly RouteGuard[]
}

function toPassThrough({ passes }: PatternRoute): PassThrough {
  return { guards: passes?.guards ?? [] }
}

function passesThrough({ passes, accepts }: PatternRoute, { method, template }: Route): boolean {
  if (passes === undefined || accepts !== undefined) return false
  return samplePaths(template.segments).every((path) => passes.fits(method, path))
}

/** Inserts the guards after those that both routes share. */
function insertGuards(route: Route, { route: other, guards }: PassThrough): Route {
  const shared = other?.guards ?? []
  let at = 0
  while (at < shared.length && shared[at]?.handle === route.guards[at]?.handle) at += 1
  return { ...route, guards: [...route.guards.slice(0, at), ...guards, ...route.guards.slice(at)] }
}
