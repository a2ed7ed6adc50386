/** The mount for Koa 2 and 3. */

import type { Context, Middleware } from 'koa'
import {
  type AnyMountOptions,
  HttpHandler,
  McpRouter,
  type MountOptions,
  type OptionsArgument,
  type Register,
} from '../../src/adapter.js'
import { packageOfApp } from '../node/package-of-app.js'
import { locationOf } from './location.js'
import { KoaRequest } from './request.js'

export { type Guard, type GuardOptions, guard } from './guard.js'

/**
 * Serves a router at `/mcp` below the mount point; what is not ours goes to `next()`.
 *
 * ```ts
 * app.use(jwt({ secret })).use(mcp(router))     // at the root: serves /mcp
 * app.use(mount('/api', mcp(router)))           // koa-mount: serves /api/mcp
 * routes.all('/ai/mcp', login, mcp(router))     // @koa/router: serves /ai/mcp
 * ```
 *
 * Without a router it has the name and version of the app's `package.json`.
 * @throws TypeError for options that do not exist or do not fit.
 */
export function mcp<E extends object = Register>(
  router?: McpRouter<E>,
  ...[options]: OptionsArgument<MountOptions<Context, E>>
): Middleware {
  const served = router ?? new McpRouter(packageOfApp())
  const http = new HttpHandler(
    served as unknown as McpRouter<object>,
    (options ?? {}) as AnyMountOptions,
    userOf,
  )

  return async function serve(ctx, next) {
    const location = locationOf(ctx, serve)
    if (location === undefined) return next()
    const { mountPath, path } = location
    const endpoint = http.route(mountPath, path)
    if (endpoint === undefined) {
      if (ctx.method === 'POST') http.explainMiss(mountPath, path)
      return next()
    }
    const request = new KoaRequest(ctx, endpoint)
    await request.respond(await http.handle(request))
  }
}

function userOf(ctx: unknown): unknown {
  return (ctx as Context).state.user
}
