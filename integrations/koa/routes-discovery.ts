/** The routes of a Koa app, out of the tables of @koa/router 12 to 15. Nothing is patched, nothing is called. */

import {
  type Discovered,
  endpointOf,
  joinSegments,
  markerAmong,
  markerOf,
  parsePathToRegexp6,
  parsePathToRegexp8,
  pathText,
  type Route,
  type RouteGuard,
  type Segment,
  samplePath,
  toTemplate,
  type Unread,
  UnreadablePath,
} from '../../src/route-adapter.js'
import type { KoaApp as CallableApp } from './dispatch.js'

/** The part of an app that both majors have. */
export interface KoaApp extends CallableApp {
  readonly middleware: readonly unknown[]
}

export interface KoaRouter {
  readonly stack: readonly RouterLayer[]
  readonly opts?: { readonly host?: unknown }
}

interface RouterLayer {
  /** A route's holds all prefixes; empty methods: a middleware. */
  readonly path: unknown
  readonly methods: readonly string[]
  readonly stack: readonly unknown[]
  readonly regexp: RegExp
  readonly paramNames: readonly { readonly type?: unknown }[]
  readonly opts: { readonly pathAsRegExp?: boolean }
}

/** A router, or an app inside the app, that the tables do not show: behind koa-mount, koa-compose, or a function. */
export interface ByHand {
  readonly app: unknown
  readonly prefix?: string | undefined
}

export type SchemaReader = (handlers: readonly unknown[]) => Route['schema']

/** `readSchema`: what validators among a route's handlers know. */
export function discoverKoa(app: KoaApp, byHand: readonly ByHand[], readSchema: SchemaReader): Discovered {
  const routes: Route[] = []
  const unread: Unread[] = []
  const add = (discovered: Discovered): void => {
    routes.push(...discovered.routes)
    unread.push(...discovered.unread)
  }
  const seen = new Set<unknown>()
  const visit = (middleware: readonly unknown[], at: Place): void => {
    const passed: unknown[] = []
    for (const handle of middleware) {
      const router = routerOf(handle)
      if (router === undefined) {
        if (isGuard(handle)) passed.push(handle)
        continue
      }
      seen.add(router)
      add(readRouter(router, { ...at, guards: [...at.guards, ...passed.map(toGuard)] }, readSchema))
    }
  }
  visit(app.middleware, { path: [], guards: [] })
  for (const { app: inner, prefix = '/' } of byHand) {
    if (seen.has(routerOf(inner) ?? inner)) continue
    const at = { path: prefixOf(prefix), guards: [unknown] }
    if (isApp(inner)) visit(inner.middleware, at)
    else if (routerOf(inner) !== undefined) visit([inner], at)
    else unread.push({ path: prefix, reason: 'expected a Koa app or a router in `routes.apps`' })
  }
  return { routes, unread }
}

/** Every array that grows when a route is added, so that a sum of lengths tells of new ones. */
export function stacksOf(app: KoaApp, byHand: readonly ByHand[]): (readonly unknown[])[] {
  const apps = [app, ...byHand.map(({ app: inner }) => inner).filter(isApp)]
  const handles = [...apps.flatMap(({ middleware }) => middleware), ...byHand.map(({ app: inner }) => inner)]
  const routers = handles.map(routerOf).filter((router) => router !== undefined)
  return [...apps.map(({ middleware }) => middleware), ...routers.map(({ stack }) => stack)]
}

export function isApp(value: unknown): value is KoaApp {
  const app = value as Partial<KoaApp> | undefined
  return typeof value === 'object' && Array.isArray(app?.middleware) && typeof app.callback === 'function'
}

/** Where a route or the routes of a router stand, and behind what. */
interface Place {
  readonly path: readonly Segment[]
  readonly guards: readonly RouteGuard[]
}

/** Nobody knows what stands in front of what was given by hand. */
const unknown: RouteGuard = { name: '', handle: undefined }

/** Behind `router.routes()`, or the router itself. */
export function routerOf(handle: unknown): KoaRouter | undefined {
  const router = (handle as { router?: unknown } | undefined)?.router ?? handle
  return typeof router === 'object' && Array.isArray((router as Partial<KoaRouter> | null)?.stack)
    ? (router as KoaRouter)
    : undefined
}

function readRouter(router: KoaRouter, at: Place, readSchema: SchemaReader): Discovered {
  const routes: Route[] = []
  const unread: Unread[] = []
  const passed: RouterLayer[] = []
  for (const layer of router.stack) {
    if (layer.methods.length === 0) {
      passed.push(layer)
      continue
    }
    try {
      const own = pathOf(layer)
      const path = samplePath(own)
      const before = passed.filter(({ regexp }) => regexp.test(path)).flatMap(({ stack }) => stack)
      const guards = [...at.guards, ...before.filter(isGuard).map(toGuard)]
      const place = { path: joinSegments(at.path, own), guards }
      const read = (method: string): Route => toRoute(layer, method, { place, router, readSchema })
      routes.push(...methodsOf(layer).map(read))
    } catch (error) {
      unread.push({
        path: pathText(at.path).replace(/\/$/, '') + String(layer.path),
        reason: error instanceof Error ? error.message : String(error),
      })
    }
  }
  return { routes, unread }
}

interface Reading {
  readonly place: Place
  readonly router: KoaRouter
  readonly readSchema: SchemaReader
}

function toRoute(layer: RouterLayer, method: string, { place, router, readSchema }: Reading): Route {
  const own = layer.stack.filter((handle) => isHandler(handle) && markerOf(handle) === undefined)
  const host = router.opts?.host
  return {
    framework: 'koa',
    method,
    template: toTemplate(place.path),
    guards: [...place.guards, ...own.slice(0, -1).map(toGuard)],
    handlerName: functionName(own.at(-1)),
    marker: markerAmong(layer.stack),
    // What declares no parameters at all may be a wrapper of anything.
    ends: own.some((handle) => (handle as { length?: unknown }).length === 1),
    schema: readSchema(layer.stack),
    headers: typeof host === 'string' ? { host } : undefined,
    obstacle: layer.stack.some((handle) => endpointOf(handle) !== undefined) ? 'our own endpoint' : undefined,
  }
}

/** Routers 12 and 13 put a prefix in front of a regular expression's text, and break it. @throws UnreadablePath */
function pathOf({ path, opts, paramNames }: RouterLayer): readonly Segment[] {
  const text = String(path)
  if (path instanceof RegExp || opts.pathAsRegExp === true || /^(?:\/[^/]*)*\/\^/.test(text)) {
    throw new UnreadablePath(`the path ${text} is a regular expression`)
  }
  const modern = 'pathAsRegExp' in opts || paramNames.some(({ type }) => type !== undefined)
  return modern ? parsePathToRegexp8(text) : parsePathToRegexp6(text)
}

/** `.all()` names every method that Node knows. A HEAD beside a GET is its twin. */
function methodsOf({ methods }: RouterLayer): readonly string[] {
  if (methods.length > 15) return ['ALL']
  return methods.includes('GET') ? methods.filter((method) => method !== 'HEAD') : methods
}

function prefixOf(prefix: string): readonly Segment[] {
  return parsePathToRegexp8(prefix).filter((segment) => segment.length > 0)
}

/** `router.param()` puts functions of its own into the stacks. */
function isHandler(handle: unknown): boolean {
  return typeof handle === 'function' && (handle as { param?: unknown }).param === undefined
}

function isGuard(handle: unknown): boolean {
  return isHandler(handle) && endpointOf(handle) === undefined && markerOf(handle) === undefined
}

function toGuard(handle: unknown): RouteGuard {
  return { name: functionName(handle), handle }
}

function functionName(handler: unknown): string {
  return typeof handler === 'function' ? handler.name.replace(/^(?:bound )+/, '') : ''
}
