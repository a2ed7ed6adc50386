/** Connects a mount to the routes of its app, and warns of a login in front of the endpoint. */

import type { RouteReport } from '../definitions/route-report.js'
import { AttachedApp } from '../routes/attached-app.js'
import { checksCaller } from '../routes/discovery/caller-checks.js'
import type { RouteGuard, RouteSource } from '../routes/route.js'
import type { AnyRouteOptions } from '../routes/route-options.js'
import type { RouteReader } from '../routes/route-tools.js'
import type { Log } from '../support/logger.js'
import { coreOf, type McpRouter } from './router.js'

/** The options of a mount that choose routes. */
interface MountedRoutes {
  readonly routes?: AnyRouteOptions | undefined
  readonly app?: unknown
}

/**
 * Connects a mount to its app's routes; each mount calls it once. The returned function takes the app of a request, and
 * returns early for a known one. With the option `app`, routes are read before the first request.
 * @throws TypeError if `app` isn't an app, Error for a document that can't be read.
 */
export function connectRoutes(
  router: McpRouter<never> | McpRouter<object>,
  reader: RouteReader,
  { routes: given = {}, app }: MountedRoutes,
): (app: unknown) => void {
  const tools = coreOf(router).routes
  const routes =
    given.openapi === undefined ? given : { ...given, document: reader.document?.(given.openapi) }
  let last: unknown
  tools.addReader(reader, routes, AttachedApp)
  if (app !== undefined) tools.attach(reader, routes, app)
  return (found) => {
    const root = reader.rootOf(found)
    if (root === last) return
    last = root
    // The handler may run outside of an app of its framework. Then there are no routes.
    if (root !== undefined) tools.attach(reader, routes, found)
  }
}

/** Returns an app as the router's mounts read it, and their options; `undefined` if no mount can read it so far. */
export function routesOf(
  router: McpRouter<never> | McpRouter<object>,
  app: unknown,
): { readonly source: RouteSource; readonly options: readonly AnyRouteOptions[] } | undefined {
  const { routes } = coreOf(router)
  const source = routes.sourceOf(app)
  return source && { source, options: routes.optionsOf(app) }
}

/** Returns the reports of an app's routes, in the order of discovery. */
export function routeReportsOf(
  router: McpRouter<never> | McpRouter<object>,
  app: unknown,
): Promise<readonly RouteReport[]> {
  return coreOf(router).routes.reportsOf(app)
}

/** Returns the log for a mount's warnings about its place in the app. */
export function logOf(router: McpRouter<object>): Log {
  return coreOf(router).log
}

/** Returns the log for a mount's warnings about routes, and whether the router has any tools. */
export function routeLog(router: McpRouter<object>): { readonly log: Log; readonly hasTools: boolean } {
  const { log, registry, routes } = coreOf(router)
  routes.refresh()
  return { log, hasTools: registry.catalog().tool.byKey.size > 0 }
}

/** Further names of logins. A wrong guess costs only a log entry here. */
const likely = /log_?in|sign_?in|guard|protect|require|verify|jwt|token|api_?key|auth(?!enticate$)/i
const answersPreflights = /cors/i

/** Logs a warning where one of `guards`, which stand in front of the endpoint in this order, checks who calls. */
export function warnOfLogin(router: McpRouter<object>, guards: readonly RouteGuard[]): void {
  const end = guards.findIndex(({ name }) => answersPreflights.test(name))
  const asked = end < 0 ? guards : guards.slice(0, end)
  const named = new Set(asked.map(({ name }) => name).filter((name) => likely.test(name)))
  if (checksCaller(asked, named) !== 'yes') return
  const [name] = named
  coreOf(router).log.warn(
    `\`cors\` does not help behind a login${name === undefined ? '' : ` (\`${name}\`)`}: a preflight carries no credentials, so it is refused before it reaches the endpoint; answer preflights in front of the login (docs/mounting.md, "CORS behind a login")`,
  )
}
