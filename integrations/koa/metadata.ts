/** Serves the OAuth metadata of a router's mounts at the root of the host. */

import type { Middleware } from 'koa'
import { type McpRouter, MetadataHandler, type Register } from '../../src/adapter.js'
import { KoaRequest } from './request.js'

/**
 * Serves the OAuth metadata (RFC 9728) of a router's mounts at the root of the host, where clients look for it.
 * Needed for mounts under a prefix, which don't get requests for the root. The mount's `publicUrl` is the resource it
 * describes.
 *
 * ```ts
 * app.use(mount('/api', mcp(router, { publicUrl: 'https://example.com/api/mcp', auth })))
 * app.use(mcpMetadata(router))
 * ```
 * @throws TypeError if `router` is not a router.
 */
export function mcpMetadata<E extends object = Register>(router: McpRouter<E>): Middleware {
  const metadata = new MetadataHandler(router as unknown as McpRouter<object>)
  return async (ctx, next) => {
    const endpoint = metadata.route('', ctx.path)
    if (endpoint === undefined) return next()
    const request = new KoaRequest(ctx, endpoint)
    request.respond(metadata.handle(request))
  }
}
