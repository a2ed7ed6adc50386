/** Reports on routes, and the warnings of a discovery. */

import type { ChecksCaller, RouteReport } from '../../definitions/route-report.js'
import { undescribedParts } from '../request/free-body.js'
import { type Discovered, labelOf, type Route, type RouteMarker, type Unread } from '../route.js'
import type { AnyRouteOptions } from '../route-options.js'
import { checksCaller } from './caller-checks.js'
import { type SelectedRoute, toRouteSelection, unmatchedPatterns } from './route-selection.js'

/** The name of a route's tool, or the reason why it isn't one. */
export type RouteStatus =
  | { readonly tool: string; readonly reason?: undefined }
  | { readonly tool?: undefined; readonly reason: string }

export function toRouteReport(route: Route, status: RouteStatus, guards: ReadonlySet<string>): RouteReport {
  const undescribed = status.tool === undefined ? [] : undescribedParts(route)
  return {
    method: route.method,
    path: route.template.text,
    ...(route.constraints !== undefined && { constraints: route.constraints }),
    tool: status.tool,
    reason: status.reason,
    guards: route.guards.map(({ name }) => (name === '' ? '(anonymous)' : name)),
    ...(route.guardsUnread !== undefined && { guardsUnread: route.guardsUnread }),
    checksCaller: callerCheckOf(route, guards),
    schemaSource: schemaSource(route),
    ...(undescribed.length > 0 && { undescribed }),
  }
}

/**
 * Returns whether a check of the caller is known. The marker takes precedence, because a check inside the handler can't
 * be seen.
 */
function callerCheckOf({ marker, guardsUnread, guards }: Route, named: ReadonlySet<string>): ChecksCaller {
  if (marker?.guarded === true) return 'yes'
  return guardsUnread === undefined ? checksCaller(guards, named) : 'unknown'
}

export function unreadRouteReport({ path, reason }: Unread): RouteReport {
  const nothing = { tool: undefined, guards: [], checksCaller: 'unknown', schemaSource: 'path' } as const
  return { ...nothing, method: '', path, reason: `not read: ${reason}` }
}

function schemaSource({ marker, schema }: Route): string {
  const own = [marker?.params, marker?.query, marker?.body, marker?.response]
  if (own.some((part) => part !== undefined)) return 'marker'
  return schema?.source ?? 'path'
}

/** With more tools than this, models choose worse and each request costs more. */
const manyTools = 40

export interface Selection {
  readonly options: readonly AnyRouteOptions[]
  readonly exposed: readonly SelectedRoute[]
  /** The number of routes that are tools. */
  readonly tools: number
  /** Whether the router lists search tools instead of all its tools (`toolSearch`). */
  readonly searches: boolean
}

/** Returns the warnings of a discovery; none for apps whose routes aren't used. */
export function warningsOf(
  { routes, unread }: Discovered,
  { options, exposed, tools, searches }: Selection,
): string[] {
  const isUsed = options.some(({ include, apps }) => include !== undefined || apps !== undefined)
  const shadowed = shadowedWarnings(exposed)
  const named = unread.some((one) => one.named === true)
  const unused = unusedMarkers(routes)
  if (!isUsed && !named && tools === 0 && shadowed.length + unused.length === 0) return []
  const unmatched = options.flatMap((one) => unmatchedPatterns(routes, toRouteSelection(one)))
  const warnings = [
    ...unread.map(({ path, reason }) => `${path} is not read: ${reason}`),
    ...unmatched,
    ...shadowed,
    ...unused,
  ]
  if (tools > manyTools && !searches) warnings.push(tooMany(tools))
  return warnings.map((warning) => `routes: ${warning}`)
}

/** Describes marked or included routes that can't be called because another route matches first. */
function shadowedWarnings(exposed: readonly SelectedRoute[]): string[] {
  const tools = new Set(exposed.filter(({ reason }) => reason === undefined).map(({ route }) => route))
  return exposed
    .filter(
      ({ route, shadowedBy }) =>
        shadowedBy !== undefined && (route.marker !== undefined || !tools.has(shadowedBy.route as Route)),
    )
    .map(
      ({ route, reason, shadowedBy }) =>
        `${labelOf(route)} is not a tool: ${reason}${shadowedBy?.isFirst === true ? '; declare it first, or mark the other route' : ''}`,
    )
}

/** Warns about markers in front of routers, which were probably meant for all routes behind them. */
function unusedMarkers(routes: readonly Route[]): string[] {
  const first = new Map<RouteMarker, Route>()
  for (const route of routes) {
    for (const marker of route.markersInFront ?? []) {
      if (marker.hidden !== true && !first.has(marker)) first.set(marker, route)
    }
  }
  return [...first.values()].map(
    (route) =>
      `asTool() in front of ${labelOf(route)} marks no route: put it on each route, or list them in \`include\`; only \`hidden: true\` applies to all routes behind it`,
  )
}

function tooMany(tools: number): string {
  return `${tools} routes are tools; with more than ${manyTools}, models choose badly and each request costs more: narrow \`include\` and \`exclude\`, or set \`toolSearch: true\` on the router, which lists three tools for finding the others`
}
