/** A Koa app as a source of routes. */

import {
  type AnyRouteOptions,
  appsByHand,
  type RouteReader,
  type RouteSource,
} from '../../src/route-adapter.js'
import { openApiDocument } from '../node/openapi/route-document.js'
import { koaDispatch } from './dispatch.js'
import { discoverKoa, isApp, type KoaApp, stacksOf } from './routes-discovery.js'
import { readValidators } from './validators.js'

export function routeSource(app: KoaApp, options: AnyRouteOptions = {}): RouteSource {
  const byHand = appsByHand(options)
  return {
    fingerprint() {
      let sum = 0
      for (const { length } of stacksOf(app, byHand)) sum += length
      return sum
    },
    discover: () => discoverKoa(app, byHand, readValidators),
    dispatch: koaDispatch(app),
  }
}

/** A mount hands in `ctx.app`. */
export const koaRoutes: RouteReader = {
  rootOf: (app) => (isApp(app) ? app : undefined),
  open: (root, options) => routeSource(root as KoaApp, options), // what `rootOf` gave
  document: openApiDocument,
}
