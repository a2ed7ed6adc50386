/** Turns the operations of an OpenAPI document into tools that call an app in this process or another server. */

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
import { createSelector } from './choose.js'
import { localSource, remoteSource } from './guards.js'
import { localDispatch } from './local.js'
import { type HeaderCarrier, remoteDispatch } from './remote.js'

export type { DocumentSource } from '../node/openapi/document.js'
export { type Overlaid, type OverlayOptions, overlay } from '../node/openapi/overlay.js'

type Awaitable<T> = T | PromiseLike<T>
type ContextOf<E extends object> = Call<E>['ctx']

interface CommonOptions {
  /**
   * Operations that become tools. Default: all. Patterns as for a mount (`/tasks/**`, `POST /tasks`; GET without a
   * method), `tag:billing`, or an `operationId`. `x-mcp-hidden: true` in an operation hides it, and
   * `x-mcp: { name, description, … }` sets the options of `asTool()`.
   */
  include?: readonly string[] | undefined
  /**
   * Operations that don't become tools, in the same syntax, except that a pattern without a method means every
   * method. Wins over `include`.
   */
  exclude?: readonly string[] | undefined
  /** Longer responses are truncated. Bytes; default: 1 MiB. */
  maxResultBytes?: number | undefined
  /** Limit on the total size of the files of one call. Bytes; default: 10 MiB. */
  maxUploadBytes?: number | undefined
}

/** Options for an app in this process: all of its middleware runs, without using the network. */
export interface InProcessOptions<E extends object = Register> extends CommonOptions {
  /** An Express, Koa or Fastify app. */
  app: object
  /** Prefix of the document's paths in the app. Default: the path of the document's first server. */
  prefix?: string | undefined
  /** Headers that become arguments of the tools: `['if-match']`. No other headers do, whatever the document says. */
  headers?: readonly string[] | undefined
  /** Additional headers of the MCP request to pass on, besides those that identify the caller: `['x-tenant-id']`. */
  forwardHeaders?: readonly string[] | undefined
  /** Called with each inner request before the app gets it. */
  prepare?: ((req: unknown, ctx: ContextOf<E>) => Awaitable<void>) | undefined
  baseUrl?: undefined
}

/** Options for another server. The caller's token and cookies are not sent, unless `headers` adds them. */
export interface RemoteOptions<E extends object = Register> extends CommonOptions {
  /** Base URL of all requests, whatever the document's `servers` say. Redirects are not followed. */
  baseUrl: string | URL
  /**
   * As a function: returns headers for each request, such as the other server's credentials. As an array: names of
   * headers that become arguments of the tools. `x-mcp: { headers: ['if-match'] }` does the same for a single
   * operation.
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

/** Options of `addOpenApi()`: an app to call in process, or the base URL of another server. */
export type OpenApiOptions<E extends object = Register> = InProcessOptions<E> | RemoteOptions<E>

/** The tools and skipped operations of a document. */
export interface OpenApiReport {
  /** Names of the tools, in the document's order. */
  readonly tools: readonly string[]
  /** Operations that didn't become tools: `GET /path` and the reason. */
  readonly skipped: readonly { readonly operation: string; readonly reason: string }[]
}

/**
 * Adds the operations of an OpenAPI 3.0, 3.1 or 3.2 document as tools. The document is an object, the path of a JSON or
 * YAML file, or a URL. Operations that can't be read are skipped and listed in the report.
 *
 * ```ts
 * await addOpenApi(router, './openapi.yaml', { app })
 * await addOpenApi(router, document, { baseUrl: 'https://api.example.com', headers: (ctx) => ({ … }) })
 * ```
 * @throws TypeError for unknown or invalid options, Error for a document that can't be read.
 */
export async function addOpenApi<E extends object = Register>(
  router: McpRouter<E>,
  source: DocumentSource,
  options: OpenApiOptions<E>,
): Promise<OpenApiReport> {
  checkOptions('addOpenApi()', options, table)
  const dispatch = dispatchOf(options)
  const choose = createSelector(options.include, options.exclude)
  const document = await readDocument(source, 'addOpenApi()')
  const prefix = options.app === undefined ? '' : (options.prefix ?? serverPrefix(document))
  const { operations, unread } = readOperations(document, prefix)
  const routes = operations.map(choose)
  const anyRouter = router as unknown as McpRouter<object>
  // Routes are connected by app. A token stands for the document.
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
    prefix: expected('empty or a path with a slash at its start and none at its end', (prefix) =>
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
        'addOpenApi(): with `app`, expected `headers` to be an array of header names, got a function; to pass on headers of the caller, use `forwardHeaders`, or set headers in `prepare`',
      )
    return localDispatch(app)
  }
  if (baseUrl === undefined) throw new TypeError('addOpenApi(): expected `app` or `baseUrl`, got neither')
  return remoteDispatch(new URL(baseUrl))
}

function routeOptions<E extends object>(options: OpenApiOptions<E>): AnyRouteOptions {
  const { maxResultBytes, maxUploadBytes, headers } = options
  const forwardHeaders = options.forwardHeaders && checkForwardHeaders(options.forwardHeaders)
  const getHeaders = typeof headers === 'function' ? headers : undefined
  const prepare = options.prepare ?? (getHeaders && headerWriter(getHeaders))
  // Excluded paths must not be reachable through the parameters of another operation's path.
  const exclude = options.exclude?.filter((source) => source.includes('/') && !source.startsWith('tag:'))
  return {
    exclude,
    headers: typeof headers === 'function' ? undefined : headers,
    ...(options.app === undefined && { remote: { hasHeaders: getHeaders !== undefined } }),
    maxResultBytes,
    maxUploadBytes,
    forwardHeaders,
    prepare: prepare as AnyRouteOptions['prepare'],
  }
}

type HeadersOf<E extends object> = Exclude<NonNullable<RemoteOptions<E>['headers']>, readonly string[]>

/** Creates a `prepare` that sets the headers. `undefined` removes a header. */
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

/** Builds the report. `reports`: the reports of all routes, followed by those of the unreadable ones. */
function reportOf(
  reports: Awaited<ReturnType<typeof routeReportsOf>>,
  { routes, unread }: Discovered,
): OpenApiReport {
  const all = routes.map(({ method, template }, index) => ({
    operation: `${method} ${template.text}`,
    tool: reports[index]?.tool,
    reason: reports[index]?.reason ?? 'another operation has its method and path',
  }))
  return {
    tools: all.flatMap(({ tool }) => tool ?? []),
    skipped: [
      ...all.flatMap(({ operation, tool, reason }) => (tool === undefined ? [{ operation, reason }] : [])),
      ...unread.map(({ path, reason }) => ({ operation: path, reason })),
    ],
  }
}
