/** Learns from the first request where koa-mount has mounted an app: neither the app nor its parent stores that. */

import type { RoutedContext } from './context.js'
import { pathOf, removedPrefix } from './location.js'
import { isApp, type KoaApp, routerOf } from './routes-discovery.js'

export interface AppPlace {
  readonly root: KoaApp
  /** `undefined`: can't be determined. */
  readonly prefix: string | undefined
}

const places = new WeakMap<object, AppPlace>()

/** Returns an app's root and prefix. `undefined`: the app is a root, or hasn't had a request yet. */
export function placeOf(app: object): AppPlace | undefined {
  return places.get(app)
}

/**
 * Stores the place of `app`, whose routes are tools. `own`: the mount's handler, which the request of `ctx` has
 * reached.
 */
export function learnPlace(app: unknown, ctx: RoutedContext, own: unknown): void {
  const root: unknown = ctx.app
  if (app === root || !isApp(app) || !isApp(root) || places.has(app)) return
  places.set(app, { root, prefix: hasHandler(app, own) ? prefixOf(ctx) : undefined })
}

/**
 * Returns the prefix that a single koa-mount removed. Nested mounts can't be distinguished from a path rewritten by
 * the app.
 */
function prefixOf(ctx: RoutedContext): string | undefined {
  const cut = removedPrefix(ctx, pathOf(ctx.originalUrl))
  const mounted = typeof ctx.mountPath === 'string' ? ctx.mountPath.replace(/\/$/, '') : ''
  return cut === '' || cut === mounted ? cut : undefined
}

/** Whether the app or one of its routers has the handler. */
function hasHandler({ middleware }: KoaApp, own: unknown): boolean {
  return middleware.some(
    (handle) => handle === own || routerOf(handle)?.stack.some(({ stack }) => stack.includes(own)) === true,
  )
}
