/** Whether layers of an Express router take a finished path, as their own matchers say. */

import type { Segment } from '../../src/internal.js'
import { flat, type Layer } from './routes-paths.js'

/** Whether requests for this path pass a middleware, as its own matcher says. */
export function covers(layer: Layer, path: string): boolean {
  return partOf(layer, path) !== undefined
}

/** The path behind a mount, as what is mounted there gets it; `undefined`: it is not asked. */
export function restOf(layer: Layer, path: string): string | undefined {
  const part = partOf(layer, path)
  if (part === undefined || !path.startsWith(part)) return undefined
  const rest = path.slice(part.length)
  return rest.startsWith('/') ? rest : rest === '' || part.endsWith('/') ? `/${rest}` : undefined
}

/** What a layer takes off a path; `undefined`: it does not fit. */
function partOf({ slash, regexp, matchers = [], route }: Layer, path: string): string | undefined {
  if (slash === true || regexp?.fast_slash === true) return ''
  if (regexp?.fast_star === true) return path
  const expressions = [regexp, ...flat(route?.path)].filter((one) => one instanceof RegExp)
  return unchanged(expressions, () => {
    if (regexp !== undefined) return regexp.exec(path)?.[0]
    const [found] = matchers.flatMap((match) => match(path) || [])
    return found && (found.path ?? path)
  })
}

/** Expressions of the app's own may remember where they were: that is not ours to change. */
function unchanged<Result>(expressions: readonly RegExp[], look: () => Result): Result | undefined {
  const before = expressions.map(({ lastIndex }) => lastIndex)
  for (const expression of expressions) expression.lastIndex = 0
  try {
    return look()
  } catch {
    return undefined // a value that cannot be decoded
  } finally {
    for (const [index, expression] of expressions.entries()) expression.lastIndex = before[index] ?? 0
  }
}

/** As if something were mounted there: what was given by hand has no layer. */
export function layerAt(prefix: readonly Segment[]): Layer {
  const source = prefix.map((segment) => `/${segment.map(sourceOf).join('')}`).join('')
  return { handle: undefined, slash: prefix.length === 0, regexp: new RegExp(`^${source}(?=/|$)`, 'i') }
}

function sourceOf(part: Segment[number]): string {
  return part.kind === 'literal' ? part.text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&') : '[^/]+'
}
