/** The mount for frameworks and runtimes with web `Request` and `Response`: Hono, Next.js, Bun, Deno, Workers. */

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

/** Handles a request. Never rejects. Accepts the second arguments that Deno, Bun and Next.js pass. */
export interface FetchHandler<E extends object = Register> {
  (request: Request, given?: Given<E>): Promise<Response>
  /** The signature for Workers. `env` holds bindings, not a caller, and is ignored. */
  (request: Request, env: unknown, executionContext: object): Promise<Response>
}

/** A handler for a mount without the option `context`: each call passes the context that `Register` declares. */
export type ContextualHandler<E extends object = Register> = (
  request: Request,
  given: Given<E> & { readonly context: Omit<E, 'user'> },
) => Promise<Response>

/** Base of URLs without a host: Bun passes only the path if the request has no `Host`. */
const placeholderOrigin = 'http://host.invalid'

/**
 * Serves a router at `/mcp`. All other paths get a 404.
 *
 * ```ts
 * const handler = mcp(router)
 * app.all('/mcp', (c) => handler(c.req.raw, { user: c.get('user') }))    // Hono
 * Deno.serve(handler)
 * ```
 *
 * Matches the complete path of the URL. To serve a router below a prefix, set it: `mcp(router, { path: '/api/mcp' })`.
 * @throws TypeError for unknown or invalid options.
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
  // The overloads above have checked the types, so the implementation uses plain objects.
  assertNoRoutes(options)
  const http = new HttpHandler(router as McpRouter<object>, options as AnyMountOptions, () => undefined)
  return async (raw: Request, second?: unknown, executionContext?: object): Promise<Response> => {
    const url = new URL(raw.url, placeholderOrigin)
    const endpoint = http.route('', url.pathname)
    if (endpoint === undefined) return new Response('Not found', { status: 404 })
    const given = executionContext === undefined ? ((second ?? {}) as Given<object>) : {}
    const request = new FetchRequest(raw, { endpoint, url, given })
    return request.respond(await http.handle(request))
  }
}
