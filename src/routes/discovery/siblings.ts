/**
 * Relates the operations of an OpenAPI document to the routes of the app they call through, to detect conflicts and
 * exclusions.
 */

import { type ConflictingRoute, conflictsOf, type ShadowedBy } from '../request/shadowed-by.js'
import type { Discovered, Route } from '../route.js'
import type { AnyRouteOptions } from '../route-options.js'
import { applyDocuments } from '../schema/route-document.js'
import { otherRoutesOf, routeConflicts } from './route-conflicts.js'
import { exclusionOfAnyMount, exclusionReason, toRouteSelection, withToolOptions } from './route-selection.js'

/**
 * Adds the conflicts and obstacles in the app's own routes to an operation. `at`: the position of its route among them;
 * `undefined` if unknown.
 */
export type RelateOperation = (operation: Route, at: number | undefined) => Route

/** An app's routes as configured by its mounts. */
export interface AppRoutes extends Discovered {
  /** Why it isn't known yet which routes are hidden: a document isn't read yet. */
  readonly obstacle: string | undefined
}

/** Applies the documents and the option `tools` of the mounts to the routes. `options`: those of all mounts. */
export function withMountOptions(discovered: Discovered, options: readonly AnyRouteOptions[]): AppRoutes {
  const choices = options.map(toRouteSelection)
  const documents = options.flatMap(({ document }) => document ?? [])
  const { routes, obstacle } = applyDocuments(documents, discovered.routes)
  return { ...discovered, routes: routes.map((route) => withToolOptions(route, choices)), obstacle }
}

/**
 * Creates a function that relates operations to an app's routes. Operations never reach hidden or excluded routes.
 * `options`: those of all mounts in the app.
 */
export function operationRelator(
  discovered: AppRoutes,
  options: readonly AnyRouteOptions[],
): RelateOperation {
  const { routes, patterns } = discovered
  const choices = options.map(toRouteSelection)
  const conflicts = routeConflicts(discovered)
  // An operation without a known route may belong to an app that couldn't be read, so routes below that app don't
  // conflict with it.
  const readableConflicts = routeConflicts({ ...discovered, unread: [] })
  const excluded = routeConflicts({
    routes: routes.filter((route) => exclusionReason(route, choices) !== undefined),
    unread: [],
  })
  return (operation, at) => {
    const { method, template } = operation
    const route = at === undefined ? undefined : routes[at]
    const checks =
      route === undefined || at === undefined
        ? [
            conflictsOf(template, readableConflicts(method), undefined),
            conflictsOf(template, excluded(method).map(asFirst), 0),
          ]
        : [conflictsOf(route.template, conflicts(method), at), ...otherRoutesOf(route, at, patterns)]
    const exclusion = exclusionOfAnyMount(operation, choices)
    if (exclusion !== undefined) checks.push(exclusion)
    const hidden = route === undefined ? discovered.incomplete : exclusionReason(route, choices)
    const obstacle = operation.obstacle ?? discovered.obstacle ?? hidden
    return { ...operation, obstacle, siblings: (path, headers) => first(checks, path, headers) }
  }
}

/** Treats the route as first in order, so that it is never reached. */
function asFirst(conflict: ConflictingRoute): ConflictingRoute {
  return { ...conflict, at: -1, passes: false }
}

function first(checks: readonly ShadowedBy[], ...given: Parameters<ShadowedBy>): string | undefined {
  for (const check of checks) {
    const label = check(...given)
    if (label !== undefined) return label
  }
  return undefined
}
