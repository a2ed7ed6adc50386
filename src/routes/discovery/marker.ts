/** What a route says of itself as a tool: the options of `asTool()` and of Fastify's `config.mcp`. */

import { common, toolAnnotationOptions } from '../../definitions/tables.js'
import { aBoolean, checkOptions, expected, type OptionTable, readLater } from '../../support/check-options.js'
import { checkHeaderNames } from '../request/controlled-headers.js'
import type { RouteMarker } from '../route.js'

/** No symbol: what wraps the handlers of an app copies the properties that `for … in` and `Object.keys` show, if any. */
const key = 'mcp-router.as-tool'

/** A wrapper that copies nothing may keep the name. */
const markName = 'mcpRouterAsTool'

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

/** @throws TypeError for options that do not exist or do not fit. */
export function checkMarker(owner: string, marker: unknown): RouteMarker {
  checkOptions(owner, marker, table)
  return marker as RouteMarker // checked
}

/** Puts the options on a handler that only passes on. @throws TypeError */
export function mark<H extends object>(handler: H, options: RouteMarker): H {
  checkMarker('asTool()', options)
  Object.defineProperty(handler, key, { value: options, enumerable: true })
  Object.defineProperty(handler, 'name', { value: markName })
  return handler
}

/** The options on a handler; `undefined`: it is no marker. Works across copies of the package. */
export function markerOf(handler: unknown): RouteMarker | undefined {
  return typeof handler === 'function' ? (handler as { readonly [key]?: RouteMarker })[key] : undefined
}

/** Why a route is no tool that has a marker which cannot be read: it may say `hidden`. `name`: that of the function. */
export function unreadableMarker(name: string, handler: unknown): string | undefined {
  if (name !== markName || markerOf(handler) !== undefined) return undefined
  return 'what wraps its handlers hides what asTool() says: put asTool() on a router that wraps none'
}

/** Of several markers on one route the options are put together, the inner ones win. */
export function markerAmong(handlers: readonly unknown[]): RouteMarker | undefined {
  const markers = handlers.map(markerOf).filter((marker) => marker !== undefined)
  return markers.length === 0 ? undefined : Object.assign({}, ...markers)
}
