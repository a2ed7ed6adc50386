/** The mount for Fastify 4 and 5: a plugin. */

import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { adoptLogger, HttpHandler, McpRouter } from '../../src/adapter.js'
import { connectRoutes, type RouteMarker, routeLog } from '../../src/internal.js'
import { packageOfApp } from '../node/package-of-app.js'
import { type McpPluginOptions, splitOptions } from './options.js'
import { addRoutes } from './own-routes.js'
import type { FastifyApp } from './routes-discovery.js'
import { type FastifySourceOptions, fastifyRoutes, routeSource } from './routes-source.js'
import { followToolCalls } from './tool-calls.js'

export { isToolCall } from '../node/inject/tool-call.js'
export { guard } from './guard.js'
export { mcpMetadata } from './metadata.js'
export type { McpPluginOptions } from './options.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The router that was registered first in this scope. */
    mcp: McpRouter
  }
  interface FastifyContextConfig {
    /** The route is a tool: `true`, or with the options of `asTool()`. `false` hides it from every pattern. */
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
 * Without a router it has the name and version of the app's `package.json`. Decorates the app with `mcp`, logs to the
 * app's logger where the router has none of its own, and closes the router with the app.
 * @throws TypeError for options that do not exist or do not fit.
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
  // What is read of an app is the same in both majors; their types are not.
  const source = routeSource(app as unknown as FastifyApp, {
    routes: options.mount.routes,
    report: reporterOf(router),
  })
  connectRoutes(router, fastifyRoutes(source), { ...options.mount, app })
  followToolCalls(app, { prepares: options.mount.routes?.prepare !== undefined })
  adoptLogger(router, app.log)
  if (!Object.hasOwn(app, 'mcp')) app.decorate('mcp', router as unknown as McpRouter)
  // A scope of our own, since parsers and routes of the app are not ours to change.
  await app.register(
    async (scope) => {
      addRoutes(scope, { http, router }, options)
      scope.addHook('preClose', () => router.close({ drainMs: drainMsOf(scope) }))
    },
    { prefix: options.prefix },
  )
}

/** Fastify gives up on hooks after `pluginTimeout` (default 10 s, 0: never); two seconds are for what is aborted. */
function drainMsOf({ initialConfig }: FastifyInstance): number {
  const { pluginTimeout = 10_000 } = initialConfig
  return pluginTimeout === 0 ? 10_000 : Math.max(0, Math.min(10_000, pluginTimeout - 2_000))
}

/** Routes that nobody asked for are no mistake where the router has tools of its own. */
function reporterOf(router: McpRouter<object>): NonNullable<FastifySourceOptions['report']> {
  return (message, likely) => {
    const { log, hasTools } = routeLog(router)
    if (likely === 'doubtful' && hasTools) return
    log[likely === 'certain' || !hasTools ? 'warn' : 'info'](`routes: ${message}`)
  }
}

function userOf(request: unknown): unknown {
  return (request as { user?: unknown }).user
}
