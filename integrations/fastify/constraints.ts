/** Constraints of Fastify's routes: what a request must say besides method and path. */

import type { Route } from '../../src/internal.js'
import type { FastifyApp, RouteOptions } from './routes-discovery.js'

export type Constraints = NonNullable<RouteOptions['constraints']>

/** Headers of a request. */
export type Sent = Readonly<Record<string, string | readonly string[] | undefined>>

/** What Fastify's own strategies are called. */
const builtIn: ReadonlySet<string> = new Set(['version', 'host'])

/** `strategies`: names of those that are the app's own; nobody here knows what they look at. */
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
    accepts: strategies.length > 0 ? undefined : (sent) => fits(constraints, sent),
    obstacle: obstacleOf(host, strategies),
  }
}

/** Whether Fastify may give it a request with these headers. */
export function fits({ version, host }: Constraints, sent: Sent): boolean {
  return fitsVersion(version, sent['accept-version']) && fitsHost(host, String(sent.host))
}

/** A request may also ask for a range: `1.x`, `*`. */
export function fitsVersion(version: unknown, sent: Sent[string]): boolean {
  if (typeof version !== 'string') return true
  if (typeof sent !== 'string') return false
  return /^\d+\.\d+\.\d+$/.test(sent) ? sent === wholeVersion(version) : true
}

export function fitsHost(host: unknown, sent: string): boolean {
  if (typeof host === 'string') return sent === host
  // By `g` and `y` it would remember, and it is the app's.
  return !(host instanceof RegExp) || new RegExp(host, host.flags.replace(/[gy]/g, '')).test(sent)
}

function obstacleOf(host: unknown, [own]: readonly string[]): string | undefined {
  if (own !== undefined) {
    return `its constraint \`${own}\` is of a strategy of the app, and what a request must say for it nobody here can tell`
  }
  if (!(host instanceof RegExp) || !/[gy]/.test(host.flags)) return undefined
  return `its host is ${host}, which by its flags fits one request and not the next; leave them out`
}

/** `2` is known as `2.0.0` alone. */
function wholeVersion(version: string): string {
  const numbers = version.split('.', 3).map((part) => Number(part) || 0)
  return [0, 1, 2].map((at) => numbers[at] ?? 0).join('.')
}

function textOf(value: unknown): string {
  if (typeof value === 'string' || value instanceof RegExp) return String(value)
  return JSON.stringify(value) ?? String(value)
}

const known = new WeakMap<object, Map<string, boolean>>()

/**
 * Which constraints of a route, not yet declared, the app chooses by strategies of its own. A strategy of its own may
 * have the name of a built-in one: then it is there before any route asks for it.
 */
export function ownStrategies(app: FastifyApp, constraints: Constraints = {}): string[] {
  const ofServer = known.get(app.server) ?? new Map<string, boolean>()
  known.set(app.server, ofServer)
  return Object.keys(constraints).filter((name) => {
    if (!builtIn.has(name)) return true
    const isOwn =
      ofServer.get(name) ?? (app.hasConstraintStrategy(name) && !app.printRoutes().includes(`"${name}":`))
    ofServer.set(name, isOwn)
    return isOwn
  })
}
