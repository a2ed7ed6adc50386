/** Constraints of Fastify's routes: conditions on a request besides method and path. */

import type { Route } from '../../src/internal.js'
import type { FastifyApp, RouteOptions } from './routes-discovery.js'

export type Constraints = NonNullable<RouteOptions['constraints']>

/** Headers of a request. */
export type SentHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Names of Fastify's own constraint strategies. */
const builtInStrategies: ReadonlySet<string> = new Set(['version', 'host'])

/** Converts a route's constraints. `strategies`: names of the app's custom strategies, whose conditions are unknown. */
export function readConstraints(
  constraints: Constraints = {},
  strategies: readonly string[] = [],
): Pick<Route, 'constraints' | 'headers' | 'accepts' | 'obstacle'> {
  const names = Object.keys(constraints)
  if (names.length === 0) return {}
  const { version, host } = constraints
  const headers: Record<string, string> = {}
  if (typeof version === 'string') headers['accept-version'] = wholeVersion(version)
  if (typeof host === 'string') headers.host = host
  return {
    constraints: Object.fromEntries(names.map((name) => [name, textOf(constraints[name])])),
    headers,
    accepts: strategies.length > 0 ? undefined : (sent) => matchesConstraints(constraints, sent),
    obstacle: obstacleOf(host, strategies),
  }
}

/** Whether Fastify may route a request with these headers to a route with these constraints. */
export function matchesConstraints({ version, host }: Constraints, sent: SentHeaders): boolean {
  return matchesVersion(version, sent['accept-version']) && matchesHost(host, String(sent.host))
}

/** Whether a version matches. A request may also ask for a range, such as `1.x` or `*`, which may match any version. */
export function matchesVersion(version: unknown, sent: SentHeaders[string]): boolean {
  if (typeof version !== 'string') return true
  if (typeof sent !== 'string') return false
  return /^\d+\.\d+\.\d+$/.test(sent) ? sent === wholeVersion(version) : true
}

export function matchesHost(host: unknown, sent: string): boolean {
  if (typeof host === 'string') return sent === host
  // Without `g` and `y`: the app's own expression would change its `lastIndex`.
  return !(host instanceof RegExp) || new RegExp(host, host.flags.replace(/[gy]/g, '')).test(sent)
}

function obstacleOf(host: unknown, [own]: readonly string[]): string | undefined {
  if (own !== undefined) {
    return `its constraint \`${own}\` uses a custom strategy of the app, so the values that a request needs are unknown`
  }
  if (!(host instanceof RegExp) || !/[gy]/.test(host.flags)) return undefined
  return `its host is ${host}, whose flags \`g\` and \`y\` make it match only some requests; remove those flags`
}

/** Completes a version, as Fastify does: `2` means exactly `2.0.0`. */
function wholeVersion(version: string): string {
  const numbers = version.split('.', 3).map((part) => Number(part) || 0)
  return [0, 1, 2].map((at) => numbers[at] ?? 0).join('.')
}

function textOf(value: unknown): string {
  if (typeof value === 'string' || value instanceof RegExp) return String(value)
  return JSON.stringify(value) ?? String(value)
}

const customByServer = new WeakMap<object, Map<string, boolean>>()

/**
 * Returns the names of a route's constraints that use custom strategies. Call this before the route is declared: a
 * custom strategy may have the name of a built-in one, but it exists before any route uses it.
 */
export function customStrategies(app: FastifyApp, constraints: Constraints = {}): string[] {
  const ofServer = customByServer.get(app.server) ?? new Map<string, boolean>()
  customByServer.set(app.server, ofServer)
  return Object.keys(constraints).filter((name) => {
    if (!builtInStrategies.has(name)) return true
    const isOwn =
      ofServer.get(name) ?? (app.hasConstraintStrategy(name) && !app.printRoutes().includes(`"${name}":`))
    ofServer.set(name, isOwn)
    return isOwn
  })
}
