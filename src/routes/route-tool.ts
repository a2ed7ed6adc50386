/** One route as a tool definition: the same options, checks and entry as any other tool. */

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

/** What all tools of one source share. */
export interface RouteToolContext {
  readonly source: RouteSource
  readonly options: AnyRouteOptions
  readonly defaults: EntryDefaults
  readonly conflicts: readonly ConflictingRoute[]
  /** What else may take a finished path. */
  readonly others: readonly ShadowedBy[]
  readonly watch: (response: InnerResponse) => void
}

/** @throws TypeError or Error when it cannot be served. */
export function routeEntry(
  route: Route,
  posture: RouteReport & { readonly tool: string },
  context: RouteToolContext,
): Entry {
  const { source, options, defaults, conflicts, others, watch } = context
  const { warn, support } = defaults
  const name = posture.tool
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
      otherwise: options.remote.hasHeaders ? undefined : 'return it from `headers(ctx)`',
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
      warn(`${owner}: ${place} answered what its schema does not say: ${difference}`),
    watch,
  }
  const tool = {
    ...said(route),
    annotations: annotationsOf(route),
    input: input.input,
    output: input.output?.schema,
    handler: routeHandler(call),
  }
  const parts = partsOf(definition({ kind: 'tool', name, place }, tool)) as DefinitionParts
  return { ...toEntry(parts, name, defaults), route: posture } as Entry
}

/** The marker's words win over those of the route's schema. What only routes know is no option of a tool. */
function said(route: Route): Record<string, unknown> {
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

/** `undefined` where routes have no order. */
function positionOf(route: Route, rivals: readonly ConflictingRoute[]): number | undefined {
  if (!isOrdered(route)) return undefined
  return rivals.find(({ template }) => template === route.template)?.at
}

/** What HTTP says of a method (RFC 9110, section 9.2). */
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
