/**
 * Discovers the routes of a Koa app in the tables of @koa/router 12 to 15. Patches nothing, and calls only its query
 * parser.
 */

import {
  type Discovered,
  type PatternRoute,
  parsePathToRegexp8,
  passThroughGuards,
  type QueryParser,
  queryParserOf,
  type Route,
  type RouteGuard,
  type Segment,
  type Unread,
} from '../../src/internal.js'
import type { KoaApp as CallableApp } from '../node/inject/koa-app.js'
import type { KoaRouter } from './routes-asked.js'
import { placeBehind, type RoutePlace, readRouter, type SchemaReader } from './routes-router.js'

export type { KoaRouter } from './routes-asked.js'

/** The members of an app used here, the same in Koa 2 and 3. */
export interface KoaApp extends CallableApp {
  readonly proxy?: unknown
  readonly middleware: readonly unknown[]
  readonly request?: object | undefined
}

/** A router or app of `routes.apps`, which the app's tables don't show: behind koa-mount, koa-compose or a function. */
export interface GivenApp {
  readonly app: unknown
  readonly prefix?: string | undefined
}

/** Discovers the routes. `readSchema`: reads schemas from validators among a route's handlers. */
export function discoverKoa(
  app: KoaApp,
  givenApps: readonly GivenApp[],
  readSchema: SchemaReader,
): Discovered {
  const routes: Route[] = []
  const unread: Unread[] = []
  const patterns: PatternRoute[] = []
  const proxy = (): boolean => app.proxy === true
  const add = (discovered: Discovered): void => {
    const shifted = (discovered.patterns ?? []).map((one) => ({ ...one, at: one.at + routes.length }))
    patterns.push(...shifted)
    routes.push(...discovered.routes)
    unread.push(...discovered.unread)
  }
  const seen = new Set<unknown>()
  const visit = (middleware: readonly unknown[], at: RoutePlace): void => {
    const passed: unknown[] = []
    for (const handle of middleware) {
      const router = routerOf(handle)
      if (router === undefined) {
        passed.push(handle)
        continue
      }
      seen.add(router)
      add(readRouter(router, placeBehind(at, passed), readSchema))
    }
  }
  visit(app.middleware, { path: [], guards: [], proxy })
  for (const { app: inner, prefix = '/' } of givenApps) {
    if (seen.has(routerOf(inner) ?? inner)) continue
    const at = { path: prefixOf(prefix), guards: [unknownGuard], proxy }
    if (isApp(inner)) visit(inner.middleware, at)
    else if (routerOf(inner) !== undefined) visit([inner], at)
    else unread.push({ path: prefix, reason: 'expected a Koa app or a router in `routes.apps`' })
  }
  const queryParser = queryParserIn(app)
  return passThroughGuards({ routes: routes.map((route) => ({ ...route, queryParser })), unread, patterns })
}

/**
 * Returns the app's query parser. Packages that replace it, such as koa-qs, define `query` on the request's
 * prototype.
 */
function queryParserIn({ request }: KoaApp): QueryParser {
  if (request === undefined || !Object.hasOwn(request, 'query')) return 'simple'
  return queryParserOf((query) => {
    const parsed = Object.assign(Object.create(request), { req: { url: `/?${query}` } })
    return (parsed as { readonly query: unknown }).query
  })
}

/** Reports every middleware of an app, and every layer of its routers with its path and handlers. */
export function walkLayers(
  app: KoaApp,
  givenApps: readonly GivenApp[],
  report: (member: unknown) => void,
): void {
  const visit = (handle: unknown): void => {
    report(handle)
    for (const layer of routerOf(handle)?.stack ?? []) {
      report(layer)
      // `router.prefix()` changes the paths of existing layers.
      report(layer.path)
      for (const handler of layer.stack) report(handler)
    }
  }
  for (const handle of app.middleware) visit(handle)
  for (const { app: inner } of givenApps) {
    if (isApp(inner)) for (const handle of inner.middleware) visit(handle)
    else visit(inner)
  }
}

export function isApp(value: unknown): value is KoaApp {
  const app = value as Partial<KoaApp> | undefined
  return typeof value === 'object' && Array.isArray(app?.middleware) && typeof app.callback === 'function'
}

/** Stands for the unknown middleware in front of the apps in `routes.apps`. */
const unknownGuard: RouteGuard = { name: '', handle: undefined }

/** Returns the router behind `router.routes()`, or the router itself. */
export function routerOf(handle: unknown): KoaRouter | undefined {
  const router = (handle as { router?: unknown } | undefined)?.router ?? handle
  return typeof router === 'object' && Array.isArray((router as Partial<KoaRouter> | null)?.stack)
    ? (router as KoaRouter)
    : undefined
}

function prefixOf(prefix: string): readonly Segment[] {
  return parsePathToRegexp8(prefix).filter((segment) => segment.length > 0)
}
