/** Where koa-mount has put an app. Neither of them tells, so the first request through a mount in the app does. */

import type { RoutedContext } from './context.js'
import { cutOff, pathOf } from './location.js'
import { isApp, type KoaApp, routerOf } from './routes-discovery.js'

export interface Place {
  readonly root: KoaApp
  /** `undefined`: it cannot be told. */
  readonly prefix: string | undefined
}

const places = new WeakMap<object, Place>()

/** `undefined`: a root, or no request has come so far. */
export function placeOf(app: object): Place | undefined {
  return places.get(app)
}

/** `app`: whose routes are tools. `own`: our handler, which a request has reached with this `ctx`. */
export function learnPlace(app: unknown, ctx: RoutedContext, own: unknown): void {
  const root: unknown = ctx.app
  if (app === root || !isApp(app) || !isApp(root) || places.has(app)) return
  places.set(app, { root, prefix: holds(app, own) ? prefixOf(ctx) : undefined })
}

/** What one mount has cut off; several in each other look like an address that the app rewrites by itself. */
function prefixOf(ctx: RoutedContext): string | undefined {
  const cut = cutOff(ctx, pathOf(ctx.originalUrl))
  const mounted = typeof ctx.mountPath === 'string' ? ctx.mountPath.replace(/\/$/, '') : ''
  return cut === '' || cut === mounted ? cut : undefined
}

/** Directly, or in one of its routers. */
function holds({ middleware }: KoaApp, own: unknown): boolean {
  return middleware.some(
    (handle) => handle === own || routerOf(handle)?.stack.some(({ stack }) => stack.includes(own)) === true,
  )
}
