/** The routes of the app that a document's operations run through: what takes their requests, and what bars them. */

import { type ConflictingRoute, conflictsOf, type ShadowedBy } from '../request/shadowed-by.js'
import type { Discovered, Route } from '../route.js'
import type { AnyRouteOptions } from '../route-options.js'
import { describedBy } from '../schema/route-document.js'
import { otherRoutesOf, routeConflicts } from './route-conflicts.js'
import { anyExclusionOf, barredBy, configured, toRouteSelection } from './route-selection.js'

/**
 * The operation with what the app's own routes say of it. `at`: its route's place among them; `undefined`: it has no
 * known one.
 */
export type AmongSiblings = (operation: Route, at: number | undefined) => Route

/** An app's routes as its mounts describe them. */
export interface AppRoutes extends Discovered {
  /** Why nobody knows yet which of them are hidden: a document is unread. */
  readonly obstacle: string | undefined
}

/** Adds what the documents and the option `tools` of the mounts say of the routes. `options`: those of all mounts. */
export function describedIn(discovered: Discovered, options: readonly AnyRouteOptions[]): AppRoutes {
  const choices = options.map(toRouteSelection)
  const documents = options.flatMap(({ document }) => document ?? [])
  const { routes, obstacle } = describedBy(documents, discovered.routes)
  return { ...discovered, routes: routes.map((route) => configured(route, choices)), obstacle }
}

/** `options`: those of all mounts in the app. What is hidden or excluded in it no operation reaches. */
export function siblingsIn(discovered: AppRoutes, options: readonly AnyRouteOptions[]): AmongSiblings {
  const { routes, patterns } = discovered
  const choices = options.map(toRouteSelection)
  const rivals = routeConflicts(discovered)
  // An operation without a known route may be one of an app that couldn't be read: what lies below that is no rival.
  const readRivals = routeConflicts({ ...discovered, unread: [] })
  const barred = routeConflicts({
    routes: routes.filter((route) => barredBy(route, choices) !== undefined),
    unread: [],
  })
  return (operation, at) => {
    const { method, template } = operation
    const route = at === undefined ? undefined : routes[at]
    const takers =
      route === undefined || at === undefined
        ? [
            conflictsOf(template, readRivals(method), undefined),
            conflictsOf(template, barred(method).map(inFront), 0),
          ]
        : [conflictsOf(route.template, rivals(method), at), ...otherRoutesOf(route, at, patterns)]
    const exclusion = anyExclusionOf(operation, choices)
    if (exclusion !== undefined) takers.push(exclusion)
    const obstacle = operation.obstacle ?? discovered.obstacle ?? (route && barredBy(route, choices))
    return { ...operation, obstacle, siblings: (path, headers) => first(takers, path, headers) }
  }
}

/** As if it were asked before all others: it must not be reached at all. */
function inFront(rival: ConflictingRoute): ConflictingRoute {
  return { ...rival, at: -1, passes: false }
}

function first(takers: readonly ShadowedBy[], ...given: Parameters<ShadowedBy>): string | undefined {
  for (const take of takers) {
    const label = take(...given)
    if (label !== undefined) return label
  }
  return undefined
}
