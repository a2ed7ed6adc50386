/** The route source of an Express app. */

import type { Dispatch } from '../../src/adapter.js'
import {
  type AnyRouteOptions,
  appsByHand,
  type RouteReader,
  type RouteSource,
  Snapshot,
} from '../../src/internal.js'
import { createDispatch, type Listener, type Prototypes } from '../node/inject/dispatch.js'
import { openApiDocument } from '../node/openapi/route-document.js'
import { readValidators } from '../node/validators/express.js'
import { discoverExpress, type GivenApp } from './routes-discovery.js'
import { type ExpressApp, hasMarker, isApp, walkLayers } from './routes-layers.js'

/**
 * Creates the source. `from`: a sub-app of `app`; all apps from it up to `app` are searched without being in
 * `routes.apps`.
 */
export function routeSource(
  app: ExpressApp,
  options: AnyRouteOptions = {},
  from: unknown = app,
): RouteSource {
  const givenApps: readonly GivenApp[] = [
    ...appsByHand(options),
    ...parentsOf(from).map((one) => ({ app: one })),
  ]
  const layers = new Snapshot()
  return {
    fingerprint: () => layers.version((report) => walkLayers(app, givenApps, report)),
    marked: () => hasMarker(app, givenApps),
    discover: () => discoverExpress(app, givenApps, readValidators),
    dispatch: expressDispatch(app),
  }
}

/** Finds the root app of the app that a mount is in. */
export const expressRoutes: RouteReader = {
  rootOf: (app) => (isApp(app) ? rootOf(app) : undefined),
  open: (root, options, from) => routeSource(root as ExpressApp, options, from), // `root` is from `rootOf`
  document: openApiDocument,
}

function rootOf(app: ExpressApp): ExpressApp {
  return app.parent === undefined ? app : rootOf(app.parent)
}

/** Returns the app and its parents, without the root. */
function parentsOf(from: unknown): ExpressApp[] {
  if (!isApp(from) || from.parent === undefined) return []
  return [from, ...parentsOf(from.parent)]
}

/** Creates a dispatch to an Express app. An app of any major version is a request listener. */
export function expressDispatch(app: unknown): Dispatch {
  return createDispatch(app as Listener, app as Prototypes)
}
