/** Selects the routes that become tools. A route must be marked or included; every other route gets a reason. */

import { nearest } from '../../support/nearest.js'
import type { ShadowedBy } from '../request/shadowed-by.js'
import { labelOf, type PatternRoute, type Route, type RouteMarker } from '../route.js'
import type { AnyRouteOptions } from '../route-options.js'
import { isCatchAll, parametersOf, placeholderPath, samplePath } from './path-template.js'
import { matches, parsePattern, type RoutePattern, spelled } from './patterns.js'
import { shadowingPattern } from './route-conflicts.js'
import { isOrdered, shadowingRouteOf } from './route-precedence.js'

/** The parsed selection options of one mount. */
export interface RouteSelection {
  readonly include: readonly RoutePattern[]
  readonly exclude: readonly RoutePattern[]
  /** The markers in `tools`, with the patterns of their routes. */
  readonly tools: readonly { readonly pattern: RoutePattern; readonly marker: RouteMarker }[]
}

export interface SelectedRoute {
  readonly route: Route
  /** Why it isn't a tool; `undefined` if it is one. */
  readonly reason: string | undefined
  /** The route that its calls would reach instead. */
  readonly shadowedBy?: ShadowedRoute | undefined
}

interface ShadowedRoute {
  /** `undefined` if only the router knows it. */
  readonly route?: Route | undefined
  /** Whether it precedes the route. */
  readonly isFirst?: boolean | undefined
}

export function toRouteSelection({
  include = [],
  exclude = [],
  tools = {},
}: AnyRouteOptions): RouteSelection {
  return {
    include: include.map((source) => parsePattern(source)),
    exclude: exclude.map((source) => parsePattern(source, '*')),
    tools: Object.entries(tools).map(([source, marker]) => ({ pattern: parsePattern(source), marker })),
  }
}

/**
 * Selects routes, in the order of `routes`. If several routes match the same requests, only the one that gets them
 * counts.
 */
export function selectRoutes(
  routes: readonly Route[],
  choices: readonly RouteSelection[],
  patterns: readonly PatternRoute[] = [],
): SelectedRoute[] {
  const chosen = routeByAddress(routes)
  const shadowingRoute = shadowingRouteOf(routes)
  const shadowed = (label: string): string => `another route has its address, ${label}`
  return routes.map((route, at) => {
    const reason = reasonOf(route, choices)
    if (reason !== undefined) return { route, reason }
    const instead = route.shadowedBy?.(samplePath(route.template.segments))
    if (instead !== undefined) {
      return { route, reason: `its router is exclusive: ${instead} runs instead`, shadowedBy: {} }
    }
    const pattern = shadowingPattern(route, at, patterns)
    if (pattern !== undefined) return { route, reason: shadowed(pattern), shadowedBy: { isFirst: true } }
    const winner = shadowingRoute(route) ?? (chosen.get(addressOf(route)) as Route) // every address has one
    return winner === route
      ? { route, reason }
      : { route, reason: shadowed(labelOf(winner)), shadowedBy: { route: winner, isFirst: true } }
  })
}

/**
 * Returns a check for built paths that the mounts exclude, because parameter values can spell the path of an excluded
 * route. With several mounts, a path is excluded only if every mount that exposes the route excludes it.
 */
export function exclusionsOf(route: Route, choices: readonly RouteSelection[]): readonly ShadowedBy[] {
  const checks = choices
    .filter((choice) => isExposedBy(route, choice))
    .map(({ exclude }) => exclusionCheck(partialMatches(exclude, route)))
  if (checks.length === 0 || checks.includes(undefined)) return []
  return [(path, headers) => excludedByAll(checks as readonly ShadowedBy[], path, headers)] // no member is undefined
}

/** Returns the first label if all checks return one. */
function excludedByAll(checks: readonly ShadowedBy[], ...given: Parameters<ShadowedBy>): string | undefined {
  let label: string | undefined
  for (const check of checks) {
    const found = check(...given)
    if (found === undefined) return undefined
    label ??= found
  }
  return label
}

/** Returns a check for paths that any mount excludes. For operations that aren't routes of the app. */
export function exclusionOfAnyMount(
  route: Route,
  choices: readonly RouteSelection[],
): ShadowedBy | undefined {
  return exclusionCheck(
    partialMatches(
      choices.flatMap(({ exclude }) => exclude),
      route,
    ),
  )
}

function exclusionCheck(patterns: readonly RoutePattern[]): ShadowedBy | undefined {
  if (patterns.length === 0) return undefined
  return (path) => {
    const url = spelled(path)
    const found = patterns.find((pattern) => pattern.matchesUrl(url))
    return found && `excluded by "${found.source}"`
  }
}

/**
 * Returns the patterns that match only some paths of the route. A pattern that has a wildcard for every parameter
 * matches all paths or none. If none, its `:id` corresponds to a literal of the route, so it means another route.
 */
function partialMatches(
  patterns: readonly RoutePattern[],
  { method, template }: Route,
): readonly RoutePattern[] {
  if (parametersOf(template).length === 0) return []
  const path = spelled(placeholderPath(template.segments))
  return patterns.filter((pattern) => pattern.matchesMethod(method) && !pattern.matchesUrl(path))
}

/**
 * Returns one route for each address. In frameworks without an order, routes with one address differ only in a trailing
 * slash: the marked one counts, else the first.
 */
function routeByAddress(routes: readonly Route[]): Map<string, Route> {
  const first = new Map<string, Route>()
  for (const route of routes) {
    const known = first.get(addressOf(route))
    if (
      known === undefined ||
      (!isOrdered(route) && known.marker === undefined && route.marker !== undefined)
    ) {
      first.set(addressOf(route), route)
    }
  }
  return first
}

/**
 * Applies the matching entries of the option `tools`. They override the route's marker, but don't reveal hidden routes.
 */
export function withToolOptions(route: Route, choices: readonly RouteSelection[]): Route {
  const markers = choices
    .flatMap(({ tools }) => tools)
    .filter(({ pattern }) => matches(pattern, route.method, route.template))
    .map(({ marker }) => marker)
  return markers.length === 0 ? route : { ...route, marker: Object.assign({}, route.marker, ...markers) }
}

/** Returns the key of a route: its method, path and constraints. */
export function addressOf({ method, template, constraints }: Route): string {
  const path = template.text.length > 1 ? template.text.replace(/\/$/, '') : template.text
  const needed = Object.entries(constraints ?? {}).map(([name, value]) => ` ${name}: ${value}`)
  return `${method} ${path}${needed.join('')}`
}

/** Describes patterns that match no route, each with a suggestion. */
export function unmatchedPatterns(
  routes: readonly Route[],
  { include, exclude, tools }: RouteSelection,
): string[] {
  return [...include, ...exclude, ...tools.map(({ pattern }) => pattern)]
    .filter((pattern) => !routes.some(({ method, template }) => matches(pattern, method, template)))
    .map((pattern) => `the pattern "${pattern.source}" matches no route; ${hint(pattern, routes)}`)
}

function hint(pattern: RoutePattern, all: readonly Route[]): string {
  // Leaves out routes that can never be tools, such as the endpoint itself.
  const routes = all.filter(({ obstacle, method }) => obstacle === undefined && !neverTools.has(method))
  const others = routes.filter(({ template }) => pattern.matchesPath(template))
  if (others.length > 0) {
    const methods = [
      ...new Set(others.map(({ method }) => (method === 'ALL' ? 'every method' : method))),
    ].join(', ')
    return pattern.methods === undefined
      ? `its path has routes for ${methods}; a pattern without a method means GET`
      : `its path has routes for ${methods}, not for ${pattern.methods}`
  }
  const paths = [...new Set(routes.map(({ template }) => template.text))]
  const near = nearest(pattern.path, paths) ?? closest(pattern.path, paths)
  return near === undefined ? noRoutes : `the nearest path is ${near}`
}

/** An app may also use another router, or handle requests in middleware. */
const noRoutes =
  "the app shows no routes: it has none, or they are in a router that can't be read; for those, use `addOpenApi(router, document, { app })`"

/** Returns the path with the longest common prefix. */
function closest(path: string, paths: readonly string[]): string | undefined {
  const shared = (other: string): number => {
    let length = 0
    while (length < path.length && path[length] === other[length]) length += 1
    return length
  }
  return paths.toSorted((a, b) => shared(b) - shared(a))[0]
}

type Rule = (route: Route, choices: readonly RouteSelection[]) => string | undefined

/** Rules in order. The first one that returns a reason excludes the route. */
const rules: readonly Rule[] = [
  ({ obstacle }) => obstacle,
  ({ method }) => (neverTools.has(method) ? `${method} is never a tool` : undefined),
  ({ method }) =>
    method === 'ALL'
      ? 'it handles every method; declare one route for each method that should be a tool'
      : undefined,
  ({ template }) => (isCatchAll(template) ? 'a catch-all' : undefined),
  (route) => (isHidden(route) ? 'hidden' : undefined),
  (route, choices) => {
    const found = choices.map((choice) => exclusionIn(choice, route))
    // Another mount that doesn't exclude it may still expose it.
    return found.includes(undefined) ? undefined : `excluded by "${found[0]?.source}"`
  },
  (route, choices) => {
    if (route.marker !== undefined || choices.some((choice) => isIncludedBy(route, choice))) return undefined
    return 'neither marked nor included'
  },
]

/** Whether the route, or a marker in front of it, says `hidden`. */
export function isHidden({ marker, schema, markersInFront = [] }: Route): boolean {
  return [marker, schema, ...markersInFront].some((one) => one?.hidden === true)
}

const neverTools: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'TRACE', 'CONNECT'])

function exclusionIn({ exclude }: RouteSelection, { method, template }: Route): RoutePattern | undefined {
  return exclude.find((one) => matches(one, method, template))
}

/** Returns why operations of a document must not reach a route of the app. */
export function exclusionReason(route: Route, choices: readonly RouteSelection[]): string | undefined {
  if (isHidden(route)) return 'hidden'
  const [found] = choices.flatMap((choice) => exclusionIn(choice, route) ?? [])
  return found && `excluded by "${found.source}"`
}

function isIncludedBy(route: Route, choice: RouteSelection): boolean {
  const { method, template } = route
  return (
    choice.include.some((one) => matches(one, method, template)) && exclusionIn(choice, route) === undefined
  )
}

function isExposedBy(route: Route, choice: RouteSelection): boolean {
  return (
    isIncludedBy(route, choice) || (route.marker !== undefined && exclusionIn(choice, route) === undefined)
  )
}

function reasonOf(route: Route, choices: readonly RouteSelection[]): string | undefined {
  for (const rule of rules) {
    const reason = rule(route, choices)
    if (reason !== undefined) return reason
  }
  return undefined
}
