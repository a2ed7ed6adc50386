/** The route source of a Koa app. */

import {
  type AnyRouteOptions,
  appsByHand,
  type RouteReader,
  type RouteSource,
  Snapshot,
  type Unread,
} from '../../src/internal.js'
import { koaDispatch } from '../node/inject/koa-app.js'
import { openApiDocument } from '../node/openapi/route-document.js'
import { readValidators } from '../node/validators/koa-joi-router.js'
import { type AppPlace, placeOf } from './places.js'
import { discoverKoa, type GivenApp, isApp, type KoaApp, walkLayers } from './routes-discovery.js'

/** Creates the source. `from`: the app of the mount, which may be mounted inside `app`. */
export function routeSource(app: KoaApp, options: AnyRouteOptions = {}, from: object = app): RouteSource {
  const place = from === app ? undefined : placeOf(from)
  const givenApps = place === undefined ? appsByHand(options) : givenAppsBelow(place, from, options)
  const unplaced: readonly Unread[] = place !== undefined && place.prefix === undefined ? [unknownPlace] : []
  const dispatch = koaDispatch(app)
  const layers = new Snapshot()
  return {
    fingerprint: () => layers.version((report) => walkLayers(app, givenApps, report)),
    discover() {
      const found = discoverKoa(app, givenApps, readValidators)
      return { ...found, unread: [...found.unread, ...unplaced] }
    },
    async dispatch(request, outer) {
      // Only tools of an earlier discovery get here. The tools of the root app replace them.
      if (placeOf(app) !== undefined) throw new Error('the app is mounted inside another app')
      return dispatch(request, outer)
    },
  }
}

/** Returns the sub-app, and the apps of `routes.apps` below it. */
function givenAppsBelow({ prefix }: AppPlace, app: object, options: AnyRouteOptions): readonly GivenApp[] {
  if (prefix === undefined) return []
  const others = appsByHand(options).map((one) => ({ ...one, prefix: prefix + (one.prefix ?? '') }))
  return [{ app, prefix: prefix || '/' }, ...others.map((one) => ({ ...one, prefix: one.prefix || '/' }))]
}

const unknownPlace: Unread = {
  path: 'the app of the option `app`',
  named: true,
  reason:
    'it is mounted inside another app, at a path that cannot be determined; set both: `app: root, routes: { apps: [{ app: sub, prefix }] }`',
}

/** Finds the root app of `ctx.app` or of the option `app`. */
export const koaRoutes: RouteReader = {
  rootOf: (app) => (isApp(app) ? (placeOf(app)?.root ?? app) : undefined),
  open: (root, options, from) => routeSource(root as KoaApp, options, from as object), // both are from `rootOf`
  document: openApiDocument,
}
