/** What stands in front of a route without being a middleware: routes for every method, or every path, that pass on. */

import type { Discovered, PatternRoute, Route, RouteGuard } from '../route.js'
import { samplePaths } from './path-template.js'
import { isOrdered, precedes, takes } from './route-precedence.js'

/** The routes with the handlers of those in front among their guards, for apps that ask their routes in order. */
export function passThroughGuards({ routes, patterns = [], ...rest }: Discovered): Discovered {
  const passing = routes.flatMap((route, at) =>
    route.passes === undefined || takes(route) ? [] : [{ route, at, guards: route.passes }],
  )
  const guarded = routes.map((route, at): Route => {
    if (!isOrdered(route)) return route
    const before = [
      ...passing.filter((other) => other.at < at && precedes(other.route, route)),
      ...patterns.filter((other) => other.at <= at && isThrough(other, route)).map(toPassed),
    ]
    return before.reduce(behind, route)
  })
  return { ...rest, routes: guarded, patterns }
}

interface Passed {
  readonly route?: Route
  readonly guards: readonly RouteGuard[]
}

function toPassed({ passes }: PatternRoute): Passed {
  return { guards: passes?.guards ?? [] }
}

function isThrough({ passes, accepts }: PatternRoute, { method, template }: Route): boolean {
  if (passes === undefined || accepts !== undefined) return false
  return samplePaths(template.segments).every((path) => passes.fits(method, path))
}

/** After what stands in front of both. */
function behind(route: Route, { route: other, guards }: Passed): Route {
  const shared = other?.guards ?? []
  let at = 0
  while (at < shared.length && shared[at]?.handle === route.guards[at]?.handle) at += 1
  return { ...route, guards: [...route.guards.slice(0, at), ...guards, ...route.guards.slice(at)] }
}
