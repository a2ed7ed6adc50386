/** Serves the OAuth metadata of a router's mounts at the root of the host. */

import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type McpRouter, MetadataHandler } from '../../src/adapter.js'
import { FastifyHttpRequest } from './request.js'

const emptyBody = { kind: 'text', text: '' } as const

/**
 * Serves the OAuth metadata (RFC 9728) of a router's mounts at the root of the host, where clients look for it.
 * Needed for mounts under a prefix, which don't get requests for the root. The mount's `publicUrl` is the resource it
 * describes.
 *
 * ```ts
 * await app.register(mcp, { router, prefix: '/api', publicUrl: 'https://example.com/api/mcp', auth })
 * await app.register(mcpMetadata, { router })
 * ```
 * @throws TypeError if `router` is not a router.
 */
export const mcpMetadata: FastifyPluginAsync<{ router: McpRouter<never> | McpRouter<object> }> = async (
  scope: FastifyInstance,
  { router },
) => {
  const metadata = new MetadataHandler(router)
  for (const url of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/*']) {
    scope.route({
      method: ['GET', 'OPTIONS'],
      url,
      schema: { hide: true } as object,
      handler(request: FastifyRequest, reply: FastifyReply) {
        const [path = ''] = request.url.split('?')
        const endpoint = metadata.route('', path)
        if (endpoint === undefined) return reply.callNotFound()
        const httpRequest = new FastifyHttpRequest(reply, endpoint, () => emptyBody)
        httpRequest.respond(metadata.handle(httpRequest))
      },
    })
  }
}
