/** A Fastify app as a source of routes. */

import type { RouteReader, RouteSource } from '../../src/route-adapter.js'
import { fastifyDispatch } from './dispatch.js'
import { discoverFastify, type FastifyApp, type Seen } from './routes-discovery.js'
import { missedRoutes } from './routes-missed.js'

export interface FastifySourceOptions {
  /**
   * Routes that were declared before the hook was there are an error when the app gets ready. Default: where one of
   * the others is marked as a tool.
   */
  readonly strict?: boolean | undefined
}

/**
 * Listens to the routes of this instance and all below it from now on: call it first, outside of any encapsulation.
 * Throws at `ready()` naming the routes that were declared before.
 */
export function routeSource(app: FastifyApp, { strict }: FastifySourceOptions = {}): RouteSource {
  const seen: Seen[] = []
  app.addHook('onRoute', function onRoute(options) {
    seen.push({ options, scope: this })
  })
  app.addHook('onReady', async () => {
    const wanted = strict ?? seen.some(({ options }) => (options.config?.mcp ?? false) !== false)
    const missed = wanted ? missedRoutes(app, seen) : []
    if (missed.length > 0) throw tooLate(missed)
  })
  return {
    fingerprint: () => seen.length,
    discover: () => discoverFastify(app, seen),
    dispatch: fastifyDispatch(app),
  }
}

/** For the mount that made `source`: all instances of an app share one server. */
export function fastifyRoutes(source: RouteSource): RouteReader {
  return { rootOf: serverOf, open: () => source }
}

function serverOf(app: unknown): object | undefined {
  const { server, printRoutes } = (app ?? {}) as { server?: object; printRoutes?: unknown }
  return typeof printRoutes === 'function' ? server : undefined
}

function tooLate(missed: readonly string[]): Error {
  return new Error(
    `mcp-router: these routes were declared before the plugin was loaded and cannot become tools: ${missed.join(', ')}; write \`await app.register(mcp, …)\` before them`,
  )
}
