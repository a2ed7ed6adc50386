/** What a route shows of itself to those who look after the app: is it a tool, and what stands in front of it. */

import { undescribedParts } from '../request/free-body.js'
import type { Route, Unread } from '../route.js'
import { type ChecksCaller, checksCaller } from './caller-checks.js'

/** What is known of a route: whether it is a tool, and what stands in front of it. */
export interface RouteReport {
  /** `ALL`: every one. Empty where the route could not be read. */
  readonly method: string
  /** `/tasks/{id}` */
  readonly path: string
  /** What else a request must say, where the app has it so: `{ version: '1.2.0' }`. */
  readonly constraints?: Readonly<Record<string, string>> | undefined
  /** Its tool's name in this router; `undefined`: it is no tool. */
  readonly tool: string | undefined
  /** Why it is no tool. */
  readonly reason: string | undefined
  /** The middleware in front of the handler, outermost first; `(anonymous)` where it has no name. */
  readonly guards: readonly string[]
  /** Why they cannot be told: the route is of another server, or of an app that no mount reads. */
  readonly guardsUnread?: string | undefined
  /** Whether one of them, or by its `guarded` the handler, checks who calls. */
  readonly checksCaller: ChecksCaller
  /** Where its schemas come from: `marker`, `fastify`, `express-validator`, …, `path`: from the path alone. */
  readonly schemaSource: string
  /** Parts of the request that nothing describes: its tool takes anything there, as the arguments `query` and `body`. */
  readonly undescribed?: readonly ('query' | 'body')[] | undefined
}

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
