/** The WebSocket transport as a Fastify route, for apps with `@fastify/websocket`. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { Entrant, HttpResponse, McpRouter, OptionsArgument, Register } from '../../src/adapter.js'
import { describe, userOf } from '../../src/internal.js'
import { SocketMount } from './mount.js'
import type { AnyWebSocketOptions, WebSocketOptions } from './options.js'
import { UpgradeRequest } from './request.js'

/** Options for `app.route()`. Hooks that you add, such as the app's login, run before `preHandler`. */
export interface WebSocketRoute {
  readonly method: 'GET'
  readonly url: string
  readonly preHandler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => unknown
  readonly wsHandler: (socket: WebSocket, request: FastifyRequest) => void
}

/**
 * Serves a router to WebSockets on a Fastify route. Register `@fastify/websocket` first.
 *
 * ```ts
 * app.route({ ...webSocketRoute(router, { path: '/ws' }), onRequest: app.authenticate })
 * ```
 *
 * `path` is a single path; the default is `/mcp/ws`, because GET of `/mcp` belongs to the mount. `user` and `context`
 * get Fastify's request; the default of `user` is `request.user`.
 * @throws TypeError for unknown or invalid options.
 */
export function webSocketRoute<E extends object = Register>(
  router: McpRouter<E>,
  ...[given]: OptionsArgument<WebSocketOptions<FastifyRequest, E>>
): WebSocketRoute {
  const options: AnyWebSocketOptions = { path: '/mcp/ws', ...(given as AnyWebSocketOptions | undefined) }
  if (typeof options.path !== 'string') {
    throw new TypeError(
      `webSocketRoute(): expected \`path\` to be one path, got ${describe(options.path)}; add a route for each path`,
    )
  }
  const mount = new SocketMount(router as unknown as McpRouter<object>, options, {
    owner: 'webSocketRoute()',
    defaultUser: userOf,
    runsMiddleware: true,
  })
  const entrants = new WeakMap<object, Entrant>()
  return {
    method: 'GET',
    url: options.path,
    async preHandler(request, reply) {
      if ((request as { ws?: unknown }).ws !== true) return undefined
      const found = await mount.admit(new UpgradeRequest(request.raw, request, new FastifyHost(request)))
      if ('status' in found) return send(reply, found)
      entrants.set(request.raw, found)
      return undefined
    },
    handler: (_request, reply) => send(reply, mount.refuse()),
    wsHandler(socket, request) {
      const entrant = entrants.get(request.raw)
      if (entrant === undefined) socket.terminate()
      else mount.serve(socket, entrant)
    },
  }
}

function send(reply: FastifyReply, { status, headers, body }: HttpResponse): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}

/** Host, protocol and address as Fastify has them, according to its `trustProxy` option. */
class FastifyHost {
  readonly #request: FastifyRequest

  constructor(request: FastifyRequest) {
    this.#request = request
  }

  get url(): string {
    return this.#request.originalUrl
  }

  get host(): string | undefined {
    // Fastify 4 has no `host`, and its `hostname` includes the port.
    const { host, hostname }: { readonly host?: string; readonly hostname?: string } = this.#request
    return (host ?? hostname) || undefined
  }

  get protocol(): string {
    return this.#request.protocol
  }

  /** Whether the app trusts a proxy. Only then do requests have `ips`. */
  get trustsProxy(): boolean {
    return 'ips' in this.#request
  }

  ip(): string | undefined {
    return this.#request.ip
  }
}
