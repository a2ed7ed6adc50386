/** Finds the guards in front of a document's operations, as far as they are known. */

import type { Discovered, Dispatch, McpRouter, Route, RouteSource } from '../../src/adapter.js'
import { operationRelator, routesOf, withMountOptions } from '../../src/internal.js'
import { routeKey } from '../node/openapi/overlay.js'

/**
 * Creates a route source for operations of an app in this process. Once a mount of the router reads the app, the
 * operations get the guards of the app's own routes, and can't reach routes that the mount hides or excludes.
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
    discover: () => ({ routes: withGuardsOfApp(routes, routesOf(router, app)), unread }),
    dispatch,
  }
}

/** Creates a route source for operations of another server, whose guards are unknown. */
export function remoteSource(
  { origin }: URL,
  { routes, unread, dispatch }: Discovered & { readonly dispatch: Dispatch },
): RouteSource {
  const guardsUnread = `it runs at ${origin}, whose checks are unknown`
  const found = routes.map((route) => ({ ...route, guardsUnread }))
  return { fingerprint: () => '', discover: () => ({ routes: found, unread }), dispatch }
}

const notMounted =
  'no mount of this router reads the app: mount the router in it, in Fastify before its routes'
const noMatchingRoute = 'no readable route of the app has its method and path'
const ambiguousRoutes =
  'routes of the app with constraints have its method and path, and it is unknown which of them it reaches'

function withGuardsOfApp(operations: readonly Route[], app: ReturnType<typeof routesOf>): readonly Route[] {
  if (app === undefined) return operations.map((operation) => ({ ...operation, guardsUnread: notMounted }))
  const discovered = withMountOptions(app.source.discover(), app.options)
  const places = new Map<string, number>()
  const constrained = new Set<string>()
  for (const [at, route] of discovered.routes.entries()) {
    const address = routeKey(route)
    if (route.constraints !== undefined) constrained.add(address)
    if (!places.has(address)) places.set(address, at)
  }
  const relate = operationRelator(discovered, app.options)
  return operations.map((operation) => {
    const address = routeKey(operation)
    const at = places.get(address)
    const route = at === undefined ? undefined : discovered.routes[at]
    if (route === undefined) return { ...relate(operation, undefined), guardsUnread: noMatchingRoute }
    return constrained.has(address)
      ? { ...relate(operation, undefined), guardsUnread: ambiguousRoutes }
      : withGuardedMarker(route, { ...relate(operation, at), guards: route.guards })
  })
}

/** Adds the marker `guarded` of the app's own route to the operation. */
function withGuardedMarker({ marker }: Route, operation: Route): Route {
  return marker?.guarded === true
    ? { ...operation, marker: { guarded: true, ...operation.marker } }
    : operation
}
