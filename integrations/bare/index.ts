/** The transports on Bare: HTTP on `bare-http1`, and stdio. */

import { userOf } from '../../src/internal.js'
import './globals.js'
import {
  type AnyMountOptions,
  assertNoRoutes,
  HttpHandler,
  type McpRouter,
  type MountOptions,
  type OptionsArgument,
  type Register,
  whenReady,
} from '../../src/adapter.js'
import { type BareIncoming, type BareOutgoing, BareRequest } from './request.js'

export type { BareIncoming, BareOutgoing } from './request.js'
export { protectStdout, type StdioOptions, serveStdio } from './stdio.js'

/** A request listener for `bare-http1`. Requests for other paths go to `next`, or get a 404 if there is no `next`. */
export type Handler = (request: BareIncoming, response: BareOutgoing, next?: () => void) => void

/**
 * Serves a router at `/mcp`: `http.createServer(mcp(router)).listen(3000)`, with `http` of `bare-http1`.
 * @throws TypeError for unknown or invalid options.
 */
export function mcp<E extends object = Register>(
  router: McpRouter<E>,
  ...[options]: OptionsArgument<MountOptions<BareIncoming, E>>
): Handler {
  assertNoRoutes(options ?? {})
  const served = router as unknown as McpRouter<object>
  const http = new HttpHandler(served, (options ?? {}) as AnyMountOptions, userOf)
  return (request, response, next = () => notFound(response)) => {
    const [path = ''] = request.url.split('?')
    const endpoint = http.route('', path)
    if (endpoint === undefined) return next()
    const httpRequest = new BareRequest(request, response, endpoint)
    void whenReady(http.handle(httpRequest), (httpResponse) => httpRequest.respond(httpResponse))
  }
}

function notFound(response: BareOutgoing): void {
  response.statusCode = 404
  response.end('Not found\n')
}
