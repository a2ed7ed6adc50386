/** Finds routes that were declared before our hook was there: compares what it saw with what the router has. */

import { type AnyRouteOptions, matches, parseFastify, parsePattern, toTemplate } from '../../src/internal.js'
import type { FastifyApp, Seen } from './routes-discovery.js'

/**
 * Those that may have been meant as tools, `GET /tasks`, as `printRoutes()` spells it. Not those of other scopes, as far
 * as the prefix tells: see `isOwnScope`. `seen`: by the mounts of the whole server.
 */
export function missedRoutes(
  app: FastifyApp,
  seen: readonly Seen[],
  { exclude = [] }: AnyRouteOptions = {},
): string[] {
  const known = new Set(seen.flatMap(({ options }) => spellings(options)))
  const unwanted = exclude.map((source) => parsePattern(source, '*'))
  const missed = printed(app.printRoutes()).filter(({ method, url }) => {
    if (neverTools.has(method) || url.endsWith('*') || known.has(`${method} ${shapeOf(url)}`)) return false
    if (!`${url}/`.startsWith(`${app.prefix.replace(/\/$/, '')}/`)) return false
    // The text is for people. What it says counts where the router itself agrees.
    if (app.hasRoute?.({ method, url: url.replace(/:(?![\w])/g, '::') }) !== true) return false
    const template = templateOf(url)
    return template === undefined || !unwanted.some((pattern) => matches(pattern, method, template))
  })
  return [...new Set(missed.map(({ method, url }) => `${method} ${url}`))]
}

/** Nothing stands around it: whatever its router has is below it. */
export function isRoot(app: FastifyApp): boolean {
  return !('printRoutes' in Object.getPrototypeOf(app))
}

/** Whether what its prefix covers is its own: without one a scope cannot be told from its neighbours. */
export function isOwnScope(app: FastifyApp): boolean {
  return isRoot(app) || app.prefix !== ''
}

const neverTools: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'TRACE'])

function templateOf(url: string): ReturnType<typeof toTemplate> | undefined {
  try {
    return toTemplate(parseFastify(url))
  } catch {
    return undefined // no pattern can name it
  }
}

function spellings({ method, url }: Seen['options']): string[] {
  const plain = url.replaceAll('::', ':')
  const [, without] = /^(.*)\/:[^/?]+(?:\(.*\))?\?$/.exec(plain) ?? []
  const urls = without === undefined ? [plain] : [plain.slice(0, -1), without === '' ? '/' : without]
  // Below a prefix, `/` is both `/v1` and `/v1/`.
  const both = urls.flatMap((one) => [one, one.endsWith('/') ? one.slice(0, -1) : `${one}/`])
  return [method].flat().flatMap((name) => both.map((one) => `${name} ${shapeOf(one)}`))
}

/** Without the names of parameters: of two routes that differ in them alone the router keeps one. */
function shapeOf(url: string): string {
  return url.replace(/:[^/().:-]+/g, ':')
}

/** Where routes name one parameter differently they are printed together: `:id|:name`. The first of them. */
function firstName(fragment: string): string {
  return fragment
    .split('/')
    .map((segment) => {
      const [first = '', ...others] = segment.split(/\|(?=:)/)
      return others.every((other) => shapeOf(other) === shapeOf(first)) ? first : segment
    })
    .join('/')
}

interface Printed {
  readonly method: string
  readonly url: string
}

/** A tree of path fragments, four columns a level: `├── tasks (GET, POST)`. */
function printed(text: string): Printed[] {
  const found: Printed[] = []
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
