/** The routes of a Koa app, out of the tables of @koa/router 12 to 15. Nothing is patched, and nothing called but a parser of queries. */

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
import { behind, type Place, readRouter, type SchemaReader } from './routes-router.js'

export type { KoaRouter } from './routes-asked.js'

/** The part of an app that both majors have. */
export interface KoaApp extends CallableApp {
  readonly proxy?: unknown
  readonly middleware: readonly unknown[]
  readonly request?: object | undefined
}

/** A router, or an app inside the app, that the tables do not show: behind koa-mount, koa-compose, or a function. */
export interface ByHand {
  readonly app: unknown
  readonly prefix?: string | undefined
}

/** `readSchema`: what validators among a route's handlers know. */
export function discoverKoa(app: KoaApp, byHand: readonly ByHand[], readSchema: SchemaReader): Discovered {
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
  const visit = (middleware: readonly unknown[], at: Place): void => {
    const passed: unknown[] = []
    for (const handle of middleware) {
      const router = routerOf(handle)
      if (router === undefined) {
        passed.push(handle)
        continue
      }
      seen.add(router)
      add(readRouter(router, behind(at, passed), readSchema))
    }
  }
  visit(app.middleware, { path: [], guards: [], proxy })
  for (const { app: inner, prefix = '/' } of byHand) {
    if (seen.has(routerOf(inner) ?? inner)) continue
    const at = { path: prefixOf(prefix), guards: [unknown], proxy }
    if (isApp(inner)) visit(inner.middleware, at)
    else if (routerOf(inner) !== undefined) visit([inner], at)
    else unread.push({ path: prefix, reason: 'expected a Koa app or a router in `routes.apps`' })
  }
  const queryParser = queryParserIn(app)
  return passThroughGuards({ routes: routes.map((route) => ({ ...route, queryParser })), unread, patterns })
}

/** An app that reads queries in its own way (koa-qs) has a member of that name on the object that requests inherit from. */
function queryParserIn({ request }: KoaApp): QueryParser {
  if (request === undefined || !Object.hasOwn(request, 'query')) return 'simple'
  return queryParserOf((query) => {
    const asked = Object.assign(Object.create(request), { req: { url: `/?${query}` } })
    return (asked as { readonly query: unknown }).query
  })
}

/** Reports every middleware of an app, and every layer of its routers with its path and what it runs. */
export function walkLayers(app: KoaApp, byHand: readonly ByHand[], report: (member: unknown) => void): void {
  const visit = (handle: unknown): void => {
    report(handle)
    for (const layer of routerOf(handle)?.stack ?? []) {
      report(layer)
      // A prefix that comes later changes the layers that are there.
      report(layer.path)
      for (const handler of layer.stack) report(handler)
    }
  }
  for (const handle of app.middleware) visit(handle)
  for (const { app: inner } of byHand) {
    if (isApp(inner)) for (const handle of inner.middleware) visit(handle)
    else visit(inner)
  }
}

export function isApp(value: unknown): value is KoaApp {
  const app = value as Partial<KoaApp> | undefined
  return typeof value === 'object' && Array.isArray(app?.middleware) && typeof app.callback === 'function'
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

function prefixOf(prefix: string): readonly Segment[] {
  return parsePathToRegexp8(prefix).filter((segment) => segment.length > 0)
}
