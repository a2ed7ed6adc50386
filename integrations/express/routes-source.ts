/** An Express app as a source of routes. */

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
import { type ByHand, discoverExpress } from './routes-discovery.js'
import { type ExpressApp, isApp, isMarked, walkLayers } from './routes-layers.js'

/** `from`: a sub-app of `app`; those on the way up to `app` are looked into without being given by hand. */
export function routeSource(
  app: ExpressApp,
  options: AnyRouteOptions = {},
  from: unknown = app,
): RouteSource {
  const byHand: readonly ByHand[] = [...appsByHand(options), ...wayUp(from).map((one) => ({ app: one }))]
  const layers = new Snapshot()
  return {
    fingerprint: () => layers.version((report) => walkLayers(app, byHand, report)),
    marked: () => isMarked(app, byHand),
    discover: () => discoverExpress(app, byHand, readValidators),
    dispatch: expressDispatch(app),
  }
}

/** A mount hands in the app that it stands in. */
export const expressRoutes: RouteReader = {
  rootOf: (app) => (isApp(app) ? rootOf(app) : undefined),
  open: (root, options, from) => routeSource(root as ExpressApp, options, from), // what `rootOf` gave
  document: openApiDocument,
}

function rootOf(app: ExpressApp): ExpressApp {
  return app.parent === undefined ? app : rootOf(app.parent)
}

/** Without the root itself. */
function wayUp(from: unknown): ExpressApp[] {
  if (!isApp(from) || from.parent === undefined) return []
  return [from, ...wayUp(from.parent)]
}

/** An Express app of any major is a request listener. */
export function expressDispatch(app: unknown): Dispatch {
  return createDispatch(app as Listener, app as Prototypes)
}
