/** Ties a mount to the routes of the app that it stands in. */

import type { Log } from '../log.js'
import { coreOf, type McpRouter } from '../router.js'
import type { AnyMountOptions } from '../transports/mount-options.js'
import type { RouteReader } from './route-tools.js'

/**
 * Called once by a mount. What comes back takes the app that a request came to; the same one again costs nothing. With
 * the option `app` the routes are there before the first request. @throws TypeError where that is no app.
 */
export function connectRoutes(
  router: McpRouter<never> | McpRouter<object>,
  reader: RouteReader,
  { routes = {}, app }: AnyMountOptions,
): (app: unknown) => void {
  const tools = coreOf(router).routes
  let last: unknown
  tools.offer(reader, routes)
  if (app !== undefined) tools.attach(reader, routes, app)
  return (found) => {
    if (found === last) return
    last = found
    // Our handler may run in what is no app of its framework, and then there are no routes.
    if (reader.rootOf(found) !== undefined) tools.attach(reader, routes, found)
  }
}

/** Where a mount says what it found out about routes, and whether the router has any tool by now. */
export function routeLog(router: McpRouter<object>): { readonly log: Log; readonly hasTools: boolean } {
  const { log, registry, routes } = coreOf(router)
  routes.refresh()
  return { log, hasTools: registry.catalog().tool.byKey.size > 0 }
}
