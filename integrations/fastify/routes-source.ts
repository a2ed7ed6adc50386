/** A Fastify app as a source of routes. */

import type { AnyRouteOptions, RouteReader, RouteSource } from '../../src/internal.js'
import { openApiDocument } from '../node/openapi/route-document.js'
import { ownStrategies } from './constraints.js'
import { routeDispatch } from './dispatch.js'
import { discoverFastify, type FastifyApp, type Seen } from './routes-discovery.js'
import { isOwnScope, isRoot, missedRoutes } from './routes-missed.js'

export interface FastifySourceOptions {
  /** `undefined`: nobody said anything of routes, and only those that are marked are to be tools. */
  readonly routes?: AnyRouteOptions | undefined
  /** Told of routes that were missed where that may be a mistake. */
  readonly report?: ((message: string, likely: Likelihood) => void) | undefined
}

/**
 * Of a mistake. `certain`: routes of this scope are to be tools; `possible`: they may be; `doubtful`: nobody can even tell
 * whether the routes are of this scope.
 */
export type Likelihood = 'certain' | 'possible' | 'doubtful'

/**
 * Listens to the routes of this instance and all below it from now on: call it first, outside of any encapsulation.
 * Throws at `ready()` naming the routes that were declared before, where all of the app is ours and routes are to be
 * tools; elsewhere it reports them, since nobody can tell whose they are, or whether they were marked.
 */
export function routeSource(app: FastifyApp, { routes, report }: FastifySourceOptions = {}): RouteSource {
  const seen = listenForRoutes(app)
  let missed: readonly string[] = []
  app.addHook('onReady', async () => {
    const found = missedRoutes(app, seenInServer(app), routes)
    if (found.length === 0) return
    if (!isOwnScope(app)) return report?.(outOfSight(found), 'doubtful')
    missed = found
    const isAsked = routes !== undefined || seen.some(isMarked)
    if (isAsked && isRoot(app)) throw new Error(`mcp-router: ${tooLate(missed)}`)
    report?.(tooLate(missed), isAsked ? 'certain' : 'possible')
  })
  return {
    fingerprint: () => countInServer(app) + missed.length,
    discover: () => {
      const { routes: found, unread } = discoverFastify(app, seen, seenInServer(app))
      return {
        routes: found,
        unread: [...unread, ...missed.map((path) => ({ path, reason: early }))],
        incomplete: missed.length === 0 && isRoot(app) ? undefined : unseen,
      }
    },
    dispatch: routeDispatch(app),
  }
}

/** For the mount that made `source`: all instances of an app share one server. */
export function fastifyRoutes(source: RouteSource): RouteReader {
  return { rootOf: serverOf, open: () => source, document: openApiDocument }
}

function serverOf(app: unknown): object | undefined {
  const { server, printRoutes } = (app ?? {}) as { server?: object; printRoutes?: unknown }
  return typeof printRoutes === 'function' ? server : undefined
}

function isMarked({ options }: Seen): boolean {
  return (options.config?.mcp ?? false) !== false
}

const early = 'it was declared before the plugin was loaded; write `await app.register(mcp, …)` before it'

const unseen =
  'the plugin did not see the route at its address, which may be hidden: register the plugin in the root app, before the routes'

/** A scope without a prefix cannot tell its own routes from those of the scopes beside it. */
function outOfSight(missed: readonly string[]): string {
  return `these routes cannot become tools, as the plugin did not see them declared: ${missed.join(', ')}; they are of a scope beside that of the plugin, which register it in the app itself or wrap its scope in fastify-plugin to include, or they were declared before \`await app.register(mcp, …)\``
}

function tooLate(missed: readonly string[]): string {
  return `these routes were declared before the plugin was loaded and cannot become tools: ${missed.join(', ')}; write \`await app.register(mcp, …)\` before them, or \`routes: { exclude: […] }\` where none of them is to be one`
}

const byInstance = new WeakMap<FastifyApp, Seen[]>()
const byServer = new WeakMap<object, Seen[][]>()

/** The routes of this instance and all below it, from the first call on; the list grows. */
export function listenForRoutes(app: FastifyApp): readonly Seen[] {
  const known = byInstance.get(app)
  if (known !== undefined) return known
  const seen: Seen[] = []
  byInstance.set(app, seen)
  byServer.set(app.server, [...(byServer.get(app.server) ?? []), seen])
  app.addHook('onRoute', function onRoute(options) {
    seen.push({ options, scope: this, strategies: ownStrategies(this, options.constraints) })
  })
  return seen
}

/** How many routes the instances with mounts saw in the whole app. */
export function countInServer(app: FastifyApp): number {
  let count = 0
  for (const seen of byServer.get(app.server) ?? []) count += seen.length
  return count
}

/** The same of all instances with mounts: what one of them saw is not lost to the app. */
export function seenInServer(app: FastifyApp): Seen[] {
  return (byServer.get(app.server) ?? []).flat()
}
