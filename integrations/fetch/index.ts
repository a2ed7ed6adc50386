/** The mount for everything that turns a web `Request` into a `Response`: Hono, Next.js, Bun, Deno, Workers. */

import {
  type AnyMountOptions,
  assertNoRoutes,
  HttpHandler,
  McpRouter,
  type MountOptions,
  type OptionsArgument,
  type Register,
} from '../../src/adapter.js'
import type { Given } from './given.js'
import { FetchRequest } from './request.js'

export type { Given } from './given.js'

/** Answers a request. Rejects never. What Deno, Bun and Next.js pass as second argument is understood. */
export interface FetchHandler<E extends object = Register> {
  (request: Request, given?: Given<E>): Promise<Response>
  /** As Workers call it. `env` holds bindings, not a caller, and is not looked at. */
  (request: Request, env: unknown, executionContext: object): Promise<Response>
}

/** A handler whose mount does not bring the `context` that `Register` promises: each call does. */
export type ContextualHandler<E extends object = Register> = (
  request: Request,
  given: Given<E> & { readonly context: Omit<E, 'user'> },
) => Promise<Response>

/** Bun gives the path alone where a request names no host. */
const nowhere = 'http://host.invalid'

/**
 * Serves a router at `/mcp`; every other path is answered with 404.
 *
 * ```ts
 * const handler = mcp(router)
 * app.all('/mcp', (c) => handler(c.req.raw, { user: c.get('user') }))    // Hono
 * Deno.serve(handler)
 * ```
 *
 * The path of the URL counts as a whole: below a prefix say so, as in `mcp(router, { path: '/api/mcp' })`.
 * @throws TypeError for options that do not exist or do not fit.
 */
export function mcp<E extends object = Register>(
  router?: McpRouter<E>,
  ...[options]: OptionsArgument<MountOptions<Request, E>>
): FetchHandler<E>
export function mcp<E extends object = Register>(
  router: McpRouter<E>,
  options?: Omit<MountOptions<Request, E>, 'context'>,
): ContextualHandler<E>
export function mcp(router: object = new McpRouter<object>(), options: object = {}): FetchHandler<object> {
  // The signatures above have done their work.
  assertNoRoutes(options)
  const http = new HttpHandler(router as McpRouter<object>, options as AnyMountOptions, () => undefined)
  return async (raw: Request, second?: unknown, executionContext?: object): Promise<Response> => {
    const url = new URL(raw.url, nowhere)
    const endpoint = http.route('', url.pathname)
    if (endpoint === undefined) return new Response('Not found', { status: 404 })
    const given = executionContext === undefined ? ((second ?? {}) as Given<object>) : {}
    const request = new FetchRequest(raw, { endpoint, url, given })
    return request.respond(await http.handle(request))
  }
}
