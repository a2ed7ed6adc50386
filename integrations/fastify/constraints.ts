/** Constraints of Fastify's routes: what a request must say besides method and path. */

import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Route } from '../../src/route-adapter.js'
import { toolCallOf } from '../node/inject/tool-call.js'
import type { FastifyApp, RouteOptions } from './routes-discovery.js'

type Constraints = NonNullable<RouteOptions['constraints']>

/** What Fastify's own strategies look at. */
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
    accepts: strategies.length > 0 ? undefined : (sent) => takes(host, headers, sent),
    obstacle: obstacleOf(host, strategies),
  }
}

/** Of a host by pattern: whether the caller is there. Of the rest: whether it is what the route asks for. */
function takes(
  host: unknown,
  asked: Readonly<Record<string, string>>,
  sent: Readonly<Record<string, string>>,
): boolean {
  const fits = !(host instanceof RegExp) || host.test(sent.host ?? '')
  return fits && Object.entries(asked).every(([name, value]) => sent[name] === value)
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

const refusals = new WeakSet<object>()

/** Whether it is one of ours. */
export function isRefusal(hook: unknown): boolean {
  return typeof hook === 'function' && refusals.has(hook)
}

/** The first hook of a route with constraints: it refuses tool calls that were meant for another one. */
export function refusal(options: RouteOptions, label: string): onRequestHookHandler {
  const refuse = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const meant = toolCallOf(request.raw)?.identity
    if (meant === undefined || meant === options) done()
    else reply.code(421).send({ message: `this would reach another route, ${label}; nothing was done` })
  }
  refusals.add(refuse)
  return refuse
}
