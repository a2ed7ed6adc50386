/** Finds routes that were declared before our hook was there: compares what it saw with what the router has. */

import type { FastifyApp, Seen } from './routes-discovery.js'

/** `GET /tasks`, as `printRoutes()` spells it; a HEAD that Fastify adds to a GET is left out. */
export function missedRoutes(app: FastifyApp, seen: readonly Seen[]): string[] {
  const known = new Set(seen.flatMap(({ options }) => spellings(options)))
  const missed = printed(app.printRoutes()).filter(({ method, url }) => {
    if (method === 'HEAD' || method === 'OPTIONS' || known.has(`${method} ${url}`)) return false
    // The text is for people. What it says counts where the router itself agrees.
    return app.hasRoute?.({ method, url: url.replace(/:(?![\w])/g, '::') }) === true
  })
  return [...new Set(missed.map(({ method, url }) => `${method} ${url}`))]
}

function spellings({ method, url }: Seen['options']): string[] {
  const plain = url.replaceAll('::', ':')
  const [, without] = /^(.*)\/:[^/?]+(?:\(.*\))?\?$/.exec(plain) ?? []
  const urls = without === undefined ? [plain] : [plain.slice(0, -1), without === '' ? '/' : without]
  // Below a prefix, `/` is both `/v1` and `/v1/`.
  const both = urls.flatMap((one) => [one, one.endsWith('/') ? one.slice(0, -1) : `${one}/`])
  return [method].flat().flatMap((name) => both.map((one) => `${name} ${one}`))
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
    fragments.push(fragment)
    const url = fragments.join('')
    for (const method of methods.split(', ')) if (method !== '') found.push({ method, url })
  }
  return found
}
