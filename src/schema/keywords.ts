/** What the keywords of JSON Schema hold: for every walk over a schema, and whoever looks whether it is one. */

import { isObject } from '../support/values.js'
import type { JsonObject } from './compiled.js'

/** The types of JSON Schema. */
export const jsonTypes: ReadonlySet<unknown> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
])

/** What a keyword holds: one schema, a list of them, or a map of them by name. */
export type Holding = 'schema' | 'list' | 'map' | 'schema or list'

/** Draft-07 and 2020-12 together. What is not here holds data, and `$ref` inside data is no reference. */
export const holdings: ReadonlyMap<string, Holding> = new Map<string, Holding>([
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['dependentSchemas', 'map'],
  ['dependencies', 'map'],
  ['$defs', 'map'],
  ['definitions', 'map'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['prefixItems', 'list'],
  ['items', 'schema or list'],
  ['additionalItems', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['contains', 'schema'],
  ['additionalProperties', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['contentSchema', 'schema'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
])

/** A schema directly inside another, and the steps that lead to it: `['properties', 'id']`, `['not']`. */
export interface Subschema {
  readonly steps: readonly string[]
  readonly schema: unknown
}

/** The schemas directly inside this one, booleans included. */
export function subschemas(schema: JsonObject): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, held]) => {
    const holding = holdings.get(keyword)
    if (holding === undefined) return []
    if (holding === 'schema' || !holdsMany(holding, held)) return [{ steps: [keyword], schema: held }]
    const inner = Object.entries(held).map(([key, schema]) => ({ steps: [keyword, key], schema }))
    // `dependencies` may list names instead.
    return keyword === 'dependencies' ? inner.filter(({ schema }) => !Array.isArray(schema)) : inner
  })
}

/**
 * A copy of this schema in which each schema object directly inside it is replaced by what `change` makes of it.
 * `property`: the name of the property it describes, if it describes one.
 */
export function mapSubschemas(
  schema: JsonObject,
  change: (inner: JsonObject, property?: string) => unknown,
): JsonObject {
  const apply = (inner: unknown, property?: string) => (isObject(inner) ? change(inner, property) : inner)
  const entries = Object.entries(schema).map(([keyword, held]) => {
    const holding = holdings.get(keyword)
    if (holding === undefined) return [keyword, held]
    if (holding === 'schema' || !holdsMany(holding, held)) return [keyword, apply(held)]
    if (Array.isArray(held)) return [keyword, held.map((inner) => apply(inner))]
    const named = keyword === 'properties'
    const inside = Object.entries(held).map(([key, inner]) => [key, apply(inner, named ? key : undefined)])
    return [keyword, Object.fromEntries(inside)]
  })
  return Object.fromEntries(entries)
}

/** Draft-07 writes tuples as `items` and `additionalItems`. What is published is 2020-12. */
export function withPrefixItems(schema: JsonObject): JsonObject {
  if (!Array.isArray(schema.items)) return schema
  const { items: prefixItems, additionalItems, ...rest } = schema
  return additionalItems === undefined
    ? { ...rest, prefixItems }
    : { ...rest, prefixItems, items: additionalItems }
}

/** Whether it can be a `pattern`: Ajv compiles them with the flag `u`, and so must we. */
export function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}

/** What a local reference (`#`, `#/$defs/Task`) points at; `undefined` when it leads nowhere. */
export function resolveLocal(root: JsonObject, ref: string): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of ref.slice(2).split('/')) {
    const key = decodeStep(step)
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as JsonObject)[key]
  }
  return at
}

function holdsMany(holding: Holding, held: unknown): held is object {
  return holding === 'map' ? isObject(held) : Array.isArray(held)
}

/** Undoes percent-encoding, then the escapes of RFC 6901. */
function decodeStep(step: string): string {
  return decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone percent sign is meant as it is
  }
}
