/** Route markers: the options of `asTool()` and of Fastify's `config.mcp`, attached to handlers. */

import { common, toolAnnotationOptions } from '../../definitions/tables.js'
import { aBoolean, checkOptions, expected, type OptionTable, readLater } from '../../support/check-options.js'
import { checkHeaderNames } from '../request/controlled-headers.js'
import type { RouteMarker } from '../route.js'

/** A string rather than a symbol: wrappers that copy properties use `for … in` or `Object.keys`. */
const key = 'mcp-router.as-tool'

/** The function name of a marker. Wrappers that don't copy properties may keep the name. */
const markerName = 'mcpRouterAsTool'

const aMediaType = expected(
  'a media type such as "multipart/form-data"',
  (value) => typeof value === 'string' && /^[\w.+-]+\/[\w.+*-]+$/.test(value),
)

const table: OptionTable = {
  known: {
    ...common,
    annotations: toolAnnotationOptions,
    params: readLater,
    query: readLater,
    body: readLater,
    headers: checkHeaderNames,
    response: readLater,
    consumes: aMediaType,
    confirm: aBoolean,
    guarded: aBoolean,
    hidden: aBoolean,
  },
}

/**
 * Checks the options of a marker.
 * @throws TypeError for unknown or invalid options.
 */
export function checkMarker(owner: string, marker: unknown): RouteMarker {
  checkOptions(owner, marker, table)
  return marker as RouteMarker // checked
}

/**
 * Attaches the options to a handler that only calls `next`.
 * @throws TypeError for unknown or invalid options.
 */
export function mark<H extends object>(handler: H, options: RouteMarker): H {
  checkMarker('asTool()', options)
  Object.defineProperty(handler, key, { value: options, enumerable: true })
  Object.defineProperty(handler, 'name', { value: markerName })
  return handler
}

/** Returns the options on a handler, or `undefined` if it isn't a marker. Works across copies of the package. */
export function markerOf(handler: unknown): RouteMarker | undefined {
  return typeof handler === 'function' ? (handler as { readonly [key]?: RouteMarker })[key] : undefined
}

/**
 * Returns why a route with an unreadable marker can't become a tool: the marker may say `hidden`. `name`: the name of
 * the function.
 */
export function unreadableMarker(name: string, handler: unknown): string | undefined {
  if (name !== markerName || markerOf(handler) !== undefined) return undefined
  return 'a wrapper around its handlers hides the options of asTool(): use asTool() on a router without such a wrapper'
}

/** Merges the markers of one route. Inner ones take precedence. */
export function mergedMarker(handlers: readonly unknown[]): RouteMarker | undefined {
  const markers = handlers.map(markerOf).filter((marker) => marker !== undefined)
  return markers.length === 0 ? undefined : Object.assign({}, ...markers)
}
