/** The mount for Fastify 4 and 5: a plugin. */

import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { adoptLogger, HttpHandler, McpRouter } from '../../src/adapter.js'
import { connectRoutes, type RouteMarker, routeLog, userOf } from '../../src/internal.js'
import { packageOfApp } from '../node/package-of-app.js'
import { type McpPluginOptions, splitOptions } from './options.js'
import { addEndpointRoutes } from './own-routes.js'
import type { FastifyApp } from './routes-discovery.js'
import { type FastifySourceOptions, fastifyRoutes, routeSource } from './routes-source.js'
import { addToolCallHook } from './tool-calls.js'

export { isToolCall } from '../node/inject/tool-call.js'
export { guard } from './guard.js'
export { mcpMetadata } from './metadata.js'
export type { McpPluginOptions } from './options.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The first router that was registered in this scope. */
    mcp: McpRouter
  }
  interface FastifyContextConfig {
    /** Makes the route a tool: `true`, or the options of `asTool()`. `false` hides it from all patterns. */
    mcp?: RouteMarker | boolean | undefined
  }
}

/**
 * Serves a router at `/mcp` below the prefix.
 *
 * ```ts
 * await app.register(mcp, { router, onRequest: app.authenticate })
 * await app.register(mcp, { router, prefix: '/v1' })     // serves /v1/mcp
 * ```
 *
 * Without `router`, it serves a new router with the name and version of the app's `package.json`. Decorates the app
 * with `mcp`, logs to the app's logger if the router has none of its own, and closes the router with the app.
 * @throws TypeError for unknown or invalid options.
 */
export const mcp: FastifyPluginAsync<McpPluginOptions> = fastifyPlugin(mount, {
  fastify: '^4.17.0 || ^5.0.0',
  name: 'mcp-router',
})

export default mcp

async function mount(app: FastifyInstance, given: object): Promise<void> {
  const options = splitOptions(given)
  const router: McpRouter<object> = options.router ?? new McpRouter<object>(packageOfApp())
  const http = new HttpHandler(router, options.mount, userOf)
  // The members used are the same in Fastify 4 and 5, but their types aren't.
  const source = routeSource(app as unknown as FastifyApp, {
    routes: options.mount.routes,
    report: reporterOf(router),
  })
  connectRoutes(router, fastifyRoutes(source), { ...options.mount, app })
  addToolCallHook(app, { prepares: options.mount.routes?.prepare !== undefined })
  adoptLogger(router, app.log)
  if (!Object.hasOwn(app, 'mcp')) app.decorate('mcp', router as unknown as McpRouter)
  // A scope of our own, so that the app's parsers and routes stay unchanged.
  await app.register(
    async (scope) => {
      addEndpointRoutes(scope, { http, router }, options)
      scope.addHook('preClose', () => router.close({ drainMs: drainMsOf(scope) }))
    },
    { prefix: options.prefix },
  )
}

/**
 * Returns the time to drain. Fastify limits hooks to `pluginTimeout` (default 10 s, 0: no limit); 2 s are kept for
 * aborting.
 */
function drainMsOf({ initialConfig }: FastifyInstance): number {
  const { pluginTimeout = 10_000 } = initialConfig
  return pluginTimeout === 0 ? 10_000 : Math.max(0, Math.min(10_000, pluginTimeout - 2_000))
}

/** Reports missed routes. If the router has tools of its own, unselected routes are probably intended. */
function reporterOf(router: McpRouter<object>): NonNullable<FastifySourceOptions['report']> {
  return (message, likelihood) => {
    const { log, hasTools } = routeLog(router)
    if (likelihood === 'doubtful' && hasTools) return
    log[likelihood === 'certain' || !hasTools ? 'warn' : 'info'](`routes: ${message}`)
  }
}
