/** The route source of a Fastify app. */

import type { AnyRouteOptions, RouteReader, RouteSource } from '../../src/internal.js'
import { openApiDocument } from '../node/openapi/route-document.js'
import { customStrategies } from './constraints.js'
import { routeDispatch } from './dispatch.js'
import { discoverFastify, type FastifyApp, type SeenRoute } from './routes-discovery.js'
import { isOwnScope, isRoot, missedRoutes } from './routes-missed.js'

export interface FastifySourceOptions {
  /** Options for routes. `undefined`: only marked routes become tools. */
  readonly routes?: AnyRouteOptions | undefined
  /** Called with a message about missed routes, if that may be a mistake. */
  readonly report?: ((message: string, likelihood: Likelihood) => void) | undefined
}

/**
 * How likely it is that missed routes are a mistake. `certain`: routes of this scope should become tools;
 * `possible`: they may be meant to; `doubtful`: the routes may not even belong to this scope.
 */
export type Likelihood = 'certain' | 'possible' | 'doubtful'

/**
 * Creates the source, and starts to listen for routes of this instance and all scopes below. Call it before routes are
 * declared, outside of any encapsulation.
 *
 * Makes `ready()` reject with the names of routes that were declared before, if the instance is the root app and routes
 * should become tools. In other cases it only reports them, because it's unknown to which scope they belong or whether
 * they were marked.
 */
export function routeSource(app: FastifyApp, { routes, report }: FastifySourceOptions = {}): RouteSource {
  const seen = listenForRoutes(app)
  let missed: readonly string[] = []
  app.addHook('onReady', async () => {
    const found = missedRoutes(app, seenInServer(app), routes)
    if (found.length === 0) return
    if (!isOwnScope(app)) return report?.(notSeenMessage(found), 'doubtful')
    missed = found
    const isConfigured = routes !== undefined || seen.some(hasMarker)
    if (isConfigured && isRoot(app)) throw new Error(`mcp-router: ${declaredBeforeMessage(missed)}`)
    report?.(declaredBeforeMessage(missed), isConfigured ? 'certain' : 'possible')
  })
  return {
    fingerprint: () => countInServer(app) + missed.length,
    discover: () => {
      const { routes: found, unread } = discoverFastify(app, seen, seenInServer(app))
      return {
        routes: found,
        unread: [...unread, ...missed.map((path) => ({ path, reason: missedReason }))],
        incomplete: missed.length === 0 && isRoot(app) ? undefined : unseen,
      }
    },
    dispatch: routeDispatch(app),
  }
}

/** Creates the reader for the mount that made `source`. All instances of an app share one server. */
export function fastifyRoutes(source: RouteSource): RouteReader {
  return { rootOf: serverOf, open: () => source, document: openApiDocument }
}

function serverOf(app: unknown): object | undefined {
  const { server, printRoutes } = (app ?? {}) as { server?: object; printRoutes?: unknown }
  return typeof printRoutes === 'function' ? server : undefined
}

function hasMarker({ options }: SeenRoute): boolean {
  return (options.config?.mcp ?? false) !== false
}

const missedReason =
  'it was declared before the plugin was loaded; put `await app.register(mcp, …)` before it'

const unseen =
  'the plugin did not see the route at its address, which may be hidden: register the plugin in the root app, before the routes'

/** Returns the message for a scope without a prefix, whose routes can't be distinguished from its neighbours'. */
function notSeenMessage(missed: readonly string[]): string {
  return `these routes cannot become tools, because the plugin did not see their declaration: ${missed.join(', ')}; either they belong to a neighbouring scope (to include it, register the plugin in the root app, or wrap the plugin's scope in fastify-plugin), or they were declared before \`await app.register(mcp, …)\``
}

function declaredBeforeMessage(missed: readonly string[]): string {
  return `these routes were declared before the plugin was loaded and cannot become tools: ${missed.join(', ')}; put \`await app.register(mcp, …)\` before them, or add \`routes: { exclude: […] }\` if none of them should become a tool`
}

const byInstance = new WeakMap<FastifyApp, SeenRoute[]>()
const byServer = new WeakMap<object, SeenRoute[][]>()

/** Returns the routes of this instance and all scopes below, from the first call on. The list grows. */
export function listenForRoutes(app: FastifyApp): readonly SeenRoute[] {
  const known = byInstance.get(app)
  if (known !== undefined) return known
  const seen: SeenRoute[] = []
  byInstance.set(app, seen)
  byServer.set(app.server, [...(byServer.get(app.server) ?? []), seen])
  app.addHook('onRoute', function onRoute(options) {
    seen.push({ options, scope: this, strategies: customStrategies(this, options.constraints) })
  })
  return seen
}

/** Returns the number of routes in the app that all instances with a mount have seen. */
export function countInServer(app: FastifyApp): number {
  let count = 0
  for (const seen of byServer.get(app.server) ?? []) count += seen.length
  return count
}

/** Returns the routes that all instances with a mount have seen. */
export function seenInServer(app: FastifyApp): SeenRoute[] {
  return (byServer.get(app.server) ?? []).flat()
}
