/** What stands in front of the operations of a document, as far as anybody here can tell. */

import type { Discovered, Dispatch, McpRouter, Route, RouteSource } from '../../src/adapter.js'
import { routesOf } from '../../src/route-adapter.js'
import { addressOf } from '../node/openapi/overlay.js'

/** The operations as a source of routes: their guards are those of the app's own routes, once a mount reads that app. */
export function localSource(
  router: McpRouter<object>,
  app: object,
  { routes, unread, dispatch }: Discovered & { readonly dispatch: Dispatch },
): RouteSource {
  return {
    fingerprint: () => routesOf(router, app)?.fingerprint() ?? '',
    discover: () => ({ routes: guarded(routes, routesOf(router, app)), unread }),
    dispatch,
  }
}

/** Another server decides by itself, and says nothing of how. */
export function remoteSource(
  { origin }: URL,
  { routes, unread, dispatch }: Discovered & { readonly dispatch: Dispatch },
): RouteSource {
  const guardsUnread = `it runs at ${origin}, and what that checks nobody here can tell`
  const found = routes.map((route) => ({ ...route, guardsUnread }))
  return { fingerprint: () => '', discover: () => ({ routes: found, unread }), dispatch }
}

const unmounted =
  'no mount of this router reads the app: mount the router in it, in Fastify before its routes'
const unmet = 'no route of the app that could be read has its address'
const several =
  'routes of the app with constraints have its address, and which of them answers nobody here can tell'

function guarded(routes: readonly Route[], app: RouteSource | undefined): readonly Route[] {
  if (app === undefined) return routes.map((route) => ({ ...route, guardsUnread: unmounted }))
  const byAddress = new Map<string, Route>()
  const constrained = new Set<string>()
  for (const route of app.discover().routes) {
    const address = addressOf(route)
    if (route.constraints !== undefined) constrained.add(address)
    if (!byAddress.has(address)) byAddress.set(address, route)
  }
  return routes.map((route) => {
    const address = addressOf(route)
    const found = byAddress.get(address)
    if (found === undefined) return { ...route, guardsUnread: unmet }
    return constrained.has(address) ? { ...route, guardsUnread: several } : { ...route, guards: found.guards }
  })
}
