/** The mount option `routes`: selects the routes that become tools, and configures their calls. */

import type { Awaitable, Context, Register } from '../definitions/context.js'
import {
  aCount,
  aFunction,
  anObject,
  arrayOf,
  aString,
  type Check,
  expected,
  nested,
} from '../support/check-options.js'
import { checkMarker } from './discovery/marker.js'
import { parsePattern } from './discovery/patterns.js'
import { checkForwardHeaders } from './request/forwarded-headers.js'
import type { RouteMarker } from './route.js'
import type { RouteDocument } from './schema/route-document.js'

/**
 * A sub-app or router that discovery can't find. `prefix` is its mount path; default: the path that it reports itself.
 */
export type AppByHand = object | { readonly app: object; readonly prefix?: string | undefined }

/** An OpenAPI document, the path of a JSON or YAML file, or a URL. */
export type OpenApiSource = object | string | URL
/** An OpenAPI source, or a function that returns one or a promise of it. Called at the first discovery. */
export type LazyOpenApiSource = OpenApiSource | (() => Awaitable<OpenApiSource>)

/** The request that `prepare` gets: Node's `IncomingMessage`, before the framework extends it. */
interface InnerMessage {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Record<string, string | string[] | undefined>
  /** Express reads the user from here. Copied to `request.user` in Fastify and `ctx.state.user` in Koa. */
  user?: unknown
  [name: string]: unknown
}

/** The option `routes` of a mount: selects the routes that become tools, and configures their calls. */
export interface RouteOptions<E extends object = Register> {
  /**
   * Routes that become tools besides the marked ones: `/tasks/**`, `POST /tasks`, `GET,PUT /tasks/*`. A pattern without
   * a method means GET.
   */
  include?: readonly string[] | undefined
  /** Routes that never become tools, even if they are marked. A pattern without a method means every method. */
  exclude?: readonly string[] | undefined
  /**
   * Options for single tools, by patterns as in `include`: `{ 'PUT /tasks/:id': { headers: ['if-match'] } }`. Accepts
   * every option of `asTool()` and overrides it. Doesn't turn routes into tools; `hidden: true` excludes a route.
   */
  tools?: Readonly<Record<string, RouteMarker>> | undefined
  /** Names of middleware that check the caller. Used for reports only. */
  guards?: readonly string[] | undefined
  /** Sub-apps and routers that discovery can't find by itself. */
  apps?: readonly AppByHand[] | undefined
  /**
   * An OpenAPI 3.0, 3.1 or 3.2 document that describes these routes: `'./openapi.yaml'`, an object, a URL, or a
   * function that returns one of them (`() => app.swagger()`). `prefix`: the path in the app that its paths are mounted
   * at; default: the path of its first server. It doesn't turn routes into tools, except operations with `x-mcp`.
   * Schemas that the route itself has take precedence.
   */
  openapi?:
    | LazyOpenApiSource
    | { readonly document: LazyOpenApiSource; readonly prefix?: string | undefined }
    | undefined
  /** Further request headers to pass on to the routes: `['x-tenant-id']`. */
  forwardHeaders?: readonly string[] | undefined
  /**
   * Called with each inner request, as created by Node, before the app gets it. Properties that it sets are visible to
   * the app. `req.user` becomes `request.user` in Fastify and `ctx.state.user` in Koa. Throw to reject the call.
   */
  prepare?: ((req: InnerMessage, ctx: Context<E>) => Awaitable<void>) | undefined
  /** Maximum size of a result in bytes; larger responses are truncated. Default: 1 MiB. */
  maxResultBytes?: number | undefined
  /** Maximum total size in bytes of the files of one call. Default: 10 MiB. */
  maxUploadBytes?: number | undefined
}

/** The options without their static types. */
export interface AnyRouteOptions extends Omit<RouteOptions, 'prepare'> {
  /** Headers that are arguments of all tools. */
  readonly headers?: readonly string[] | undefined
  /**
   * Set if the tools call another server. `hasHeaders`: whether a function of the app adds headers that aren't known in
   * advance.
   */
  readonly remote?: { readonly hasHeaders: boolean } | undefined
  /** The document opened from `openapi`. */
  readonly document?: RouteDocument | undefined
  readonly prepare?: ((req: unknown, ctx: unknown) => unknown) | undefined
}

const aPattern: Check = (value, what) => {
  aString(value, what)
  parsePattern(value as string)
}

const markers: Check = (value, what) => {
  anObject(value, what)
  for (const [pattern, marker] of Object.entries(value as object)) {
    parsePattern(pattern)
    checkMarker(`routes.tools["${pattern}"]`, marker)
  }
}

const headerNames: Check = (value, what) => {
  arrayOf(aString)(value, what)
  checkForwardHeaders(value as readonly string[])
}

export const routeOptions: Check = nested({
  include: arrayOf(aPattern),
  exclude: arrayOf(aPattern),
  tools: markers,
  guards: arrayOf(aString),
  apps: arrayOf(
    expected('an app or a router, or { app, prefix }', (value) =>
      ['object', 'function'].includes(typeof value),
    ),
  ),
  openapi: expected(
    'an OpenAPI document, its path or URL, a function that answers one, or { document, prefix }',
    (value) => ['object', 'function'].includes(typeof value) || (typeof value === 'string' && value !== ''),
  ),
  forwardHeaders: headerNames,
  prepare: aFunction,
  maxResultBytes: aCount,
  maxUploadBytes: aCount,
})

/** Returns the entries of `apps` as `{ app, prefix }`. */
export function appsByHand({ apps = [] }: AnyRouteOptions): readonly { app: unknown; prefix?: string }[] {
  return apps.map((given) =>
    Object.getPrototypeOf(given) === Object.prototype && 'app' in given
      ? (given as { app: unknown; prefix?: string })
      : { app: given },
  )
}
