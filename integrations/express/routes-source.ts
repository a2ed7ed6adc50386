/** An Express app as a source of routes. */

import {
  type AnyRouteOptions,
  appsByHand,
  type RouteReader,
  type RouteSource,
} from '../../src/route-adapter.js'
import { openApiDocument } from '../node/openapi/route-document.js'
import { expressDispatch } from './dispatch.js'
import { type ByHand, discoverExpress } from './routes-discovery.js'
import { type ExpressApp, isApp, isMarked, stacksOf } from './routes-layers.js'
import { readValidators } from './validators.js'

/** `from`: a sub-app of `app`; those on the way up to `app` are looked into without being given by hand. */
export function routeSource(
  app: ExpressApp,
  options: AnyRouteOptions = {},
  from: unknown = app,
): RouteSource {
  const byHand: readonly ByHand[] = [...appsByHand(options), ...wayUp(from).map((one) => ({ app: one }))]
  let stacks: (readonly unknown[])[] | undefined
  let grown = -1
  return {
    fingerprint() {
      let sum = lengths(stacks ?? [])
      // A router that came along is one layer more, and has layers of its own.
      if (stacks === undefined || sum !== grown) {
        stacks = stacksOf(app, byHand)
        sum = lengths(stacks)
        grown = sum
      }
      return sum
    },
    marked: () => isMarked(stacksOf(app, byHand)),
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

function lengths(stacks: readonly (readonly unknown[])[]): number {
  let sum = 0
  for (const { length } of stacks) sum += length
  return sum
}
