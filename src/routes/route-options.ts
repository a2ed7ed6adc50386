/** The mount option `routes`: which existing routes become tools, and how their calls travel. */

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

/** A sub-app or router that the app does not show; `prefix` is where it is reached, default what it says itself. */
export type AppByHand = object | { readonly app: object; readonly prefix?: string | undefined }

/** A document, the path of a JSON or YAML file, or a URL. */
export type OpenApiSource = object | string | URL
/** A function is asked at the first discovery, and may answer later. */
export type LazyOpenApiSource = OpenApiSource | (() => Awaitable<OpenApiSource>)

/** What `prepare` is given: Node's own `IncomingMessage`, before any framework has made more of it. */
interface InnerMessage {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Record<string, string | string[] | undefined>
  /** Where Express looks for the user; put into `request.user` of Fastify and `ctx.state.user` of Koa. */
  user?: unknown
  [name: string]: unknown
}

/** The option `routes` of a mount: which existing routes become tools, and how they are called. */
export interface RouteOptions<E extends object = Register> {
  /** Besides the marked ones: `/tasks/**`, `POST /tasks`, `GET,PUT /tasks/*`. Without a method a pattern means GET. */
  include?: readonly string[] | undefined
  /** Never tools, marked ones included. Without a method a pattern means every method. */
  exclude?: readonly string[] | undefined
  /**
   * More about single tools, by patterns as in `include`: `{ 'PUT /tasks/:id': { headers: ['if-match'] } }`. Takes every
   * option of `asTool()`, and wins over it. Makes no route a tool; `hidden: true` makes it none.
   */
  tools?: Readonly<Record<string, RouteMarker>> | undefined
  /** Names of middleware that check the caller: for the report only. */
  guards?: readonly string[] | undefined
  /** Sub-apps and routers that discovery cannot see by itself. */
  apps?: readonly AppByHand[] | undefined
  /**
   * An OpenAPI 3.0, 3.1 or 3.2 document that describes these routes: `'./openapi.yaml'`, an object, a URL, or a function that
   * answers one of them (`() => app.swagger()`). `prefix`: what stands in front of its paths in the app; default the path
   * of its first server. It makes no route a tool, unless an operation has `x-mcp`; what a route knows by itself stays.
   */
  openapi?:
    | LazyOpenApiSource
    | { readonly document: LazyOpenApiSource; readonly prefix?: string | undefined }
    | undefined
  /** More headers to pass on to the routes: `['x-tenant-id']`. */
  forwardHeaders?: readonly string[] | undefined
  /**
   * Sees each inner request, as Node made it, before the app does: what it sets there, the app finds. `req.user` is
   * `request.user` in Fastify and `ctx.state.user` in Koa. Throwing refuses the call.
   */
  prepare?: ((req: InnerMessage, ctx: Context<E>) => Awaitable<void>) | undefined
  /** Larger answers are cut. Default 1 MiB. */
  maxResultBytes?: number | undefined
  /** Of the files of one call. Default 10 MiB. */
  maxUploadBytes?: number | undefined
}

/** The options once their types have done their work. */
export interface AnyRouteOptions extends Omit<RouteOptions, 'prepare'> {
  /** Headers that are arguments of all tools. */
  readonly headers?: readonly string[] | undefined
  /** The tools are another server's. `hasHeaders`: a function of the app sends headers, and which ones only it knows. */
  readonly remote?: { readonly hasHeaders: boolean } | undefined
  /** What became of `openapi`. */
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

/** `{ app, prefix }` of every one. */
export function appsByHand({ apps = [] }: AnyRouteOptions): readonly { app: unknown; prefix?: string }[] {
  return apps.map((given) =>
    Object.getPrototypeOf(given) === Object.prototype && 'app' in given
      ? (given as { app: unknown; prefix?: string })
      : { app: given },
  )
}
