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
  const copied: Record<string, unknown> = {}
  for (const key of Object.keys(given)) {
    const inner = (given as Record<string, unknown>)[key]
    if (!isLeftOut(inner)) set(copied, key, copy(inner, depth + 1))
  }
  return copied
}

/** `__proto__` is a key like any other. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}
