/** How much of a schema fits a tool, and what its parts cost. */

import type { JsonObject } from '../../schema/compiled.js'
import { isObject } from '../../support/values.js'

/** How much of a schema is kept. */
export interface Budget {
  /** Levels, references followed. */
  readonly depth: number
  /** Schema objects. */
  readonly nodes: number
  /** Characters of JSON, about. */
  readonly bytes: number
  /** References to larger schemas become `$defs`, once each, and those that no longer fit stay untyped. */
  readonly share: boolean
}

/** From what models read best to what still fits, in so many characters. */
export function budgetsFor(bytes: number): readonly Budget[] {
  return [
    { depth: 24, nodes: 400, bytes, share: false },
    ...[24, 5, 3, 2].map((depth) => ({ depth, nodes: 2_000, bytes: bytes * 0.9, share: true })),
  ]
}

const longestText = 2_000

/** The budget was not enough. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

/** Characters of JSON, about. */
export function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length
}

/** The keys of a map of schemas are as long as they are. */
export function namesIn(held: unknown): number {
  let size = 2
  if (isObject(held)) for (const name in held) size += name.length + 4
  return size
}

/** Worth a definition of its own: it has parts. */
export function isLarge(schema: JsonObject): boolean {
  return ['properties', 'items', 'allOf', 'anyOf', 'oneOf', 'additionalProperties'].some(
    (keyword) => isObject(schema[keyword]) || Array.isArray(schema[keyword]),
  )
}

/** No text is as long as its author may have made it. */
export function clipped(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text
}
