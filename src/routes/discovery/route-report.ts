/** What a route shows of itself to those who look after the app: is it a tool, and what stands in front of it. */

import type { ChecksCaller, RouteReport } from '../../definitions/route-report.js'
import { undescribedParts } from '../request/free-body.js'
import type { Route, Unread } from '../route.js'
import { checksCaller } from './caller-checks.js'

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
