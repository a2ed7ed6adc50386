/** The mount for Express 4 and 5. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request } from 'express'
import {
  type AnyMountOptions,
  attempt,
  type Endpoint,
  HttpHandler,
  type HttpResponse,
  McpRouter,
  MetadataHandler,
  type MountOptions,
  type OptionsArgument,
  type Register,
} from '../../src/adapter.js'
import { connectRoutes, markEndpoint, userOf } from '../../src/internal.js'
import { packageOfApp } from '../node/package-of-app.js'
import { NodeRequest } from '../node/request.js'
import { type ExpressRequest, hostOf, isOtherAddress, locationOf } from './host.js'
import { checkLayersInFront } from './in-front.js'
import { parserFailure } from './parser-failure.js'
import { expressRoutes } from './routes-source.js'
import { shareShapes } from './v8-shapes.js'

export { isToolCall } from '../node/inject/tool-call.js'
export { asTool } from './as-tool.js'
export { fromHandler } from './from-handler.js'
export { guard } from './guard.js'

type Next = (error?: unknown) => void
/** An Express handler in Node's types, to fit every major version of Express. */
export type Handler = (req: IncomingMessage, res: ServerResponse, next: Next) => void
/** Turns errors of body parsers on the endpoint's path into JSON-RPC errors. */
export type ErrorHandler = (error: unknown, req: IncomingMessage, res: ServerResponse, next: Next) => void

/**
 * The pair of handlers, which Express takes as a single argument. The call signature exists only for types: next to a
 * plain pair, a handler written inline would lose the types of its parameters.
 */
export type MountedHandlers = Handler & [Handler, ErrorHandler & Handler]

/**
 * Serves a router at `/mcp` below the mount point. Requests for other paths go to `next()`.
 *
 * ```ts
 * app.use('/mcp', passport.authenticate('jwt', { session: false }), mcp(router))
 * app.use(mcp(router))     // at the root: serves /mcp
 * ```
 *
 * Without `router`, it serves a new router with the name and version of the app's `package.json`.
 * Returns a pair of handlers: one for requests, one for errors of body parsers. Express takes the pair as one argument.
 * @throws TypeError for unknown or invalid options.
 */
export function mcp<E extends object = Register>(
  router?: McpRouter<E>,
  ...[options]: OptionsArgument<MountOptions<Request, E>>
): MountedHandlers {
  const served = router ?? new McpRouter(packageOfApp())
  const anyOptions = (options ?? {}) as AnyMountOptions
  const http = new HttpHandler(served as unknown as McpRouter<object>, anyOptions, userOf)
  const attach = connectRoutes(served as unknown as McpRouter<object>, expressRoutes, anyOptions)

  const find = (req: ExpressRequest): Endpoint | undefined => {
    const { mountPath, path } = locationOf(req, handlers)
    const found = http.route(mountPath, path)
    // Most requests that get here are for the app, so check the cheap condition first.
    const endpoint = found === undefined || isOtherAddress(req) ? undefined : found
    if (endpoint === undefined && req.method === 'POST') http.explainMiss(mountPath, path)
    return endpoint
  }
  let isChecked = false
  const answer = (req: ExpressRequest, res: ServerResponse, next: Next): void | Promise<void> => {
    const endpoint = find(req)
    if (endpoint === undefined) return next()
    shareShapes(req, res)
    const request = new NodeRequest(req, res, endpoint, hostOf(req))
    const respond = (response: HttpResponse): void => request.respond(response)
    const handle = (): HttpResponse | Promise<HttpResponse> => {
      attach(anyOptions.app ?? req.app)
      if (!isChecked) checkInFront(req)
      return http.handle(request)
    }
    return attempt({ run: handle, next: respond, onError: next }, undefined)
  }
  const checkInFront = (req: ExpressRequest): void => {
    isChecked = true
    const router = served as unknown as McpRouter<object>
    checkLayersInFront(req, { own: handlers, router, hasCors: (anyOptions.cors ?? false) !== false })
  }
  const refuse = (
    error: unknown,
    req: ExpressRequest,
    res: ServerResponse,
    next: Next,
  ): void | Promise<void> => {
    const failure = parserFailure(error)
    const endpoint = failure === undefined ? undefined : find(req)
    if (failure === undefined || endpoint === undefined) return next(error)
    const request = new NodeRequest(req, res, endpoint, hostOf(req))
    const respond = (response: HttpResponse): void => request.respond(response)
    return attempt({ run: () => http.refuse(request, failure), next: respond, onError: next }, undefined)
  }
  const handlers: [Handler, ErrorHandler] = [
    (req, res, next) => void answer(req as ExpressRequest, res, next),
    (error, req, res, next) => void refuse(error, req as ExpressRequest, res, next),
  ]
  for (const handler of handlers) markEndpoint(handler, served as unknown as McpRouter<object>)
  return handlers as MountedHandlers
}

/**
 * Serves the OAuth metadata (RFC 9728) of a router's mounts at the root of the host, where clients look for it.
 * Needed for mounts under a prefix, which don't get requests for the root. The mount's `publicUrl` is the resource it
 * describes.
 *
 * ```ts
 * app.use('/api', mcp(router, { publicUrl: 'https://example.com/api/mcp', auth }))
 * app.use(mcpMetadata(router))
 * ```
 * @throws TypeError if `router` is not a router.
 */
export function mcpMetadata<E extends object = Register>(router: McpRouter<E>): Handler {
  const metadata = new MetadataHandler(router as unknown as McpRouter<object>)
  return (incoming, res, next) => {
    const req = incoming as ExpressRequest
    const endpoint = metadata.route(req.baseUrl ?? '', req.path ?? '/')
    if (endpoint === undefined) return next()
    const request = new NodeRequest(req, res, endpoint, hostOf(req))
    request.respond(metadata.handle(request))
  }
}
