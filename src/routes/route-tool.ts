/** Turns a route into a tool entry, with the same options and checks as any other tool. */

import { type DefinitionParts, definition, partsOf } from '../definitions/define.js'
import type { Entry, EntryDefaults } from '../definitions/entries.js'
import type { ToolAnnotations } from '../definitions/options.js'
import type { RouteReport } from '../definitions/route-report.js'
import { toEntry } from '../definitions/to-entry.js'
import { routeHandler } from './call-route.js'
import { isOrdered } from './discovery/route-precedence.js'
import { type BodyType, bodyTypeOf } from './request/body-type.js'
import { inputOf } from './request/input.js'
import { pathBuilder } from './request/path-builder.js'
import type { ConflictingRoute, ShadowedBy } from './request/shadowed-by.js'
import { type InnerResponse, labelOf, type Route, type RouteSource } from './route.js'
import type { AnyRouteOptions } from './route-options.js'

/** Context that all tools of one source share. */
export interface RouteToolContext {
  readonly source: RouteSource
  readonly options: AnyRouteOptions
  readonly defaults: EntryDefaults
  readonly conflicts: readonly ConflictingRoute[]
  /** Further checks for routes that would match a built path first. */
  readonly others: readonly ShadowedBy[]
  readonly onResponse: (response: InnerResponse) => void
}

/**
 * Creates the entry of a route's tool.
 * @throws TypeError or Error if the tool can't be served.
 */
export function routeEntry(
  route: Route,
  report: RouteReport & { readonly tool: string },
  context: RouteToolContext,
): Entry {
  const { source, options, defaults, conflicts, others, onResponse } = context
  const { warn, support } = defaults
  const name = report.tool
  const owner = `tool "${name}"`
  const place = labelOf(route)
  const { consumes, note: typeNote } = consumedBy(route)
  const input = inputOf(withConsumes(route, consumes), {
    owner,
    support,
    warn,
    forwardHeaders: options.forwardHeaders,
    headers: options.headers,
    ...(options.remote !== undefined && {
      alternative: options.remote.hasHeaders ? undefined : 'return it from `headers(ctx)`',
    }),
  })
  const notes =
    input.consumes === undefined || typeNote === undefined ? input.notes : [...input.notes, typeNote]
  for (const note of notes) warn(`${owner} (${place}): ${note}`)
  const call = {
    name,
    route,
    input,
    toPath: pathBuilder(route.template, conflicts, positionOf(route, conflicts), others),
    source,
    options,
    onDrift: (difference: string) =>
      warn(`${owner}: the response of ${place} does not match its schema: ${difference}`),
    onResponse,
  }
  const tool = {
    ...toolOptions(route),
    annotations: annotationsOf(route),
    input: input.input,
    output: input.output?.schema,
    handler: routeHandler(call),
  }
  const parts = partsOf(definition({ kind: 'tool', name, place }, tool)) as DefinitionParts
  return { ...toEntry(parts, name, defaults), route: report } as Entry
}

/**
 * Returns the tool options of a route. The marker's texts take precedence over the schema's. Options that only routes
 * have are left out.
 */
function toolOptions(route: Route): Record<string, unknown> {
  const { marker = {}, schema } = route
  const {
    name: _,
    params,
    query,
    body,
    headers,
    response,
    consumes,
    guarded,
    hidden,
    annotations,
    ...options
  } = marker
  const summary = schema?.summary
  const described = schema?.description ?? summary ?? labelOf(route)
  return {
    ...options,
    title: options.title ?? (schema?.description === undefined ? undefined : summary),
    description: options.description ?? described,
  }
}

function consumedBy(route: Route): BodyType {
  const consumes = route.marker?.consumes ?? route.schema?.consumes
  return consumes === undefined ? bodyTypeOf(route) : { consumes }
}

function withConsumes(route: Route, consumes: string | undefined): Route {
  if (consumes === undefined) return route
  return { ...route, schema: { source: 'path', ...route.schema, consumes } }
}

/** Returns the route's position, or `undefined` if the framework doesn't match routes in order. */
function positionOf(route: Route, conflicts: readonly ConflictingRoute[]): number | undefined {
  if (!isOrdered(route)) return undefined
  return conflicts.find(({ template }) => template === route.template)?.at
}

/** Semantics of HTTP methods (RFC 9110, section 9.2). */
const byMethod: Readonly<Record<string, ToolAnnotations>> = {
  GET: { readOnly: true },
  QUERY: { readOnly: true },
  PUT: { idempotent: true },
  DELETE: { destructive: true, idempotent: true },
}

function annotationsOf({ method, marker }: Route): ToolAnnotations | undefined {
  const given = marker?.annotations
  const own = Object.entries(byMethod[method] ?? {}).filter(
    ([hint]) => given?.[`${hint}Hint` as keyof ToolAnnotations] === undefined,
  )
  const all = { ...Object.fromEntries(own), ...given }
  return Object.keys(all).length === 0 ? undefined : all
}
