/** Which routes are tools. Nothing by accident: what nobody marked or named is none, and says why. */

import { nearest } from '../../support/nearest.js'
import type { ShadowedBy } from '../request/shadowed-by.js'
import { labelOf, type PatternRoute, type Route, type RouteMarker } from '../route.js'
import type { AnyRouteOptions } from '../route-options.js'
import { isCatchAll, parametersOf, placeholderPath, samplePath } from './path-template.js'
import { matches, parsePattern, type RoutePattern, spelled } from './patterns.js'
import { patternOver } from './route-conflicts.js'
import { coveredBy, isOrdered } from './route-precedence.js'

/** One mount's wishes, read once. */
export interface RouteSelection {
  readonly include: readonly RoutePattern[]
  readonly exclude: readonly RoutePattern[]
  /** What `tools` says of the routes of each pattern. */
  readonly tools: readonly { readonly pattern: RoutePattern; readonly marker: RouteMarker }[]
}

export interface SelectedRoute {
  readonly route: Route
  /** Why it is no tool; `undefined`: it is one. */
  readonly reason: string | undefined
  /** What its calls would reach instead. */
  readonly shadowedBy?: ShadowedRoute | undefined
}

interface ShadowedRoute {
  /** Nothing where only its router knows that one. */
  readonly route?: Route | undefined
  /** It is asked first. */
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

/** In the order of the routes. Of several that take the same requests the one counts that is asked. */
export function selectRoutes(
  routes: readonly Route[],
  choices: readonly RouteSelection[],
  patterns: readonly PatternRoute[] = [],
): SelectedRoute[] {
  const chosen = oneOfEach(routes)
  const covering = coveredBy(routes)
  const taken = (label: string): string => `another route has its address, ${label}`
  return routes.map((route, at) => {
    const reason = reasonOf(route, choices)
    if (reason !== undefined) return { route, reason }
    const instead = route.shadowedBy?.(samplePath(route.template.segments))
    if (instead !== undefined) {
      return { route, reason: `its router is exclusive: ${instead} is asked in its place`, shadowedBy: {} }
    }
    const pattern = patternOver(route, at, patterns)
    if (pattern !== undefined) return { route, reason: taken(pattern), shadowedBy: { isFirst: true } }
    const taker = covering(route) ?? (chosen.get(addressOf(route)) as Route) // every address has one
    return taker === route
      ? { route, reason }
      : { route, reason: taken(labelOf(taker)), shadowedBy: { route: taker, isFirst: true } }
  })
}

/**
 * Takes finished paths that the mounts exclude: parameters can spell the address of an excluded route. Of several mounts
 * one that shows the route may allow what another excludes.
 */
export function exclusionsOf(route: Route, choices: readonly RouteSelection[]): readonly ShadowedBy[] {
  const takers = choices
    .filter((choice) => shownBy(route, choice))
    .map(({ exclude }) => excluding(reachable(exclude, route)))
  if (takers.length === 0 || takers.includes(undefined)) return []
  return [(path, headers) => allOf(takers as readonly ShadowedBy[], path, headers)] // checked
}

/** The first label, if every one takes it. */
function allOf(takers: readonly ShadowedBy[], ...given: Parameters<ShadowedBy>): string | undefined {
  let label: string | undefined
  for (const take of takers) {
    const taken = take(...given)
    if (taken === undefined) return undefined
    label ??= taken
  }
  return label
}

/** The same for those that mean none of the app's routes: what any mount excludes is out of their reach. */
export function anyExclusionOf(route: Route, choices: readonly RouteSelection[]): ShadowedBy | undefined {
  return excluding(
    reachable(
      choices.flatMap(({ exclude }) => exclude),
      route,
    ),
  )
}

function excluding(patterns: readonly RoutePattern[]): ShadowedBy | undefined {
  if (patterns.length === 0) return undefined
  return (path) => {
    const url = spelled(path)
    const found = patterns.find((pattern) => pattern.matchesUrl(url))
    return found && `excluded by "${found.source}"`
  }
}

/**
 * The patterns that some paths of the route fit. One with a wildcard wherever the route has a parameter fits all of them or
 * none, so that it doesn't mean the route: its `:id` stands where the route has a literal.
 */
function reachable(patterns: readonly RoutePattern[], { method, template }: Route): readonly RoutePattern[] {
  if (parametersOf(template).length === 0) return []
  const path = spelled(placeholderPath(template.segments))
  return patterns.filter((pattern) => pattern.matchesMethod(method) && !pattern.matchesUrl(path))
}

/** By address. Where routes have no order, no two can have one but for the slash at the end: the marked one, else the first. */
function oneOfEach(routes: readonly Route[]): Map<string, Route> {
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

/** The route with what `tools` of the mounts says of it: that wins over its own marker, but shows nothing that is hidden. */
export function configured(route: Route, choices: readonly RouteSelection[]): Route {
  const said = choices
    .flatMap(({ tools }) => tools)
    .filter(({ pattern }) => matches(pattern, route.method, route.template))
    .map(({ marker }) => marker)
  return said.length === 0 ? route : { ...route, marker: Object.assign({}, route.marker, ...said) }
}

/** What a request must say to reach it. */
export function addressOf({ method, template, constraints }: Route): string {
  const path = template.text.length > 1 ? template.text.replace(/\/$/, '') : template.text
  const needed = Object.entries(constraints ?? {}).map(([name, value]) => ` ${name}: ${value}`)
  return `${method} ${path}${needed.join('')}`
}

/** Patterns that chose nothing, each with what was probably meant. */
export function idlePatterns(
  routes: readonly Route[],
  { include, exclude, tools }: RouteSelection,
): string[] {
  return [...include, ...exclude, ...tools.map(({ pattern }) => pattern)]
    .filter((pattern) => !routes.some(({ method, template }) => matches(pattern, method, template)))
    .map((pattern) => `the pattern "${pattern.source}" matches no route; ${hint(pattern, routes)}`)
}

function hint(pattern: RoutePattern, all: readonly Route[]): string {
  // The endpoint itself, and what is never a tool, is not what somebody looks for.
  const routes = all.filter(({ obstacle, method }) => obstacle === undefined && !never.has(method))
  const others = routes.filter(({ template }) => pattern.matchesPath(template))
  if (others.length > 0) {
    const methods = [
      ...new Set(others.map(({ method }) => (method === 'ALL' ? 'every method' : method))),
    ].join(', ')
    return pattern.methods === undefined
      ? `its path is there for ${methods}: without a method a pattern means GET`
      : `its path is there for ${methods}, not for ${pattern.methods}`
  }
  const paths = [...new Set(routes.map(({ template }) => template.text))]
  const near = nearest(pattern.path, paths) ?? closest(pattern.path, paths)
  return near === undefined ? noRoutes : `the nearest path is ${near}`
}

/** Routes of another kind cannot be seen: an app may have a router of its own, or answer in a middleware. */
const noRoutes =
  "the app shows no routes: it has none, or they are in a router that can't be read; `addOpenApi(router, document, { app })` makes tools of those"

/** The path that shares the longest beginning. */
function closest(path: string, paths: readonly string[]): string | undefined {
  const shared = (other: string): number => {
    let length = 0
    while (length < path.length && path[length] === other[length]) length += 1
    return length
  }
  return paths.toSorted((a, b) => shared(b) - shared(a))[0]
}

type Rule = (route: Route, choices: readonly RouteSelection[]) => string | undefined

/** The first that has something against a route tells the reason. */
const rules: readonly Rule[] = [
  ({ obstacle }) => obstacle,
  ({ method }) => (never.has(method) ? `${method} is never a tool` : undefined),
  ({ method }) =>
    method === 'ALL' ? 'it answers every method: declare one route for each that is to be a tool' : undefined,
  ({ template }) => (isCatchAll(template) ? 'a catch-all' : undefined),
  (route) => (isHidden(route) ? 'hidden' : undefined),
  (route, choices) => {
    const found = choices.map((choice) => exclusionIn(choice, route))
    // Of several mounts one that does not exclude it may still show it.
    return found.includes(undefined) ? undefined : `excluded by "${found[0]?.source}"`
  },
  (route, choices) => {
    if (route.marker !== undefined || choices.some((choice) => chosenBy(route, choice))) return undefined
    return 'neither marked nor included'
  },
]

/** Whether it, or what stands in front of it, says `hidden`. */
export function isHidden({ marker, schema, markersInFront = [] }: Route): boolean {
  return [marker, schema, ...markersInFront].some((one) => one?.hidden === true)
}

const never: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'TRACE', 'CONNECT'])

function exclusionIn({ exclude }: RouteSelection, { method, template }: Route): RoutePattern | undefined {
  return exclude.find((one) => matches(one, method, template))
}

/** Why a route of the app is out of reach of the operations of a document. */
export function barredBy(route: Route, choices: readonly RouteSelection[]): string | undefined {
  if (isHidden(route)) return 'hidden'
  const [found] = choices.flatMap((choice) => exclusionIn(choice, route) ?? [])
  return found && `excluded by "${found.source}"`
}

function chosenBy(route: Route, choice: RouteSelection): boolean {
  const { method, template } = route
  return (
    choice.include.some((one) => matches(one, method, template)) && exclusionIn(choice, route) === undefined
  )
}

function shownBy(route: Route, choice: RouteSelection): boolean {
  return chosenBy(route, choice) || (route.marker !== undefined && exclusionIn(choice, route) === undefined)
}

function reasonOf(route: Route, choices: readonly RouteSelection[]): string | undefined {
  for (const rule of rules) {
    const reason = rule(route, choices)
    if (reason !== undefined) return reason
  }
  return undefined
}
