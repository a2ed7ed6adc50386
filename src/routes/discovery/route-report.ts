/** What a route shows of itself to those who look after the app: is it a tool, and what stands in front of it. */

import type { ChecksCaller, RouteReport } from '../../definitions/route-report.js'
import { undescribedParts } from '../request/free-body.js'
import { type Discovered, labelOf, type Route, type RouteMarker, type Unread } from '../route.js'
import type { AnyRouteOptions } from '../route-options.js'
import { checksCaller } from './caller-checks.js'
import { idlePatterns, type SelectedRoute, toRouteSelection } from './route-selection.js'

/** A tool by its name, or no tool for a reason. */
export type RouteStatus =
  | { readonly tool: string; readonly reason?: undefined }
  | { readonly tool?: undefined; readonly reason: string }

export function toRouteReport(route: Route, standing: RouteStatus, guards: ReadonlySet<string>): RouteReport {
  const undescribed = standing.tool === undefined ? [] : undescribedParts(route)
  return {
    method: route.method,
    path: route.template.text,
    ...(route.constraints !== undefined && { constraints: route.constraints }),
    tool: standing.tool,
    reason: standing.reason,
    guards: route.guards.map(({ name }) => (name === '' ? '(anonymous)' : name)),
    ...(route.guardsUnread !== undefined && { guardsUnread: route.guardsUnread }),
    checksCaller: callerCheckOf(route, guards),
    schemaSource: schemaSource(route),
    ...(undescribed.length > 0 && { undescribed }),
  }
}

/** The route's own word wins: a check inside the handler is invisible. */
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

/** More tools than this cost a model more than they help. */
const manyTools = 40

export interface Chosen {
  readonly options: readonly AnyRouteOptions[]
  readonly exposed: readonly SelectedRoute[]
  /** How many routes are tools. */
  readonly tools: number
  /** The router lists three tools that find the others. */
  readonly searches: boolean
}

/** None for apps whose routes nobody asked for. */
export function warningsOf(
  { routes, unread }: Discovered,
  { options, exposed, tools, searches }: Chosen,
): string[] {
  const asked = options.some(({ include, apps }) => include !== undefined || apps !== undefined)
  const taken = takenAway(exposed)
  const named = unread.some((one) => one.named === true)
  const lost = markersOfNone(routes)
  if (!asked && !named && tools === 0 && taken.length + lost.length === 0) return []
  const idle = options.flatMap((one) => idlePatterns(routes, toRouteSelection(one)))
  const warnings = [
    ...unread.map(({ path, reason }) => `${path} is not read: ${reason}`),
    ...idle,
    ...taken,
    ...lost,
  ]
  if (tools > manyTools && !searches) warnings.push(tooMany(tools))
  return warnings.map((warning) => `routes: ${warning}`)
}

/** What somebody marked, or chose and will not find under the name of the route that answers. */
function takenAway(exposed: readonly SelectedRoute[]): string[] {
  const tools = new Set(exposed.filter(({ reason }) => reason === undefined).map(({ route }) => route))
  return exposed
    .filter(
      ({ route, shadowedBy }) =>
        shadowedBy !== undefined && (route.marker !== undefined || !tools.has(shadowedBy.route as Route)),
    )
    .map(
      ({ route, reason, shadowedBy }) =>
        `${labelOf(route)} is no tool: ${reason}${shadowedBy?.isFirst === true ? '; declare it first, or mark that one' : ''}`,
    )
}

/** Somebody meant them for all routes behind. */
function markersOfNone(routes: readonly Route[]): string[] {
  const first = new Map<RouteMarker, Route>()
  for (const route of routes) {
    for (const marker of route.markersInFront ?? []) {
      if (marker.hidden !== true && !first.has(marker)) first.set(marker, route)
    }
  }
  return [...first.values()].map(
    (route) =>
      `asTool() in front of ${labelOf(route)} marks no route: put it on each route, or name them in \`include\`; only \`hidden: true\` holds for all that is behind`,
  )
}

function tooMany(tools: number): string {
  return `${tools} routes are tools; above ${manyTools} a model chooses badly and pays for each of them: narrow \`include\` and \`exclude\`, or set \`toolSearch: true\` on the router, which lists three tools that find the others`
}
