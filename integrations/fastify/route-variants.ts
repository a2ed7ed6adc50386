/** Determines, from their constraints, which of several routes with the same method and path gets a request. */

import { labelText, mayOverlap, type Template } from '../../src/internal.js'
import {
  type Constraints,
  matchesConstraints,
  matchesHost,
  matchesVersion,
  readConstraints,
  type SentHeaders,
} from './constraints.js'

/** One method of a route, with the properties by which Fastify selects routes. */
export interface RouteVariant {
  /** Identifies the route. */
  readonly route: object
  readonly method: string
  readonly template: Template
  readonly constraints: Constraints
  /** Names of its constraints that use custom strategies of the app. */
  readonly strategies: readonly string[]
}

/**
 * Returns the route that would get a request with these headers instead. `undefined`: this route gets it, or none
 * does.
 */
export type ShadowedByOf = (sent: SentHeaders) => string | undefined

export interface VariantPlace {
  readonly shadowedBy: ShadowedByOf
  /** The reason why it's unknown which requests reach the route. */
  readonly obstacle: string | undefined
}

/**
 * Prepares the lookup. `variants`: all routes of the app. If none of them has constraints, every lookup returns
 * `undefined`.
 */
export function createPlaceLookup(
  variants: readonly RouteVariant[],
): (variant: RouteVariant) => VariantPlace | undefined {
  const constrained = variants.filter(({ constraints }) => Object.keys(constraints).length > 0)
  if (constrained.length === 0) return () => undefined
  const withStrategies = constrained.filter(({ strategies }) => strategies.length > 0)
  const hasVersions = constrained.some(({ constraints }) => constraints.version !== undefined)
  const sharing = byShape(variants)
  return (variant) => {
    const isOther = ({ route, method }: RouteVariant): boolean =>
      route !== variant.route && (method === variant.method || method === 'ALL')
    const neighbours = shapesOf(variant.template).flatMap(
      (shape) => sharing.get(shape)?.filter(isOther) ?? [],
    )
    const conflicting = withStrategies.find(
      (other) => isOther(other) && mayOverlap(other.template, variant.template),
    )
    return {
      shadowedBy: shadowedByAmong(neighbours, variant, hasVersions),
      obstacle: conflicting && unknownConditions(conflicting),
    }
  }
}

function shadowedByAmong(
  neighbours: readonly RouteVariant[],
  { constraints }: RouteVariant,
  hasVersions: boolean,
): ShadowedByOf {
  const { version, host } = constraints
  const hosts = neighbours.map((other) => other.constraints.host)
  return (sent) => {
    const requested = sent['accept-version']
    // If any route has a version, a request with a version reaches only routes with one, and vice versa.
    const isExcluded = hasVersions && version === undefined && requested !== undefined
    if (isExcluded || !matchesConstraints(constraints, sent)) return 'or none'
    const wins = hostShadowTest(host, hosts, String(sent.host))
    const winner = neighbours.find(
      ({ constraints: other }) =>
        (other.version === undefined) === (version === undefined) &&
        matchesVersion(other.version, requested) &&
        wins(other.host),
    )
    return winner && labelOf(winner)
  }
}

/**
 * Returns a test for host constraints that may win requests for the host `sent` over a route with the constraint
 * `own`.
 */
function hostShadowTest(own: unknown, others: readonly unknown[], sent: string): (other: unknown) => boolean {
  const found = others.filter((host) => host !== undefined && matchesHost(host, sent))
  // Fastify selects only one matching host constraint: the literal one, else the first pattern.
  const isSelected = !(own instanceof RegExp) || found.length === 0
  // While Fastify adds constraints, it also tests patterns against the text of other constraints.
  const texts = [sent, ...found.filter((host) => host instanceof RegExp).map(String)]
  return (other) =>
    texts.some((text) => matchesHost(other, text)) &&
    (!isSelected || hostPrecedence(other) >= hostPrecedence(own))
}

/** Returns the precedence of a host constraint: Fastify prefers a literal host to a pattern, and a pattern to none. */
function hostPrecedence(host: unknown): number {
  if (host === undefined) return 0
  return host instanceof RegExp ? 1 : 2
}

function unknownConditions(conflicting: RouteVariant): string {
  return `its calls may also match ${labelOf(conflicting)}, which uses the custom strategy \`${conflicting.strategies[0]}\` of the app, whose conditions are unknown`
}

function labelOf({ method, template, constraints }: RouteVariant): string {
  return labelText(method, template.text, readConstraints(constraints).constraints)
}

function byShape(variants: readonly RouteVariant[]): Map<string, RouteVariant[]> {
  const found = new Map<string, RouteVariant[]>()
  for (const variant of variants) {
    for (const shape of shapesOf(variant.template)) found.set(shape, [...(found.get(shape) ?? []), variant])
  }
  return found
}

/** Returns the route's paths without parameter names: with and without an optional last parameter. */
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
