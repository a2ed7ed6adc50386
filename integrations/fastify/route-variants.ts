/** Which of several routes of one method and path Fastify gives a request to: it follows from their constraints. */

import { labelText, mayMeet, type Template } from '../../src/internal.js'
import { type Constraints, fits, fitsHost, fitsVersion, readConstraints, type Sent } from './constraints.js'

/** One method of a route, as far as Fastify looks at it to choose. */
export interface RouteVariant {
  /** What the route is known by. */
  readonly route: object
  readonly method: string
  readonly template: Template
  readonly constraints: Constraints
  /** Names of those of its constraints whose strategies are the app's own. */
  readonly strategies: readonly string[]
}

/** What may get a request with these headers in the place of a route; `undefined`: the route gets it, or none. */
export type ShadowedByOf = (sent: Sent) => string | undefined

export interface Place {
  readonly takerOf: ShadowedByOf
  /** Why nobody here can tell which requests are for the route. */
  readonly obstacle: string | undefined
}

/** `spots`: all that the app has. Where none of them has constraints there is nothing to tell. */
export function placesIn(spots: readonly RouteVariant[]): (spot: RouteVariant) => Place | undefined {
  const constrained = spots.filter(({ constraints }) => Object.keys(constraints).length > 0)
  if (constrained.length === 0) return () => undefined
  const own = constrained.filter(({ strategies }) => strategies.length > 0)
  const hasVersions = constrained.some(({ constraints }) => constraints.version !== undefined)
  const sharing = byShape(spots)
  return (spot) => {
    const isOther = ({ route, method }: RouteVariant): boolean =>
      route !== spot.route && (method === spot.method || method === 'ALL')
    const neighbours = shapesOf(spot.template).flatMap((shape) => sharing.get(shape)?.filter(isOther) ?? [])
    const rival = own.find((other) => isOther(other) && mayMeet(other.template, spot.template))
    return { takerOf: takerAmong(neighbours, spot, hasVersions), obstacle: rival && untold(rival) }
  }
}

function takerAmong(
  neighbours: readonly RouteVariant[],
  { constraints }: RouteVariant,
  hasVersions: boolean,
): ShadowedByOf {
  const { version, host } = constraints
  const hosts = neighbours.map((other) => other.constraints.host)
  return (sent) => {
    const asked = sent['accept-version']
    // Once any route has a version, a request that asks for one reaches no route without one, nor the other way round.
    const asksElsewhere = hasVersions && version === undefined && asked !== undefined
    if (asksElsewhere || !fits(constraints, sent)) return 'or none'
    const takes = takerOfHost(host, hosts, String(sent.host))
    const taker = neighbours.find(
      ({ constraints: other }) =>
        (other.version === undefined) === (version === undefined) &&
        fitsVersion(other.version, asked) &&
        takes(other.host),
    )
    return taker && labelOf(taker)
  }
}

/** Which host constraints may take requests to the host `sent` from a route with the constraint `own`. */
function takerOfHost(own: unknown, others: readonly unknown[], sent: string): (other: unknown) => boolean {
  const found = others.filter((host) => host !== undefined && fitsHost(host, sent))
  // Fastify asks one of them alone: the one that is spelled out, else the first pattern.
  const isAsked = !(own instanceof RegExp) || found.length === 0
  // While it prepares them it tries patterns on the text of others, too.
  const texts = [sent, ...found.filter((host) => host instanceof RegExp).map(String)]
  return (other) => texts.some((text) => fitsHost(other, text)) && (!isAsked || rankOf(other) >= rankOf(own))
}

/** Of the hosts that fit, Fastify takes the one that is spelled out, and rather a pattern than none. */
function rankOf(host: unknown): number {
  if (host === undefined) return 0
  return host instanceof RegExp ? 1 : 2
}

function untold(rival: RouteVariant): string {
  return `its calls may be for ${labelOf(rival)} as well, by the strategy \`${rival.strategies[0]}\` of the app, and what that looks at nobody here can tell`
}

function labelOf({ method, template, constraints }: RouteVariant): string {
  return labelText(method, template.text, readConstraints(constraints).constraints)
}

function byShape(spots: readonly RouteVariant[]): Map<string, RouteVariant[]> {
  const found = new Map<string, RouteVariant[]>()
  for (const spot of spots) {
    for (const shape of shapesOf(spot.template)) found.set(shape, [...(found.get(shape) ?? []), spot])
  }
  return found
}

/** Its paths without the names of parameters: with the optional one, and without. */
function shapesOf({ segments }: Template): string[] {
  const parts = segments.filter((segment) => segment.length > 0)
  const last = parts.at(-1)?.[0]
  const texts = parts.map((segment) =>
    segment
      .map((part) => (part.kind === 'literal' ? part.text.toLowerCase() : `:(${part.pattern ?? ''})`))
      .join(''),
  )
  const isOptional = last?.kind === 'parameter' && last.optional
  return [texts, ...(isOptional ? [texts.slice(0, -1)] : [])].map((shape) => shape.join('/'))
}
