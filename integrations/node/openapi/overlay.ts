/** Merges the operations of an OpenAPI document into the routes that a framework knows. */

import type { DescribedParts, Route, RouteSchema, Segment, Template } from '../../../src/internal.js'
import { parametersOf } from '../../../src/internal.js'
import { isObject, type Json } from './document.js'
import { type Operation, readOperations } from './operations.js'
import { serverPrefix } from './servers.js'

/** The merged routes, and the mismatches between the app and the document. */
export interface Overlaid {
  readonly routes: readonly Route[]
  /** Operations without a route, as `GET /path`. */
  readonly missing: readonly string[]
  /** Routes without an operation. */
  readonly undocumented: readonly string[]
  /** Operations that couldn't be read. */
  readonly unread: readonly { readonly path: string; readonly reason: string }[]
}

/** Options of `overlay()`. */
export interface OverlayOptions {
  /** Prefix of the document's paths in the app. Default: the path of the document's first server. */
  readonly prefix?: string | undefined
}

/**
 * Merges operations into routes. Matches them by method and path, and path parameters by position. The route's own
 * schemas win; the document describes the other arguments. An operation with `x-mcp` marks its route.
 */
export function overlay(routes: readonly Route[], document: object, options: OverlayOptions = {}): Overlaid {
  return createOverlay(document, options)(routes)
}

/** Like `overlay()`, but reads the document once for many lists of routes. */
export function createOverlay(
  document: object,
  { prefix = serverPrefix(document as Json) }: OverlayOptions = {},
): (routes: readonly Route[]) => Overlaid {
  const { operations, unread } = readOperations(document as Json, prefix)
  const byAddress = new Map(operations.map((operation) => [routeKey(operation.route), operation]))
  return (routes) => {
    const matched = new Set<Operation>()
    const undocumented: string[] = []
    const overlaid = routes.map((route) => {
      const described = byAddress.get(routeKey(route))
      if (described === undefined) {
        undocumented.push(labelOf(route))
        return route
      }
      matched.add(described)
      return mergeOperation(route, described)
    })
    const missing = operations.filter((operation) => !matched.has(operation))
    return { routes: overlaid, missing: missing.map(({ route }) => labelOf(route)), undocumented, unread }
  }
}

function labelOf({ method, template }: Route): string {
  return `${method} ${template.text}`
}

/** Returns a key of method and path that ignores the names of path parameters. */
export function routeKey({ method, template }: Route): string {
  const segments = template.segments.filter((segment) => segment.length > 0)
  return `${method} /${segments.map(shapeOf).join('/')}`
}

function shapeOf(segment: Segment): string {
  return segment.map((part) => (part.kind === 'literal' ? part.text : '{}')).join('')
}

function mergeOperation(route: Route, { route: described, marker: marks }: Operation): Route {
  const known: Partial<RouteSchema> = withoutUndefined(route.schema ?? {})
  const documented = described.schema as RouteSchema // every operation has one
  const sources = [route.schema?.source, 'openapi'].filter((name) => name !== undefined)
  const own = route.schema?.follow
  const params = renameParameters(documented.params, described.template, route.template)
  const takesBody = known.body === undefined ? documented : { ...known, takesBody: true }
  return {
    ...route,
    marker: marks === undefined ? route.marker : { ...marks, ...route.marker },
    schema: {
      ...documented,
      params,
      ...known,
      consumes: takesBody.consumes ?? documented.consumes,
      bodyRequired: takesBody.bodyRequired,
      takesBody: takesBody.takesBody,
      fallbacks: [...(known.fallbacks ?? []), fallbackFor(known, { ...documented, params })],
      hidden: known.hidden === true || documented.hidden === true,
      source: sources.join(' and '),
      follow:
        own === undefined
          ? documented.follow
          : (ref, base) => own(ref, base) ?? documented.follow?.(ref, base),
    },
  }
}

/** Returns the document's schemas of the parts that the route describes as well. */
function fallbackFor(known: Partial<RouteSchema>, documented: RouteSchema): DescribedParts {
  return {
    params: known.params && documented.params,
    query: known.query && documented.query,
    body: known.body && documented.body,
    headers: known.headers && documented.headers,
    follow: documented.follow,
  }
}

function withoutUndefined(schema: Partial<RouteSchema>): Partial<RouteSchema> {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))
}

/** Renames path parameters: `{taskId}` in the document may be `:id` in the app. */
function renameParameters(
  params: RouteSchema['params'],
  from: Template,
  to: Template,
): RouteSchema['params'] {
  const { properties } = (params ?? {}) as Json
  if (!isObject(properties)) return params
  const names = parametersOf(to).map(({ name }) => name)
  const entries = parametersOf(from).flatMap(({ name }, index) => {
    const own = names[index]
    return own === undefined || !Object.hasOwn(properties, name) ? [] : [[own, properties[name]] as const]
  })
  return { ...params, properties: Object.fromEntries(entries) } as RouteSchema['params']
}
