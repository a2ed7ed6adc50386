/** The mount for Node's `http`, `https` and `http2` servers, and for connect-style apps. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import {
  type AnyMountOptions,
  assertNoRoutes,
  attempt,
  type Endpoint,
  HttpHandler,
  type HttpResponse,
  McpRouter,
  type MountOptions,
  type OptionsArgument,
  type Register,
  type Steps,
} from '../../src/adapter.js'
import { userOf } from '../../src/internal.js'
import { hostOf, locationOf, type RoutedRequest } from './host.js'
import { packageOfApp } from './package-of-app.js'
import { NodeRequest } from './request.js'

export { type Guard, type GuardOptions, guard } from './guard.js'

type Next = (error?: unknown) => void
/** Request listener for Node's servers, and middleware for connect-style apps. */
export type Handler = (
  req: IncomingMessage | Http2ServerRequest,
  res: ServerResponse | Http2ServerResponse,
  next?: Next,
) => void

/**
 * Serves a router at `/mcp`. Requests for other paths go to `next()`, or get a 404 if there is no `next`.
 *
 * ```ts
 * http.createServer(mcp(router)).listen(3000)
 * app.use(login).use(mcp(router))     // connect, polka, Vite's dev server
 * ```
 *
 * Without `router`, it serves a new router with the name and version of the app's `package.json`.
 * @throws TypeError for unknown or invalid options.
 */
export function mcp<
  E extends object = Register,
  Req extends IncomingMessage | Http2ServerRequest = IncomingMessage,
>(router?: McpRouter<E>, ...[options]: OptionsArgument<MountOptions<Req, E>>): Handler {
  const served = router ?? new McpRouter(packageOfApp())
  assertNoRoutes(options ?? {})
  const http = new HttpHandler(
    served as unknown as McpRouter<object>,
    (options ?? {}) as AnyMountOptions,
    userOf,
  )

  const find = (req: RoutedRequest): Endpoint | undefined => {
    const location = locationOf(req)
    if (location === undefined) return undefined
    const { mountPath, path } = location
    const endpoint = http.route(mountPath, path)
    if (endpoint === undefined && req.method === 'POST') http.explainMiss(mountPath, path)
    return endpoint
  }
  const answer = (req: RoutedRequest, res: ServerResponse, next: Next): void | Promise<void> => {
    const endpoint = find(req)
    if (endpoint === undefined) return next()
    return attempt(respondSteps, { http, request: new NodeRequest(req, res, endpoint, hostOf(req)), next })
  }
  // The compatibility API of `http2` has every member that the code below uses.
  return (req, res, next = (error) => respondWithoutNext(res as ServerResponse, error)) =>
    void answer(req as RoutedRequest, res as ServerResponse, next)
}

interface NodeCall {
  readonly http: HttpHandler
  readonly request: NodeRequest
  readonly next: Next
}

const respondSteps: Steps<HttpResponse, void, NodeCall> = {
  run: ({ http, request }) => http.handle(request),
  next: (response, { request }) => request.respond(response),
  onError: (error, { next }) => next(error),
}

/** Responds when there is no `next`: 404, or 500 after an error. */
function respondWithoutNext(res: ServerResponse, error: unknown): void {
  if (res.headersSent) return
  res.statusCode = error === undefined ? 404 : 500
  res.setHeader('Content-Type', 'text/plain; charset=utf-8')
  res.end(error === undefined ? 'Not found\n' : 'Internal error\n')
}
