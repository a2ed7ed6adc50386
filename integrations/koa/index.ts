/** The mount for Koa 2 and 3. */

import type { Context, Middleware } from 'koa'
import {
  type AnyMountOptions,
  HttpHandler,
  McpRouter,
  type MountOptions,
  type OptionsArgument,
  type Register,
  whenReady,
} from '../../src/adapter.js'
import { connectRoutes, markEndpoint, warnOfLogin } from '../../src/internal.js'
import { packageOfApp } from '../node/package-of-app.js'
import { locationOf } from './location.js'
import { learnPlace } from './places.js'
import { KoaRequest } from './request.js'
import { koaRoutes } from './routes-source.js'

export { isToolCall } from '../node/inject/tool-call.js'
export { asTool } from './as-tool.js'
export { fromHandler } from './from-handler.js'
export { type Guard, type GuardOptions, guard } from './guard.js'
export { mcpMetadata } from './metadata.js'

/**
 * Serves a router at `/mcp` below the mount point. Requests for other paths go to `next()`.
 *
 * ```ts
 * app.use(jwt({ secret })).use(mcp(router))     // at the root: serves /mcp
 * app.use(mount('/api', mcp(router)))           // koa-mount: serves /api/mcp
 * routes.all('/ai/mcp', login, mcp(router))     // @koa/router: serves /ai/mcp
 * ```
 *
 * Without `router`, it serves a new router with the name and version of the app's `package.json`.
 * @throws TypeError for unknown or invalid options.
 */
export function mcp<E extends object = Register>(
  router?: McpRouter<E>,
  ...[options]: OptionsArgument<MountOptions<Context, E>>
): Middleware {
  const served = (router ?? new McpRouter(packageOfApp())) as unknown as McpRouter<object>
  const anyOptions = (options ?? {}) as AnyMountOptions
  const http = new HttpHandler(served, anyOptions, userOf)
  const attach = connectRoutes(served, koaRoutes, anyOptions)

  let mayWarn = (anyOptions.cors ?? false) !== false
  const warnOnce = ({ app }: Context): void => {
    mayWarn = false
    const inFront = app.middleware.slice(0, Math.max(app.middleware.indexOf(serve), 0))
    warnOfLogin(
      served,
      inFront.map((handle) => ({ name: handle.name, handle })),
    )
  }
  const serve: Middleware = (ctx, next) => {
    const location = locationOf(ctx, serve)
    if (location === undefined) return next()
    const { mountPath, path } = location
    const endpoint = http.route(mountPath, path)
    if (endpoint === undefined) {
      if (ctx.method === 'POST') http.explainMiss(mountPath, path)
      return next()
    }
    learnPlace(anyOptions.app, ctx, serve)
    attach(anyOptions.app ?? ctx.app)
    if (mayWarn) warnOnce(ctx)
    const request = new KoaRequest(ctx, endpoint)
    return whenReady(http.handle(request), (response) => request.respond(response))
  }
  return markEndpoint(serve, served)
}

function userOf(ctx: unknown): unknown {
  return (ctx as Context).state.user
}
