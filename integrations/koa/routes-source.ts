/** A Koa app as a source of routes. */

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
import { type Place, placeOf } from './places.js'
import { type ByHand, discoverKoa, isApp, type KoaApp, walkLayers } from './routes-discovery.js'

/** `from`: the app that was handed in, which may stand inside of `app`. */
export function routeSource(app: KoaApp, options: AnyRouteOptions = {}, from: object = app): RouteSource {
  const place = from === app ? undefined : placeOf(from)
  const byHand = place === undefined ? appsByHand(options) : below(place, from, options)
  const nowhere: readonly Unread[] = place !== undefined && place.prefix === undefined ? [unplaced] : []
  const dispatch = koaDispatch(app)
  const layers = new Snapshot()
  return {
    fingerprint: () => layers.version((report) => walkLayers(app, byHand, report)),
    discover() {
      const found = discoverKoa(app, byHand, readValidators)
      return { ...found, unread: [...found.unread, ...nowhere] }
    },
    async dispatch(request, outer) {
      // Tools of before; those below the root take their place.
      if (placeOf(app) !== undefined) throw new Error('the app has turned out to be a part of another one')
      return dispatch(request, outer)
    },
  }
}

/** The sub-app, and what was given by hand below it. */
function below({ prefix }: Place, app: object, options: AnyRouteOptions): readonly ByHand[] {
  if (prefix === undefined) return []
  const others = appsByHand(options).map((one) => ({ ...one, prefix: prefix + (one.prefix ?? '') }))
  return [{ app, prefix: prefix || '/' }, ...others.map((one) => ({ ...one, prefix: one.prefix || '/' }))]
}

const unplaced: Unread = {
  path: 'the app of the option `app`',
  named: true,
  reason:
    'it stands inside of another one, and where cannot be told; give both: `app: root, routes: { apps: [{ app: sub, prefix }] }`',
}

/** A mount hands in `ctx.app`, or the app of its option. */
export const koaRoutes: RouteReader = {
  rootOf: (app) => (isApp(app) ? (placeOf(app)?.root ?? app) : undefined),
  open: (root, options, from) => routeSource(root as KoaApp, options, from as object), // what `rootOf` took and gave
  document: openApiDocument,
}
