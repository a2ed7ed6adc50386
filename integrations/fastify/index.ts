/** The mount for Fastify 4 and 5: a plugin. */

import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestAsyncHookHandler,
} from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { adoptLogger, type Endpoint, HttpHandler, McpRouter } from '../../src/adapter.js'
import { connectRoutes, markEndpoint, type RouteMarker } from '../../src/route-adapter.js'
import { packageOfApp } from '../node/package-of-app.js'
import { BodyParser } from './body.js'
import { type McpPluginOptions, type SplitOptions, splitOptions } from './options.js'
import { parserFailure } from './parser-failure.js'
import { FastifyHttpRequest } from './request.js'
import { beginStream, endStreamLast } from './response.js'
import { type Address, addressesOf, methodsOf } from './routes.js'
import type { FastifyApp } from './routes-discovery.js'
import { fastifyRoutes, routeSource } from './routes-source.js'

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
    strict: options.mount.routes !== undefined || undefined,
  })
  connectRoutes(router, fastifyRoutes(source), { ...options.mount, app })
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

interface Served {
  readonly http: HttpHandler
  readonly router: McpRouter<object>
}

function addRoutes(scope: FastifyInstance, { http, router }: Served, { mount, hooks }: SplitOptions): void {
  const { maxBodyBytes = 4 * 1024 * 1024 } = mount
  const bodies = new BodyParser(maxBodyBytes)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', bodies.parse)
  scope.addHook('onRoute', endStreamLast)

  const toRequest = (reply: FastifyReply, endpoint: Endpoint): FastifyHttpRequest =>
    new FastifyHttpRequest(reply, endpoint, bodies.outcomeOf)
  // Fastify reads bodies before handlers run, and a token is judged before that.
  const judge = async (endpoint: Endpoint, reply: FastifyReply): Promise<unknown> => {
    const request = toRequest(reply, endpoint)
    const refusal = await http.refuseEarly(request)
    if (refusal === undefined) return undefined
    request.respond(refusal)
    return reply
  }
  const first = ({ endpoint }: Address): onRequestAsyncHookHandler[] =>
    mount.auth === undefined ? [] : [(_request, reply) => judge(endpoint, reply)]
  const add = (method: string[], { url, endpoint }: Address, guarded: object): void => {
    scope.route({
      ...guarded,
      method,
      url,
      bodyLimit: maxBodyBytes,
      onSend: [beginStream],
      prefixTrailingSlash: url === '/' ? 'slash' : 'both',
      schema: hidden,
      handler: markEndpoint((_request: FastifyRequest, reply: FastifyReply) => {
        const request = toRequest(reply, endpoint)
        void http.handle(request).then((response) => request.respond(response))
      }, router),
      errorHandler(error: FastifyError, _request: FastifyRequest, reply: FastifyReply) {
        const failure = parserFailure(error)
        if (failure === undefined) return void reply.send(error)
        const request = toRequest(reply, endpoint)
        void http.refuse(request, failure).then((response) => request.respond(response))
      },
    })
  }
  const methods = methodsOf(scope)
  for (const address of addressesOf(http, scope.prefix)) {
    // Where the app ignores slashes at the end, the other spelling is there already.
    if (scope.hasRoute({ method: 'POST', url: scope.prefix + address.url })) continue
    // Preflights carry no credentials that a login could find, and metadata is for those who have none yet.
    const open = address.endpoint === 'metadata' ? methods : ['OPTIONS']
    add(open, address, {})
    const guarded = methods.filter((method) => !open.includes(method))
    if (guarded.length > 0)
      add(guarded, address, { ...hooks, onRequest: [first(address), hooks.onRequest ?? []].flat() })
  }
}

/** Fastify gives up on hooks after `pluginTimeout` (default 10 s, 0: never); two seconds are for what is aborted. */
function drainMsOf({ initialConfig }: FastifyInstance): number {
  const { pluginTimeout = 10_000 } = initialConfig
  return pluginTimeout === 0 ? 10_000 : Math.max(0, Math.min(10_000, pluginTimeout - 2_000))
}

/** Pages that document the app's routes leave ours out. */
const hidden: FastifySchema & { readonly hide: true } = { hide: true }

function userOf(request: unknown): unknown {
  return (request as { user?: unknown }).user
}
