/**
 * Finds routes that were declared before the `onRoute` hook was added, by comparing the hook's routes with the
 * router's.
 */

import { type AnyRouteOptions, matches, parseFastify, parsePattern, toTemplate } from '../../src/internal.js'
import type { FastifyApp, SeenRoute } from './routes-discovery.js'

/**
 * Returns missed routes that may have been meant as tools, such as `GET /tasks`, in the spelling of `printRoutes()`.
 * Leaves out routes of other scopes as far as their prefix shows that: see `isOwnScope`. `seen`: routes seen by all
 * mounts of the server.
 */
export function missedRoutes(
  app: FastifyApp,
  seen: readonly SeenRoute[],
  { exclude = [] }: AnyRouteOptions = {},
): string[] {
  const known = new Set(seen.flatMap(({ options }) => spellings(options)))
  const unwanted = exclude.map((source) => parsePattern(source, '*'))
  const missed = parsePrinted(app.printRoutes()).filter(({ method, url }) => {
    if (neverTools.has(method) || url.endsWith('*') || known.has(`${method} ${shapeOf(url)}`)) return false
    if (!`${url}/`.startsWith(`${app.prefix.replace(/\/$/, '')}/`)) return false
    // `printRoutes()` is meant for people, so let the router confirm the route.
    if (app.hasRoute?.({ method, url: url.replace(/:(?![\w])/g, '::') }) !== true) return false
    const template = templateOf(url)
    return template === undefined || !unwanted.some((pattern) => matches(pattern, method, template))
  })
  return [...new Set(missed.map(({ method, url }) => `${method} ${url}`))]
}

/** Whether the instance is the root app, so that all routes of its router belong to it. */
export function isRoot(app: FastifyApp): boolean {
  return !('printRoutes' in Object.getPrototypeOf(app))
}

/**
 * Whether all routes below the prefix belong to this scope. Routes of a scope without a prefix look like its
 * neighbours'.
 */
export function isOwnScope(app: FastifyApp): boolean {
  return isRoot(app) || app.prefix !== ''
}

const neverTools: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'TRACE'])

function templateOf(url: string): ReturnType<typeof toTemplate> | undefined {
  try {
    return toTemplate(parseFastify(url))
  } catch {
    return undefined // no pattern can match it
  }
}

function spellings({ method, url }: SeenRoute['options']): string[] {
  const plain = url.replaceAll('::', ':')
  const [, without] = /^(.*)\/:[^/?]+(?:\(.*\))?\?$/.exec(plain) ?? []
  const urls = without === undefined ? [plain] : [plain.slice(0, -1), without === '' ? '/' : without]
  // The index route of a prefix matches both `/v1` and `/v1/`.
  const both = urls.flatMap((one) => [one, one.endsWith('/') ? one.slice(0, -1) : `${one}/`])
  return [method].flat().flatMap((name) => both.map((one) => `${name} ${shapeOf(one)}`))
}

/** Removes parameter names: the router keeps only one of two routes that differ in nothing else. */
function shapeOf(url: string): string {
  return url.replace(/:[^/().:-]+/g, ':')
}

/**
 * Returns the first name of each parameter: the router prints parameters with different names together, as
 * `:id|:name`.
 */
function firstName(fragment: string): string {
  return fragment
    .split('/')
    .map((segment) => {
      const [first = '', ...others] = segment.split(/\|(?=:)/)
      return others.every((other) => shapeOf(other) === shapeOf(first)) ? first : segment
    })
    .join('/')
}

interface PrintedRoute {
  readonly method: string
  readonly url: string
}

/** Parses a tree of path fragments, indented by four columns per level: `├── tasks (GET, POST)`. */
function parsePrinted(text: string): PrintedRoute[] {
  const found: PrintedRoute[] = []
  const fragments: string[] = []
  for (const line of text.split('\n')) {
    const node = /^((?:│ {3}| {4})*)[├└]── (.*)$/.exec(line)
    if (node === null) continue
    const depth = (node[1] ?? '').length / 4
    const [, fragment = '', methods = ''] = /^(.*?)(?: \(([A-Z, -]+)\).*)?$/.exec(node[2] ?? '') ?? []
    fragments.length = depth
    fragments.push(firstName(fragment))
    const url = fragments.join('')
    for (const method of methods.split(', ')) if (method !== '') found.push({ method, url })
  }
  return found
}
