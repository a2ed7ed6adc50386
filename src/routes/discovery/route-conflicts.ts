/** Finds the routes of an app that may match requests meant for another route. Used by `pathBuilder`. */

import type { ConflictingRoute, ShadowedBy } from '../request/shadowed-by.js'
import { type Discovered, labelOf, type PatternRoute, type Route } from '../route.js'
import { parseOpenApi } from './path-syntax.js'
import { samplePaths, toTemplate } from './path-template.js'
import { acceptsAlways, handlesRequests, isOrdered } from './route-precedence.js'

/**
 * Returns, for each method, the routes that may match its requests, and everything below mounts that could not be read.
 * A route doesn't conflict with itself.
 */
export function routeConflicts({
  routes,
  unread,
}: Discovered): (method: string) => readonly ConflictingRoute[] {
  const unreadMounts = unread
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
          return { template, at, accepts, passes: !handlesRequests(route), label: labelOf(route) }
        })
        .concat(unreadMounts)
    known.set(method, found)
    return found
  }
}

/**
 * Returns further checks of built paths, for conflicts that only the app's own matchers can detect. `at`: the position
 * of the route.
 */
export function otherRoutesOf(
  route: Route,
  at: number,
  patterns: readonly PatternRoute[] = [],
): readonly ShadowedBy[] {
  const before = isOrdered(route) ? patterns.filter((pattern) => pattern.at <= at) : []
  const checks = before.map(
    ({ shadowing, accepts }): ShadowedBy =>
      (path, headers) =>
        accepts?.(headers) === false ? undefined : shadowing(route.method, path),
  )
  return [...checks, route.shadowedBy, route.siblings].filter((check) => check !== undefined)
}

/** Returns the label of a preceding pattern that matches all requests of a route. */
export function shadowingPattern(
  route: Route,
  at: number,
  patterns: readonly PatternRoute[] = [],
): string | undefined {
  if (!isOrdered(route)) return undefined
  const paths = samplePaths(route.template.segments)
  for (const pattern of patterns) {
    if (pattern.at > at || !acceptsAlways(pattern.accepts, route)) continue
    const labels = paths.map((path) => pattern.shadowing(route.method, path))
    if (labels.every((label) => label !== undefined)) return labels[0]
  }
  return undefined
}
