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

function guarded(routes: readonly Route[], app: RouteSource | undefined): readonly Route[] {
  if (app === undefined) return routes.map((route) => ({ ...route, guardsUnread: unmounted }))
  const byAddress = new Map<string, Route>()
  for (const route of app.discover().routes) {
    const address = addressOf(route)
    if (!byAddress.has(address)) byAddress.set(address, route)
  }
  return routes.map((route) => {
    const found = byAddress.get(addressOf(route))
    return found === undefined ? { ...route, guardsUnread: unmet } : { ...route, guards: found.guards }
  })
}
