/** What stands in front of the operations of a document, as far as anybody here can tell. */

import type { Discovered, Dispatch, McpRouter, Route, RouteSource } from '../../src/adapter.js'
import { describedIn, routesOf, siblingsIn } from '../../src/internal.js'
import { routeKey } from '../node/openapi/overlay.js'

/**
 * The operations as a source of routes. Once a mount reads the app, their guards are those of its own routes, and what it
 * hides or excludes they don't reach.
 */
export function localSource(
  router: McpRouter<object>,
  app: object,
  { routes, unread, dispatch }: Discovered & { readonly dispatch: Dispatch },
): RouteSource {
  return {
    fingerprint() {
      const mounted = routesOf(router, app)
      if (mounted === undefined) return ''
      const { source, options } = mounted
      let fingerprint = `${source.fingerprint()} ${options.length}`
      for (const { document } of options) {
        void document?.open()
        if (document !== undefined) fingerprint += ` ${document.state}`
      }
      return fingerprint
    },
    discover: () => ({ routes: amongSiblings(routes, routesOf(router, app)), unread }),
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

function amongSiblings(operations: readonly Route[], app: ReturnType<typeof routesOf>): readonly Route[] {
  if (app === undefined) return operations.map((operation) => ({ ...operation, guardsUnread: unmounted }))
  const discovered = describedIn(app.source.discover(), app.options)
  const places = new Map<string, number>()
  const constrained = new Set<string>()
  for (const [at, route] of discovered.routes.entries()) {
    const address = routeKey(route)
    if (route.constraints !== undefined) constrained.add(address)
    if (!places.has(address)) places.set(address, at)
  }
  const among = siblingsIn(discovered, app.options)
  return operations.map((operation) => {
    const address = routeKey(operation)
    const at = places.get(address)
    const route = at === undefined ? undefined : discovered.routes[at]
    if (route === undefined) return { ...among(operation, undefined), guardsUnread: unmet }
    return constrained.has(address)
      ? { ...among(operation, undefined), guardsUnread: several }
      : guardedAs(route, { ...among(operation, at), guards: route.guards })
  })
}

/** What the app's own route says of its handler holds for the operation. */
function guardedAs({ marker }: Route, operation: Route): Route {
  return marker?.guarded === true
    ? { ...operation, marker: { guarded: true, ...operation.marker } }
    : operation
}
