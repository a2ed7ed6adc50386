/** Tests whether layers of an Express router match a path, with the layers' own matchers. */

import type { Segment } from '../../src/internal.js'
import { flattenPaths, type Layer } from './routes-paths.js'

/** Whether a layer matches this path. */
export function matchesPath(layer: Layer, path: string): boolean {
  return matchedPart(layer, path) !== undefined
}

/** Returns the path behind a mount, as the mounted handler sees it. `undefined`: the mount doesn't match. */
export function pathBehind(layer: Layer, path: string): string | undefined {
  const part = matchedPart(layer, path)
  if (part === undefined || !path.startsWith(part)) return undefined
  const rest = path.slice(part.length)
  return rest.startsWith('/') ? rest : rest === '' || part.endsWith('/') ? `/${rest}` : undefined
}

/** Returns the part of a path that a layer matches. `undefined`: no match. */
function matchedPart({ slash, regexp, matchers = [], route }: Layer, path: string): string | undefined {
  if (slash === true || regexp?.fast_slash === true) return ''
  if (regexp?.fast_star === true) return path
  const expressions = [regexp, ...flattenPaths(route?.path)].filter((one) => one instanceof RegExp)
  return withLastIndexRestored(expressions, () => {
    if (regexp !== undefined) return regexp.exec(path)?.[0]
    const [found] = matchers.flatMap((match) => match(path) || [])
    return found && (found.path ?? path)
  })
}

/**
 * Matches without changing `lastIndex` of the app's own expressions: stateful flags (`g`, `y`) would affect later
 * requests.
 */
function withLastIndexRestored<Result>(
  expressions: readonly RegExp[],
  match: () => Result,
): Result | undefined {
  const before = expressions.map(({ lastIndex }) => lastIndex)
  for (const expression of expressions) expression.lastIndex = 0
  try {
    return match()
  } catch {
    return undefined // a value that can't be decoded
  } finally {
    for (const [index, expression] of expressions.entries()) expression.lastIndex = before[index] ?? 0
  }
}

/** Creates a layer for a prefix of `routes.apps`, which has no layer of its own. */
export function layerForPrefix(prefix: readonly Segment[]): Layer {
  const source = prefix.map((segment) => `/${segment.map(sourceOf).join('')}`).join('')
  return { handle: undefined, slash: prefix.length === 0, regexp: new RegExp(`^${source}(?=/|$)`, 'i') }
}

function sourceOf(part: Segment[number]): string {
  return part.kind === 'literal' ? part.text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&') : '[^/]+'
}
