/** Discovers the routes of a Fastify app with its `onRoute` hook: Fastify has no table that could be read later. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  checkMarker,
  type Discovered,
  endpointOf,
  type Parameter,
  parseFastify,
  type QueryParser,
  queryParserOf,
  type Route,
  type RouteGuard,
  type RouteMarker,
  type Segment,
  toTemplate,
  type Unread,
} from '../../src/internal.js'
import { readConstraints } from './constraints.js'
import { createPlaceLookup, type RouteVariant, type VariantPlace } from './route-variants.js'
import { readSchema } from './schemas.js'
import { onToolCall } from './tool-calls.js'

/** The members of an instance used here, the same in Fastify 4 and 5. */
export interface FastifyApp {
  readonly initialConfig: { readonly maxParamLength?: number | undefined }
  readonly prefix: string
  readonly server: object
  addHook(name: 'onRoute', hook: (this: FastifyApp, route: RouteOptions) => void): unknown
  addHook(name: 'onReady', hook: () => Promise<void>): unknown
  getSchemas(): Record<string, unknown>
  hasConstraintStrategy(name: string): boolean
  hasRoute?(route: { url: string; method: string; constraints?: object }): boolean
  printRoutes(): string
  ready(): PromiseLike<unknown>
  readonly routing: (request: IncomingMessage, response: ServerResponse) => void
}

/** The argument of an `onRoute` hook. */
export interface RouteOptions {
  readonly method: string | readonly string[]
  readonly url: string
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  readonly config?: { readonly mcp?: unknown } | undefined
  readonly constraints?: Readonly<Record<string, unknown>> | undefined
  readonly handler: unknown
  readonly [hook: string]: unknown
}

/** A route, as one call of the hook reports it. */
export interface SeenRoute {
  readonly options: RouteOptions
  /** The scope that declared the route, with the hooks and shared schemas that apply to it. */
  readonly scope: FastifyApp
  /** Names of its constraints that use custom strategies of the app. */
  readonly strategies: readonly string[]
}

/** Names of hooks that run before the handler, in their order. */
const guardHooks = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const

/** Converts the routes. `everywhere`: all routes of the app, including those that other mounts have seen. */
export function discoverFastify(
  app: FastifyApp,
  seen: readonly SeenRoute[],
  everywhere: readonly SeenRoute[],
): Discovered {
  const routes: Route[] = []
  const unread: Unread[] = []
  const placeOf = createPlaceLookup(everywhere.flatMap((one) => readableVariants(one, app)))
  const urlsWithGet = new Set(seen.filter(({ options }) => methodsOf(options).includes('GET')).map(keyOf))
  for (const one of seen) {
    try {
      const variants = toVariants(one, app).filter(
        ({ method }) => method !== 'HEAD' || !urlsWithGet.has(keyOf(one)),
      )
      routes.push(...variants.map((variant) => toRoute(one, variant, placeOf(variant))))
    } catch (error) {
      unread.push({ path: one.options.url, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return { routes, unread }
}

/** Returns a variant for each method. @throws UnreadablePath for a path that is not a template. */
function toVariants({ options, strategies }: SeenRoute, { initialConfig }: FastifyApp): RouteVariant[] {
  const template = toTemplate(withMaxLength(parseFastify(urlOf(options)), initialConfig.maxParamLength))
  const { constraints = {} } = options
  return methodsOf(options).map((method) => ({ route: options, method, template, constraints, strategies }))
}

/** Returns the variants of a route. Empty for an unreadable path, which can't be the same as a tool's. */
function readableVariants(one: SeenRoute, app: FastifyApp): RouteVariant[] {
  try {
    return toVariants(one, app)
  } catch {
    return []
  }
}

/** Returns a key for finding the GET of a HEAD: Fastify adds a HEAD to each GET, and for `/v1/` also to `/v1`. */
function keyOf({ options }: SeenRoute): string {
  return `${urlOf(options)} ${JSON.stringify(readConstraints(options.constraints).constraints ?? {})}`
}

/** Returns the URL. The index route of a prefix matches with and without a trailing slash, so it's left out. */
function urlOf({ url, prefix, routePath, prefixTrailingSlash }: RouteOptions): string {
  const isIndex = prefix !== '' && prefix !== undefined && (routePath === '' || routePath === '/')
  return isIndex && prefixTrailingSlash !== 'slash' && url.length > 1 ? url.replace(/\/$/, '') : url
}

function toRoute(
  { options, scope, strategies }: SeenRoute,
  { method, template }: RouteVariant,
  place: VariantPlace | undefined,
): Route {
  const constrained = readConstraints(options.constraints, strategies)
  const guards = guardHooks.flatMap((hook) => [...hooksOf(scope, hook), ...functionsOf(options[hook])])
  return {
    framework: 'fastify',
    method,
    template,
    guards: guards.map(toGuard),
    handlerName: functionName(options.handler),
    marker: markerOf(options),
    schema: readSchema(options.schema, scope.getSchemas()),
    queryParser: queryParserIn(scope),
    ...constrained,
    identity: place?.shadowedBy,
    obstacle:
      endpointOf(options.handler) === undefined
        ? (constrained.obstacle ?? place?.obstacle)
        : 'our own endpoint',
  }
}

/** Returns the methods. `.all()` lists every method. HEAD is left out if there is a GET. */
function methodsOf({ method }: RouteOptions): readonly string[] {
  const methods = [method].flat().map((name) => name.toUpperCase())
  if (methods.length > 7) return ['ALL']
  return methods.length > 1 && methods.includes('GET') ? methods.filter((name) => name !== 'HEAD') : methods
}

/**
 * Returns the scope's hooks. If this Fastify version stores them elsewhere, an `undefined` hook stands for unknown
 * guards.
 */
function hooksOf(scope: FastifyApp, hook: string): readonly unknown[] {
  const scopeHooks: unknown = symbolOf(scope, 'fastify.hooks')
  if (typeof scopeHooks !== 'object' || scopeHooks === null) return hook === 'onRequest' ? [undefined] : []
  const own = (scopeHooks as Record<string, unknown>)[hook]
  return Array.isArray(own) ? own.filter((handle) => handle !== onToolCall) : []
}

/** Returns the scope's hooks of one name. */
export function guardsOf(scope: object, hook: string): readonly RouteGuard[] {
  return hooksOf(scope as FastifyApp, hook).map(toGuard)
}

function functionsOf(hook: unknown): readonly unknown[] {
  return hook === undefined ? [] : [hook].flat()
}

/** Limits parameters: with longer values, Fastify doesn't match the route. */
function withMaxLength(segments: readonly Segment[], maxLength = 100): readonly Segment[] {
  return segments.map((segment) =>
    segment.map((part) =>
      part.kind === 'parameter' && !part.wildcard ? ({ ...part, maxLength } satisfies Parameter) : part,
    ),
  )
}

/** Reads `config.mcp`. @throws TypeError for unknown or invalid options. */
function markerOf({ config, url }: RouteOptions): RouteMarker | undefined {
  const mcp = config?.mcp
  if (mcp === undefined) return undefined
  if (mcp === true) return {}
  if (mcp === false) return { hidden: true }
  return checkMarker(`config.mcp of ${url}`, mcp)
}

function toGuard(handle: unknown): RouteGuard {
  return { name: functionName(handle), handle }
}

function functionName(handler: unknown): string {
  return typeof handler === 'function' ? handler.name.replace(/^(?:bound )+/, '') : ''
}

/** Returns the value of a symbol property by its description. Scopes inherit from the scope around them. */
export function symbolOf(scope: object, description: string): unknown {
  for (let at: object | null = scope; at !== null; at = Object.getPrototypeOf(at)) {
    const key = Object.getOwnPropertySymbols(at).find((symbol) => symbol.description === description)
    if (key !== undefined) return (at as Record<symbol, unknown>)[key]
  }
  return undefined
}

interface RouterOptions {
  readonly querystringParser?: unknown
  /** Fastify 5. */
  readonly routerOptions?: { readonly querystringParser?: unknown }
}

/** Returns the parser of the option `querystringParser`. */
export function queryParserIn(scope: object): QueryParser {
  const options = symbolOf(scope, 'fastify.options') as RouterOptions | undefined
  const { querystringParser: parse } = options?.routerOptions ?? options ?? {}
  return typeof parse === 'function' ? queryParserOf(parse as (query: string) => unknown) : 'simple'
}
