/** Lays what a document says of routes over what their framework knows of them. */

import type { DescribedParts, Route, RouteSchema, Segment, Template } from '../../../src/internal.js'
import { parametersOf } from '../../../src/internal.js'
import { isObject, type Json } from './document.js'
import { type Operation, readOperations } from './operations.js'
import { serverPrefix } from './servers.js'

/** Routes with what a document says of them, and what it says of none. */
export interface Overlaid {
  readonly routes: readonly Route[]
  /** Operations that no route answers, as `GET /path`. */
  readonly missing: readonly string[]
  /** Routes that the document does not know. */
  readonly undocumented: readonly string[]
  /** Operations that could not be read. */
  readonly unread: readonly { readonly path: string; readonly reason: string }[]
}

/** Where the paths of the document stand in the app. */
export interface OverlayOptions {
  /** What stands in front of the document's paths in the app. Default: the path of its first server. */
  readonly prefix?: string | undefined
}

/**
 * Matches operations with routes by method and path, and path parameters by their place. What a route knows of an
 * argument stays; the document describes the others. An operation with `x-mcp` marks its route.
 */
export function overlay(routes: readonly Route[], document: object, options: OverlayOptions = {}): Overlaid {
  return overlayOf(document, options)(routes)
}

/** The same for routes that come again and again: the document is read once. */
export function overlayOf(
  document: object,
  { prefix = serverPrefix(document as Json) }: OverlayOptions = {},
): (routes: readonly Route[]) => Overlaid {
  const { operations, unread } = readOperations(document as Json, prefix)
  const byAddress = new Map(operations.map((operation) => [addressOf(operation.route), operation]))
  return (routes) => {
    const met = new Set<Operation>()
    const undocumented: string[] = []
    const overlaid = routes.map((route) => {
      const described = byAddress.get(addressOf(route))
      if (described === undefined) {
        undocumented.push(placeOf(route))
        return route
      }
      met.add(described)
      return laidOver(route, described)
    })
    const missing = operations.filter((operation) => !met.has(operation))
    return { routes: overlaid, missing: missing.map(({ route }) => placeOf(route)), undocumented, unread }
  }
}

function placeOf({ method, template }: Route): string {
  return `${method} ${template.text}`
}

/** What a request must say to reach it, whatever its parameters are called. */
export function addressOf({ method, template }: Route): string {
  const segments = template.segments.filter((segment) => segment.length > 0)
  return `${method} /${segments.map(shapeOf).join('/')}`
}

function shapeOf(segment: Segment): string {
  return segment.map((part) => (part.kind === 'literal' ? part.text : '{}')).join('')
}

function laidOver(route: Route, { route: described, said: marks }: Operation): Route {
  const known: Partial<RouteSchema> = withoutNothing(route.schema ?? {})
  const said = described.schema as RouteSchema // every operation has one
  const sources = [route.schema?.source, 'openapi'].filter((name) => name !== undefined)
  const own = route.schema?.follow
  const params = renamed(said.params, described.template, route.template)
  const takesBody = known.body === undefined ? said : { ...known, takesBody: true }
  return {
    ...route,
    marker: marks === undefined ? route.marker : { ...marks, ...route.marker },
    schema: {
      ...said,
      params,
      ...known,
      consumes: takesBody.consumes ?? said.consumes,
      bodyRequired: takesBody.bodyRequired,
      takesBody: takesBody.takesBody,
      fallbacks: [...(known.fallbacks ?? []), fallbackFor(known, { ...said, params })],
      hidden: known.hidden === true || said.hidden === true,
      source: sources.join(' and '),
      follow: own === undefined ? said.follow : (ref, base) => own(ref, base) ?? said.follow?.(ref, base),
    },
  }
}

/** What the document says of parts that the route describes as well. */
function fallbackFor(known: Partial<RouteSchema>, said: RouteSchema): DescribedParts {
  return {
    params: known.params && said.params,
    query: known.query && said.query,
    body: known.body && said.body,
    headers: known.headers && said.headers,
    follow: said.follow,
  }
}

function withoutNothing(schema: Partial<RouteSchema>): Partial<RouteSchema> {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))
}

/** `{taskId}` in the document is `:id` in the app. */
function renamed(params: RouteSchema['params'], from: Template, to: Template): RouteSchema['params'] {
  const { properties } = (params ?? {}) as Json
  if (!isObject(properties)) return params
  const names = parametersOf(to).map(({ name }) => name)
  const entries = parametersOf(from).flatMap(({ name }, index) => {
    const own = names[index]
    return own === undefined || !Object.hasOwn(properties, name) ? [] : [[own, properties[name]] as const]
  })
  return { ...params, properties: Object.fromEntries(entries) } as RouteSchema['params']
}
