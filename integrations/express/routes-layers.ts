/** What stands in the tables of an Express app: which layers are routes, for which methods, and what is a guard. */

import { endpointOf, markerOf, type RouteGuard } from '../../src/internal.js'
import type { ExpressRoute, HandlerLayer, Layer } from './routes-paths.js'

/** The part of an app that both majors have. */
export interface ExpressApp {
  (...args: never[]): unknown
  readonly mountpath: string | readonly string[]
  /** Where it is mounted, the places of its parents included. */
  path(): string
  readonly parent?: ExpressApp | undefined
  readonly handle: unknown
  /** Express 4; a getter that throws stands at `router` there. */
  readonly _router?: { readonly stack: readonly Layer[] } | undefined
  readonly lazyrouter?: unknown
  readonly router?: { readonly stack: readonly Layer[] }
  get(setting: string): unknown
}

type ByHand = readonly { readonly app: unknown }[]

/** Reports every layer of an app and what it runs, routers and routes included, in the order of the tables. */
export function walkLayers(app: ExpressApp, byHand: ByHand, report: (member: unknown) => void): void {
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
  for (const { app: sub } of byHand) visit(stackOf(sub))
}

/** Whether a handler somewhere carries a mark. */
export function isMarked(app: ExpressApp, byHand: ByHand): boolean {
  let marked = false
  walkLayers(app, byHand, (member) => {
    marked ||= markerOf(member) !== undefined
  })
  return marked
}

/** The layers of an app or a router; `undefined`: it is neither. */
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
 * What `route.all()` puts in front of methods of its own is a guard; alone it is a route for every method, as is
 * `app.all()`, which names them one by one. A HEAD beside a GET is its twin.
 */
export function methodsOf({ methods }: ExpressRoute): readonly string[] {
  const named = Object.keys(methods).filter((method) => methods[method] === true && method !== everyMethod)
  const own = named.map((method) => method.toUpperCase())
  if (own.length > 15) return ['ALL']
  const twin = own.includes('GET') ? own.filter((method) => method !== 'HEAD') : own
  return twin.length === 0 ? ['ALL'] : twin
}

/** In the order in which they run. */
export function handlersOf(route: ExpressRoute, method: string): readonly HandlerLayer[] {
  // `app.all()` has its handlers once for each method.
  const asked = method === 'ALL' ? 'GET' : method
  return route.stack.filter((layer) => layer.method === undefined || layer.method.toUpperCase() === asked)
}

/** Express hands `next` on by position; what declares no parameters at all may be a wrapper of anything. */
export function isLast(handle: unknown): boolean {
  return typeof handle === 'function' && (handle.length === 1 || handle.length === 2)
}

/** What Express 4 itself puts first. */
const builtIn = new Set(['query', 'expressInit'])

export function isGuard({ handle, name = '' }: Layer): boolean {
  return (
    typeof handle === 'function' &&
    !builtIn.has(name) &&
    handle.length < 4 &&
    endpointOf(handle) === undefined &&
    markerOf(handle) === undefined
  )
}

export function toGuard(layer: HandlerLayer): RouteGuard {
  return { name: handlerName(layer), handle: layer.handle }
}

/** Of the function that the app gave: telemetry and helpers for promises put wrappers in the place of it later. */
export function handlerName({ name, handle }: HandlerLayer): string {
  const given = name ?? (typeof handle === 'function' ? handle.name : '')
  return given === '<anonymous>' ? '' : given.replace(/^(?:bound )+/, '')
}

export function nameOf(layer: Layer): string {
  return String(layer.rawPath ?? layer.regexp ?? layer.name ?? 'a mount')
}
