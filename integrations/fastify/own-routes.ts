/** The Fastify routes of the endpoint itself. */

import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestAsyncHookHandler,
} from 'fastify'
import { type Endpoint, type HttpHandler, type McpRouter, whenReady } from '../../src/adapter.js'
import { markEndpoint, warnOfLogin } from '../../src/internal.js'
import { BodyParser } from './body.js'
import type { SplitOptions } from './options.js'
import { parserFailure } from './parser-failure.js'
import { FastifyHttpRequest } from './request.js'
import { addFinishStream, preventCompression, setHeader } from './response.js'
import { type EndpointUrl, endpointUrls, isExactPath, methodsOf } from './routes.js'
import { guardsOf } from './routes-discovery.js'

export interface OwnEndpoint {
  readonly http: HttpHandler
  readonly router: McpRouter<object>
}

/** Adds the routes to the plugin's own scope, with the hooks of the plugin's options. */
export function addEndpointRoutes(
  scope: FastifyInstance,
  { http, router }: OwnEndpoint,
  { mount, hooks }: SplitOptions,
): void {
  const { maxBodyBytes = 4 * 1024 * 1024 } = mount
  const bodies = new BodyParser(maxBodyBytes)
  scope.removeAllContentTypeParsers()
  // `*` alone would be enough, but Fastify caches the parser only for types that are named.
  scope.addContentTypeParser(['application/json', '*'], bodies.parse)
  scope.addHook('onRoute', addFinishStream)

  const toRequest = (reply: FastifyReply, endpoint: Endpoint): FastifyHttpRequest =>
    new FastifyHttpRequest(reply, endpoint, bodies.outcomeOf)
  // Fastify reads bodies before handlers run, but tokens must be checked first.
  const authenticate = async (endpoint: Endpoint, reply: FastifyReply): Promise<unknown> => {
    const request = toRequest(reply, endpoint)
    const refusal = await http.refuseEarly(request)
    if (refusal === undefined) return undefined
    request.respond(refusal)
    return reply
  }
  // Set CORS headers first, so that web pages can read the response of a login that refuses.
  const setSharedHeaders = async (endpoint: Endpoint, reply: FastifyReply): Promise<void> => {
    const headers = http.sharedHeaders(toRequest(reply, endpoint))
    for (const name in headers) setHeader(reply, name, headers[name] as string)
  }
  const hasCors = (mount.cors ?? false) !== false
  const firstHooks = ({ endpoint }: EndpointUrl): onRequestAsyncHookHandler[] => [
    ...(hasCors
      ? [(_request: FastifyRequest, reply: FastifyReply) => setSharedHeaders(endpoint, reply)]
      : []),
    ...(mount.auth === undefined
      ? []
      : [(_request: FastifyRequest, reply: FastifyReply) => authenticate(endpoint, reply)]),
  ]
  const add = (method: string[], { url, endpoint }: EndpointUrl, guarded: object): void => {
    scope.route({
      ...guarded,
      method,
      url,
      bodyLimit: maxBodyBytes,
      onSend: [preventCompression],
      prefixTrailingSlash: url === '/' ? 'slash' : 'both',
      schema: hiddenSchema,
      handler: markEndpoint((incoming: FastifyRequest, reply: FastifyReply) => {
        if (!isExactPath(scope.prefix + url, incoming.url)) return void reply.callNotFound()
        const request = toRequest(reply, endpoint)
        void whenReady(http.handle(request), (response) => request.respond(response))
      }, router),
      errorHandler(error: FastifyError, incoming: FastifyRequest, reply: FastifyReply) {
        const failure = parserFailure(error)
        if (failure === undefined || !isExactPath(scope.prefix + url, incoming.url))
          return void reply.send(error)
        const request = toRequest(reply, endpoint)
        void whenReady(http.refuse(request, failure), (response) => request.respond(response))
      },
    })
  }
  if (hasCors) scope.addHook('onReady', async () => warnOfLogin(router, guardsOf(scope, 'onRequest')))
  const methods = methodsOf(scope)
  for (const address of endpointUrls(http, scope.prefix)) {
    // With the app's option `ignoreTrailingSlash`, the other variant is already declared.
    if (scope.hasRoute({ method: 'POST', url: scope.prefix + address.url })) continue
    // No login for preflights, which carry no credentials, and for metadata, which clients need before they have any.
    const open = address.endpoint === 'metadata' ? methods : ['OPTIONS']
    add(open, address, {})
    const guarded = methods.filter((method) => !open.includes(method))
    if (guarded.length > 0)
      add(guarded, address, { ...hooks, onRequest: [firstHooks(address), hooks.onRequest ?? []].flat() })
  }
}

/** Hides the endpoint from packages that generate API documentation. */
const hiddenSchema: FastifySchema & { readonly hide: true } = { hide: true }
