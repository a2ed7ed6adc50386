/** `Mcp-Param-*`: headers that repeat arguments annotated with `x-mcp-header` (2026-07-28, digest 4.2). */

import type { MirroredParameter } from '../schema/mirrored-parameters.js'
import { type HeaderLookup, mismatch } from './envelope.js'
import { matchesHeader } from './header-value.js'

/** Throws -32020 where header and argument disagree, or one of them is missing. */
export function checkMirroredParameters(
  parameters: readonly MirroredParameter[],
  args: Record<string, unknown>,
  lookup: HeaderLookup,
): void {
  for (const { header, path } of parameters) {
    const raw = lookup(header)
    const value = valueAt(args, path)
    const name = path.join('.')
    if (value === undefined || value === null) {
      // Refused rather than ignored: a proxy may have routed on it.
      if (raw !== undefined) throw mismatch(`${header} is there, but the argument ${name} is not`)
    } else if (raw === undefined) {
      throw mismatch(`expected the header ${header}, which repeats the argument ${name}`)
    } else if (!matchesHeader(value, raw)) {
      throw mismatch(`${header} does not say what the argument ${name} says`)
    }
  }
}

function valueAt(args: Record<string, unknown>, path: readonly string[]): unknown {
  let value: unknown = args
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
