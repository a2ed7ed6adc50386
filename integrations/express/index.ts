/** The mount for Express 4 and 5. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request } from 'express'
import {
  type AnyMountOptions,
  HttpHandler,
  McpRouter,
  type MountOptions,
  type OptionsArgument,
  type Register,
} from '../../src/adapter.js'
import { packageOfApp } from '../node/package-of-app.js'
import { NodeRequest } from '../node/request.js'
import { writeResponse } from '../node/response.js'
import { type ExpressRequest, hostOf, locationOf } from './host.js'
import { parserFailure } from './parser-failure.js'

export { guard } from './guard.js'

type Next = (error?: unknown) => void
/** In Node's own terms, so that neighbours in a chain keep the types of their parameters. */
export type Handler = (req: IncomingMessage, res: ServerResponse, next: Next) => void
/** Turns what a body parser threw on our path into a JSON-RPC error. */
export type ErrorHandler = (error: unknown, req: IncomingMessage, res: ServerResponse, next: Next) => void

/**
 * Serves a router at `/mcp` below the mount point; what is not ours goes to `next()`.
 *
 * ```ts
 * app.use('/mcp', passport.authenticate('jwt', { session: false }), mcp(router))
 * app.use(mcp(router))     // at the root: serves /mcp
 * ```
 *
 * Without a router it has the name and version of the app's `package.json`.
 * Express takes the pair of handlers as one.
 * @throws TypeError for options that do not exist or do not fit.
 */
export function mcp<E extends object = Register>(
  router?: McpRouter<E>,
  ...[options]: OptionsArgument<MountOptions<Request, E>>
): [Handler, ErrorHandler] {
  const served = router ?? new McpRouter(packageOfApp())
  const http = new HttpHandler(
    served as unknown as McpRouter<object>,
    (options ?? {}) as AnyMountOptions,
    userOf,
  )

  const answer = async (req: ExpressRequest, res: ServerResponse, next: Next): Promise<void> => {
    const { mountPath, path } = locationOf(req)
    const endpoint = http.route(mountPath, path)
    if (endpoint === undefined) return next()
    try {
      await writeResponse(res, await http.handle(new NodeRequest(req, res, endpoint, hostOf(req))))
    } catch (error) {
      next(error)
    }
  }
  const refuse = async (
    error: unknown,
    req: ExpressRequest,
    res: ServerResponse,
    next: Next,
  ): Promise<void> => {
    const { mountPath, path } = locationOf(req)
    const endpoint = http.route(mountPath, path)
    const failure = parserFailure(error)
    if (endpoint === undefined || failure === undefined) return next(error)
    await writeResponse(res, await http.refuse(new NodeRequest(req, res, endpoint, hostOf(req)), failure))
  }
  return [
    (req, res, next) => void answer(req as ExpressRequest, res, next),
    (error, req, res, next) => void refuse(error, req as ExpressRequest, res, next),
  ]
}

function userOf(req: unknown): unknown {
  return (req as { user?: unknown }).user
}
