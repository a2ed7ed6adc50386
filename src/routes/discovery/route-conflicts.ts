/** What in an app may take requests away from a route: for `pathBuilder`. */

import type { ConflictingRoute, ShadowedBy } from '../request/shadowed-by.js'
import { type Discovered, labelOf, type PatternRoute, type Route } from '../route.js'
import { parseOpenApi } from './path-syntax.js'
import { samplePaths, toTemplate } from './path-template.js'
import { isOrdered, takes, welcomes } from './route-precedence.js'

/**
 * By method, what may take requests away from its routes: all routes of this method (a route is no rival of itself),
 * and whatever lies below a mount that could not be read.
 */
export function routeConflicts({
  routes,
  unread,
}: Discovered): (method: string) => readonly ConflictingRoute[] {
  const closed = unread
    .filter(({ path }) => /^(?:\/[^/()*?^]+)+$/.test(path))
    .map(
      ({ path }): ConflictingRoute => ({
        template: toTemplate(parseOpenApi(path)),
        below: true,
        label: path,
      }),
    )
  const known = new Map<string, readonly ConflictingRoute[]>()
  return (method) => {
    const found =
      known.get(method) ??
      routes
        .map((route, at) => ({ route, at }))
        .filter(({ route }) => route.method === method || route.method === 'ALL')
        .map(({ route, at }): ConflictingRoute => {
          const { template, accepts } = route
          return { template, at, accepts, passes: !takes(route), label: labelOf(route) }
        })
        .concat(closed)
    known.set(method, found)
    return found
  }
}

/** Who may take a finished path of a route besides: what only the app's own matchers can tell. `at`: where it stands. */
export function otherRoutesOf(
  route: Route,
  at: number,
  patterns: readonly PatternRoute[] = [],
): readonly ShadowedBy[] {
  const before = isOrdered(route) ? patterns.filter((pattern) => pattern.at <= at) : []
  const takers = before.map(
    ({ shadowing, accepts }): ShadowedBy =>
      (path, headers) =>
        accepts?.(headers) === false ? undefined : shadowing(route.method, path),
  )
  return [...takers, route.shadowedBy, route.siblings].filter((taker) => taker !== undefined)
}

/** The pattern in front of a route that takes all its requests, as messages call it. */
export function patternOver(
  route: Route,
  at: number,
  patterns: readonly PatternRoute[] = [],
): string | undefined {
  if (!isOrdered(route)) return undefined
  const paths = samplePaths(route.template.segments)
  for (const pattern of patterns) {
    if (pattern.at > at || !welcomes(pattern.accepts, route)) continue
    const labels = paths.map((path) => pattern.shadowing(route.method, path))
    if (labels.every((label) => label !== undefined)) return labels[0]
  }
  return undefined
}
