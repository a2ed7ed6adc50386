/** Copies a value as JSON would carry it, without the text in between. */

import type { Checked } from './compiled.js'

/** Deeper than any message that is let in; cycles end here too. */
const deepest = 200

/** The value with dates and the like as what they are in JSON, and without what JSON leaves out. Large texts are shared. */
export function copyAsJson(value: unknown): Checked {
  try {
    return { value: copy(value, 0) }
  } catch (error) {
    return { issues: [{ path: [], message: `cannot be written as JSON: ${(error as Error).message}` }] }
  }
}

function copy(given: unknown, depth: number): unknown {
  if (typeof given !== 'object' || given === null) return given
  if (depth > deepest) throw new RangeError(`it refers to itself, or is nested deeper than ${deepest} levels`)
  if (Array.isArray(given)) return given.map((item) => (isLeftOut(item) ? null : copy(item, depth + 1)))
  const { toJSON } = given as { toJSON?: unknown }
  if (typeof toJSON === 'function') return copy(toJSON.call(given), depth + 1)
  const entries = Object.entries(given).filter(([, inner]) => !isLeftOut(inner))
  return Object.fromEntries(entries.map(([key, inner]) => [key, copy(inner, depth + 1)])) // `__proto__` stays a key
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}
