/** The routes of the endpoint itself, as Fastify serves them. */

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
import { beginStream, endStreamLast, setHeader } from './response.js'
import { type Address, addressesOf, isSpelled, methodsOf } from './routes.js'
import { guardsOf } from './routes-discovery.js'

export interface OwnEndpoint {
  readonly http: HttpHandler
  readonly router: McpRouter<object>
}

/** Adds them to a scope of ours, behind the hooks that the app gave. */
export function addRoutes(
  scope: FastifyInstance,
  { http, router }: OwnEndpoint,
  { mount, hooks }: SplitOptions,
): void {
  const { maxBodyBytes = 4 * 1024 * 1024 } = mount
  const bodies = new BodyParser(maxBodyBytes)
  scope.removeAllContentTypeParsers()
  // Fastify remembers the parser of a type that is named, and looks for that of all others each time.
  scope.addContentTypeParser(['application/json', '*'], bodies.parse)
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
  // A page is to read the refusal of a login that comes next.
  const share = async (endpoint: Endpoint, reply: FastifyReply): Promise<void> => {
    const headers = http.sharedHeaders(toRequest(reply, endpoint))
    for (const name in headers) setHeader(reply, name, headers[name] as string)
  }
  const hasCors = (mount.cors ?? false) !== false
  const first = ({ endpoint }: Address): onRequestAsyncHookHandler[] => [
    ...(hasCors ? [(_request: FastifyRequest, reply: FastifyReply) => share(endpoint, reply)] : []),
    ...(mount.auth === undefined
      ? []
      : [(_request: FastifyRequest, reply: FastifyReply) => judge(endpoint, reply)]),
  ]
  const add = (method: string[], { url, endpoint }: Address, guarded: object): void => {
    scope.route({
      ...guarded,
      method,
      url,
      bodyLimit: maxBodyBytes,
      onSend: [beginStream],
      prefixTrailingSlash: url === '/' ? 'slash' : 'both',
      schema: hidden,
      handler: markEndpoint((asked: FastifyRequest, reply: FastifyReply) => {
        if (!isSpelled(scope.prefix + url, asked.url)) return void reply.callNotFound()
        const request = toRequest(reply, endpoint)
        void whenReady(http.handle(request), (response) => request.respond(response))
      }, router),
      errorHandler(error: FastifyError, asked: FastifyRequest, reply: FastifyReply) {
        const failure = parserFailure(error)
        if (failure === undefined || !isSpelled(scope.prefix + url, asked.url)) return void reply.send(error)
        const request = toRequest(reply, endpoint)
        void whenReady(http.refuse(request, failure), (response) => request.respond(response))
      },
    })
  }
  if (hasCors) scope.addHook('onReady', async () => warnOfLogin(router, guardsOf(scope, 'onRequest')))
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

/** Pages that document the app's routes leave ours out. */
const hidden: FastifySchema & { readonly hide: true } = { hide: true }
