/** Size budgets for schemas of tools. */

import type { JsonObject } from '../../schema/compiled.js'
import { isObject } from '../../support/values.js'

/** Limits for one schema. */
export interface Budget {
  /** Maximum depth, with references followed. */
  readonly depth: number
  /** Maximum number of schema objects. */
  readonly nodes: number
  /** Approximate maximum size in characters of JSON. */
  readonly bytes: number
  /** Whether references to larger schemas become shared `$defs`. Those that don't fit stay untyped. */
  readonly share: boolean
}

/** Returns budgets in order of preference: from the most readable for models to the smallest. */
export function budgetsFor(bytes: number): readonly Budget[] {
  return [
    { depth: 24, nodes: 400, bytes, share: false },
    ...[24, 5, 3, 2].map((depth) => ({ depth, nodes: 2_000, bytes: bytes * 0.9, share: true })),
  ]
}

const longestText = 2_000

/** Thrown if a schema exceeds its budget. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

/** Returns the approximate size in characters of JSON. */
export function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length
}

/** Returns the size of the keys in a map of schemas. */
export function namesIn(map: unknown): number {
  let size = 2
  if (isObject(map)) for (const name in map) size += name.length + 4
  return size
}

/** Whether a schema has subschemas, so that it is worth its own definition. */
export function isLarge(schema: JsonObject): boolean {
  return ['properties', 'items', 'allOf', 'anyOf', 'oneOf', 'additionalProperties'].some(
    (keyword) => isObject(schema[keyword]) || Array.isArray(schema[keyword]),
  )
}

/** Limits the length of a text in a schema. */
export function clipped(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text
}
