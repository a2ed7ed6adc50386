/** Reads the tables of an Express app: its layers, their methods, and which of them are guards. */

import { endpointOf, markerOf, type RouteGuard } from '../../src/internal.js'
import type { ExpressRoute, HandlerLayer, Layer } from './routes-paths.js'

/** The members of an app used here, the same in Express 4 and 5. */
export interface ExpressApp {
  (...args: never[]): unknown
  readonly mountpath: string | readonly string[]
  /** Returns its full mount path, including those of its parents. */
  path(): string
  readonly parent?: ExpressApp | undefined
  readonly handle: unknown
  /** Express 4, where `router` is a getter that throws. */
  readonly _router?: { readonly stack: readonly Layer[] } | undefined
  readonly lazyrouter?: unknown
  readonly router?: { readonly stack: readonly Layer[] }
  get(setting: string): unknown
}

type GivenApps = readonly { readonly app: unknown }[]

/**
 * Reports every layer of an app and its handlers, including those of routers and routes, in the order of the tables.
 */
export function walkLayers(app: ExpressApp, givenApps: GivenApps, report: (member: unknown) => void): void {
  const visited = new Set<readonly Layer[]>()
  const visit = (stack: readonly Layer[] | undefined): void => {
    if (stack === undefined || visited.has(stack)) return
    visited.add(stack)
    for (const layer of stack) {
      report(layer)
      report(layer.handle)
      if (layer.route === undefined) visit(stackOf(layer.handle))
      else for (const { handle } of layer.route.stack) report(handle)
    }
  }
  visit(stackOf(app))
  for (const { app: sub } of givenApps) visit(stackOf(sub))
}

/** Whether any handler is marked with `asTool()`. */
export function hasMarker(app: ExpressApp, givenApps: GivenApps): boolean {
  let marked = false
  walkLayers(app, givenApps, (member) => {
    marked ||= markerOf(member) !== undefined
  })
  return marked
}

/** Returns the layers of an app or router. `undefined`: `handle` is neither. */
export function stackOf(handle: unknown): readonly Layer[] | undefined {
  if (typeof handle !== 'function') return undefined
  if (isApp(handle)) return (handle.lazyrouter === undefined ? handle.router : handle._router)?.stack ?? []
  const { stack } = handle as { stack?: unknown }
  return Array.isArray(stack) ? stack : undefined
}

export function isApp(value: unknown): value is ExpressApp {
  const app = value as Partial<ExpressApp> | undefined
  return typeof value === 'function' && typeof app?.handle === 'function' && 'mountpath' in value
}

const everyMethod = '_all'

/**
 * Returns the methods of a route. `route.all()` combined with specific methods is a guard. Alone it is a route for
 * every method, as is `app.all()`, which lists all methods by name. HEAD is left out if there is a GET.
 */
export function methodsOf({ methods }: ExpressRoute): readonly string[] {
  const named = Object.keys(methods).filter((method) => methods[method] === true && method !== everyMethod)
  const own = named.map((method) => method.toUpperCase())
  if (own.length > 15) return ['ALL']
  const twin = own.includes('GET') ? own.filter((method) => method !== 'HEAD') : own
  return twin.length === 0 ? ['ALL'] : twin
}

/** Returns a route's handlers for a method, in the order in which they run. */
export function handlersOf(route: ExpressRoute, method: string): readonly HandlerLayer[] {
  // `app.all()` has its handlers once for each method.
  const requested = method === 'ALL' ? 'GET' : method
  return route.stack.filter((layer) => layer.method === undefined || layer.method.toUpperCase() === requested)
}

/**
 * Whether a handler can't call `next`, the third parameter. A function without declared parameters may be a wrapper
 * of any handler.
 */
export function endsRequest(handle: unknown): boolean {
  return typeof handle === 'function' && (handle.length === 1 || handle.length === 2)
}

/** Names of the middleware that Express 4 adds first. */
const builtInMiddleware = new Set(['query', 'expressInit'])

export function isGuard({ handle, name = '' }: Layer): boolean {
  return (
    typeof handle === 'function' &&
    !builtInMiddleware.has(name) &&
    handle.length < 4 &&
    endpointOf(handle) === undefined &&
    markerOf(handle) === undefined
  )
}

export function toGuard(layer: HandlerLayer): RouteGuard {
  return { name: handlerName(layer), handle: layer.handle }
}

/**
 * Returns the name of the function that the app passed. Telemetry and promise helpers replace `handle` by a wrapper
 * later.
 */
export function handlerName({ name, handle }: HandlerLayer): string {
  const given = name ?? (typeof handle === 'function' ? handle.name : '')
  return given === '<anonymous>' ? '' : given.replace(/^(?:bound )+/, '')
}

export function nameOf(layer: Layer): string {
  return String(layer.rawPath ?? layer.regexp ?? layer.name ?? 'a mount')
}
