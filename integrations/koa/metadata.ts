/** The OAuth metadata of a router's mounts at the root of the host. */

import type { Middleware } from 'koa'
import { type McpRouter, MetadataHandler, type Register } from '../../src/adapter.js'
import { KoaRequest } from './request.js'

/**
 * Serves the OAuth metadata (RFC 9728) of a router's mounts at the root of the host, where clients look for it. For mounts
 * under a prefix, which cannot see the root; `publicUrl` of the mount says what it describes.
 *
 * ```ts
 * app.use(mount('/api', mcp(router, { publicUrl: 'https://example.com/api/mcp', auth })))
 * app.use(mcpMetadata(router))
 * ```
 * @throws TypeError for what is no router.
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
