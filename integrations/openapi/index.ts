/** The operations of an OpenAPI document as tools, run through an app in this process or sent to another server. */

import { type Call, checkOptions, type Dispatch, type McpRouter, type Register } from '../../src/adapter.js'
import {
  type AnyRouteOptions,
  aCount,
  aFunction,
  arrayOf,
  aString,
  type Check,
  checkForwardHeaders,
  checkHeaderNames,
  connectRoutes,
  type Discovered,
  expected,
  type RouteReader,
  type RouteSource,
  routeReportsOf,
} from '../../src/internal.js'
import { type DocumentSource, readDocument } from '../node/openapi/document.js'
import { readOperations } from '../node/openapi/operations.js'
import { serverPrefix } from '../node/openapi/servers.js'
import { chooser } from './choose.js'
import { localSource, remoteSource } from './guards.js'
import { localDispatch } from './local.js'
import { type HeaderCarrier, remoteDispatch } from './remote.js'

export type { DocumentSource } from '../node/openapi/document.js'
export { type OverlayOptions, type OverlayResult, overlay } from '../node/openapi/overlay.js'

type Awaitable<T> = T | PromiseLike<T>
type ContextOf<E extends object> = Call<E>['ctx']

interface CommonOptions {
  /**
   * Default: all. Patterns as at a mount (`/tasks/**`, `POST /tasks`; without a method GET), `tag:billing`, or an
   * `operationId`. `x-mcp-hidden: true` in an operation hides it, `x-mcp: { name, description, … }` says what `asTool()`
   * would.
   */
  include?: readonly string[] | undefined
  /** In the same words, but without a method a pattern means every method. Wins over `include`. */
  exclude?: readonly string[] | undefined
  /** Larger answers are cut. Default 1 MiB. */
  maxResultBytes?: number | undefined
  /** Of the files of one call. Default 10 MiB. */
  maxUploadBytes?: number | undefined
}

/** Through an app in this process: all of its middleware runs, nothing goes over a network. */
export interface InProcessOptions<E extends object = Register> extends CommonOptions {
  /** An Express, Koa or Fastify app. */
  app: object
  /** What stands in front of the document's paths in the app. Default: the path of its first server. */
  prefix?: string | undefined
  /** Headers that are arguments of the tools: `['if-match']`. No other header is one, whatever the document says. */
  headers?: readonly string[] | undefined
  /** More headers of the MCP request to pass on, besides those that say who calls: `['x-tenant-id']`. */
  forwardHeaders?: readonly string[] | undefined
  /** Sees each inner request before the app does. */
  prepare?: ((req: unknown, ctx: ContextOf<E>) => Awaitable<void>) | undefined
  baseUrl?: undefined
}

/** To another server. The caller's token and cookies are not sent along, unless `headers` says so. */
export interface RemoteOptions<E extends object = Register> extends CommonOptions {
  /** Every request goes here, whatever the document's `servers` say; redirects are not followed. */
  baseUrl: string | URL
  /**
   * A function: headers of each request, what the server over there wants to know of the caller. Names: headers that are
   * arguments of the tools; `x-mcp: { headers: ['if-match'] }` in an operation says the same for one of them.
   */
  headers?:
    | ((ctx: ContextOf<E>) => Awaitable<Readonly<Record<string, string | undefined>>>)
    | readonly string[]
    | undefined
  app?: undefined
  prefix?: undefined
  forwardHeaders?: undefined
  prepare?: undefined
}

/** What `addOpenApi()` takes: an app to call in process, or the address of another server. */
export type OpenApiOptions<E extends object = Register> = InProcessOptions<E> | RemoteOptions<E>

/** What became of the document. */
export interface OpenApiReport {
  /** Names of the tools, in the order of the document. */
  readonly tools: readonly string[]
  /** Operations that are no tools: `GET /path` with the reason. */
  readonly skipped: readonly { readonly operation: string; readonly reason: string }[]
}

/**
 * Adds the operations of an OpenAPI 3.0, 3.1 or 3.2 document (an object, the path of a JSON or YAML file, or a URL) as tools.
 * One that cannot be read stops no other; the report names it.
 *
 * ```ts
 * await addOpenApi(router, './openapi.yaml', { app })
 * await addOpenApi(router, document, { baseUrl: 'https://api.example.com', headers: (ctx) => ({ … }) })
 * ```
 * @throws TypeError for options that do not exist or do not fit, Error for a document that cannot be read.
 */
export async function addOpenApi<E extends object = Register>(
  router: McpRouter<E>,
  source: DocumentSource,
  options: OpenApiOptions<E>,
): Promise<OpenApiReport> {
  checkOptions('addOpenApi()', options, table)
  const dispatch = dispatchOf(options)
  const choose = chooser(options.include, options.exclude)
  const document = await readDocument(source, 'addOpenApi()')
  const prefix = options.app === undefined ? '' : (options.prefix ?? serverPrefix(document))
  const { operations, unread } = readOperations(document, prefix)
  const routes = operations.map(choose)
  const anyRouter = router as unknown as McpRouter<object>
  // The document is the root of its routes, as an app is of its own.
  const token = {}
  const reader = readerOf(token, sourceOf(anyRouter, options, { routes, unread, dispatch }))
  connectRoutes(anyRouter, reader, { routes: routeOptions(options), app: token })
  return reportOf(await routeReportsOf(anyRouter, token), { routes, unread })
}

const isUrl = (value: unknown): boolean => URL.canParse(String(value)) && /^https?:/i.test(String(value))

const headersOption: Check = (value, what) => {
  if (typeof value !== 'function') checkHeaderNames(value, what)
}

const table = {
  known: {
    include: arrayOf(aString),
    exclude: arrayOf(aString),
    app: expected(
      'an Express, Koa or Fastify app',
      (app) => app !== null && ['object', 'function'].includes(typeof app),
    ),
    prefix: expected('a path that begins with a slash, or nothing', (prefix) =>
      /^($|\/.*[^/]$)/.test(String(prefix)),
    ),
    baseUrl: expected('an http or https URL', isUrl),
    headers: headersOption,
    forwardHeaders: arrayOf(aString),
    prepare: aFunction,
    maxResultBytes: aCount,
    maxUploadBytes: aCount,
  },
}

function dispatchOf<E extends object>({ app, baseUrl, headers }: OpenApiOptions<E>): Dispatch {
  if (app !== undefined && baseUrl !== undefined) {
    throw new TypeError('addOpenApi(): expected `app` or `baseUrl`, got both')
  }
  if (app !== undefined) {
    if (typeof headers === 'function')
      throw new TypeError(
        "addOpenApi(): with `app`, expected `headers` to be an array of header names; got a function: pass the caller's on with `forwardHeaders`, or set them in `prepare`",
      )
    return localDispatch(app)
  }
  if (baseUrl === undefined) throw new TypeError('addOpenApi(): expected `app` or `baseUrl`, got neither')
  return remoteDispatch(new URL(baseUrl))
}

function routeOptions<E extends object>(options: OpenApiOptions<E>): AnyRouteOptions {
  const { maxResultBytes, maxUploadBytes, headers } = options
  const forwardHeaders = options.forwardHeaders && checkForwardHeaders(options.forwardHeaders)
  const ofCaller = typeof headers === 'function' ? headers : undefined
  const prepare = options.prepare ?? (ofCaller && headerWriter(ofCaller))
  // What the patterns exclude no other operation's path may spell.
  const exclude = options.exclude?.filter((source) => source.includes('/') && !source.startsWith('tag:'))
  return {
    exclude,
    headers: typeof headers === 'function' ? undefined : headers,
    ...(options.app === undefined && { remote: { hasHeaders: ofCaller !== undefined } }),
    maxResultBytes,
    maxUploadBytes,
    forwardHeaders,
    prepare: prepare as AnyRouteOptions['prepare'],
  }
}

type HeadersOf<E extends object> = Exclude<NonNullable<RemoteOptions<E>['headers']>, readonly string[]>

/** Names that hold `undefined` are taken away. */
function headerWriter<E extends object>(headers: HeadersOf<E>) {
  return async ({ headers: sent }: HeaderCarrier, ctx: ContextOf<E>): Promise<void> => {
    for (const [name, value] of Object.entries(await headers(ctx))) {
      if (value === undefined) sent.delete(name)
      else sent.set(name, value)
    }
  }
}

function sourceOf<E extends object>(
  router: McpRouter<object>,
  { app, baseUrl }: OpenApiOptions<E>,
  found: Parameters<typeof remoteSource>[1],
): RouteSource {
  return app === undefined ? remoteSource(new URL(baseUrl), found) : localSource(router, app, found)
}

function readerOf(token: object, source: RouteSource): RouteReader {
  return { rootOf: (app) => (app === token ? token : undefined), open: () => source }
}

/** `postures`: one for each route, and then one for each that could not be read. */
function reportOf(
  postures: Awaited<ReturnType<typeof routeReportsOf>>,
  { routes, unread }: Discovered,
): OpenApiReport {
  const all = routes.map(({ method, template }, index) => ({
    operation: `${method} ${template.text}`,
    tool: postures[index]?.tool,
    reason: postures[index]?.reason ?? 'it has another one at its address',
  }))
  return {
    tools: all.flatMap(({ tool }) => tool ?? []),
    skipped: [
      ...all.flatMap(({ operation, tool, reason }) => (tool === undefined ? [{ operation, reason }] : [])),
      ...unread.map(({ path, reason }) => ({ operation: path, reason })),
    ],
  }
}
