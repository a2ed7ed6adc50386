/** The routes of a Fastify app: what its `onRoute` hook tells while they are declared. There is no table to read later. */

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
import { type Place, placesIn, type RouteVariant } from './route-variants.js'
import { readSchema } from './schemas.js'
import { onToolCall } from './tool-calls.js'

/** The part of an instance that both majors have. */
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

/** What the hook is given. */
export interface RouteOptions {
  readonly method: string | readonly string[]
  readonly url: string
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  readonly config?: { readonly mcp?: unknown } | undefined
  readonly constraints?: Readonly<Record<string, unknown>> | undefined
  readonly handler: unknown
  readonly [hook: string]: unknown
}

/** One call of the hook. */
export interface Seen {
  readonly options: RouteOptions
  /** The scope it was declared in: its hooks and shared schemas are the route's. */
  readonly scope: FastifyApp
  /** Names of its constraints whose strategies are the app's own. */
  readonly strategies: readonly string[]
}

/** In the order they run. */
const hooks = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const

/** `everywhere`: in the whole app, what other mounts saw included. */
export function discoverFastify(
  app: FastifyApp,
  seen: readonly Seen[],
  everywhere: readonly Seen[],
): Discovered {
  const routes: Route[] = []
  const unread: Unread[] = []
  const placeOf = placesIn(everywhere.flatMap((one) => spotsOf(one, app)))
  const gets = new Set(seen.filter(({ options }) => methodsOf(options).includes('GET')).map(keyOf))
  for (const one of seen) {
    try {
      const spots = toSpots(one, app).filter(({ method }) => method !== 'HEAD' || !gets.has(keyOf(one)))
      routes.push(...spots.map((spot) => toRoute(one, spot, placeOf(spot))))
    } catch (error) {
      unread.push({ path: one.options.url, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return { routes, unread }
}

/** @throws UnreadablePath for a path that is no template. */
function toSpots({ options, strategies }: Seen, { initialConfig }: FastifyApp): RouteVariant[] {
  const template = toTemplate(limited(parseFastify(urlOf(options)), initialConfig.maxParamLength))
  const { constraints = {} } = options
  return methodsOf(options).map((method) => ({ route: options, method, template, constraints, strategies }))
}

/** What cannot be read has a path of its own kind, which no tool has. */
function spotsOf(one: Seen, app: FastifyApp): RouteVariant[] {
  try {
    return toSpots(one, app)
  } catch {
    return []
  }
}

/** Fastify adds a HEAD to each GET, and to `/v1` one for `/v1/`. */
function keyOf({ options }: Seen): string {
  return `${urlOf(options)} ${JSON.stringify(readConstraints(options.constraints).constraints ?? {})}`
}

/** `/` below a prefix is reached with and without the slash at its end. */
function urlOf({ url, prefix, routePath, prefixTrailingSlash }: RouteOptions): string {
  const isIndex = prefix !== '' && prefix !== undefined && (routePath === '' || routePath === '/')
  return isIndex && prefixTrailingSlash !== 'slash' && url.length > 1 ? url.replace(/\/$/, '') : url
}

function toRoute(
  { options, scope, strategies }: Seen,
  { method, template }: RouteVariant,
  place: Place | undefined,
): Route {
  const constrained = readConstraints(options.constraints, strategies)
  const guards = hooks.flatMap((hook) => [...hooksOf(scope, hook), ...functionsOf(options[hook])])
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
    identity: place?.takerOf,
    obstacle:
      endpointOf(options.handler) === undefined
        ? (constrained.obstacle ?? place?.obstacle)
        : 'our own endpoint',
  }
}

/** `.all()` names every method. */
function methodsOf({ method }: RouteOptions): readonly string[] {
  const methods = [method].flat().map((name) => name.toUpperCase())
  if (methods.length > 7) return ['ALL']
  return methods.length > 1 && methods.includes('GET') ? methods.filter((name) => name !== 'HEAD') : methods
}

/** Hooks that were added to the scope. Where this Fastify keeps them elsewhere, nobody knows what stands in front. */
function hooksOf(scope: FastifyApp, hook: string): readonly unknown[] {
  const holder: unknown = symbolOf(scope, 'fastify.hooks')
  if (typeof holder !== 'object' || holder === null) return hook === 'onRequest' ? [undefined] : []
  const own = (holder as Record<string, unknown>)[hook]
  return Array.isArray(own) ? own.filter((handle) => handle !== onToolCall) : []
}

/** What a scope has of one hook, by name. */
export function guardsOf(scope: object, hook: string): readonly RouteGuard[] {
  return hooksOf(scope as FastifyApp, hook).map(toGuard)
}

function functionsOf(hook: unknown): readonly unknown[] {
  return hook === undefined ? [] : [hook].flat()
}

/** Longer values reach no route with a parameter. */
function limited(segments: readonly Segment[], maxLength = 100): readonly Segment[] {
  return segments.map((segment) =>
    segment.map((part) =>
      part.kind === 'parameter' && !part.wildcard ? ({ ...part, maxLength } satisfies Parameter) : part,
    ),
  )
}

/** @throws TypeError for options that do not exist or do not fit. */
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

/** A scope inherits from the one around it. */
export function symbolOf(scope: object, description: string): unknown {
  for (let at: object | null = scope; at !== null; at = Object.getPrototypeOf(at)) {
    const key = Object.getOwnPropertySymbols(at).find((symbol) => symbol.description === description)
    if (key !== undefined) return (at as Record<symbol, unknown>)[key]
  }
  return undefined
}

interface Options {
  readonly querystringParser?: unknown
  /** Fastify 5. */
  readonly routerOptions?: { readonly querystringParser?: unknown }
}

/** That of the option `querystringParser`. */
export function queryParserIn(scope: object): QueryParser {
  const options = symbolOf(scope, 'fastify.options') as Options | undefined
  const { querystringParser: parse } = options?.routerOptions ?? options ?? {}
  return typeof parse === 'function' ? queryParserOf(parse as (query: string) => unknown) : 'simple'
}
