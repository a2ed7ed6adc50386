/** The subschemas of JSON Schema keywords, for traversing and validating schemas. */

import { isObject } from '../support/values.js'
import type { JsonObject } from './compiled.js'

/** The types in JSON Schema. */
export const jsonTypes: ReadonlySet<unknown> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
])

/** The value of a keyword: one schema, a list of schemas, or a map of schemas by name. */
export type SubschemaForm = 'schema' | 'list' | 'map' | 'schema or list'

/** Keywords with subschemas in draft-07 and 2020-12. Other keywords have data, in which `$ref` isn't a reference. */
export const subschemaKeywords: ReadonlyMap<string, SubschemaForm> = new Map<string, SubschemaForm>([
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

/** A direct subschema, with the keys that lead to it: `['properties', 'id']`, `['not']`. */
export interface Subschema {
  readonly steps: readonly string[]
  readonly schema: unknown
}

/** Returns the direct subschemas, including booleans. */
export function subschemas(schema: JsonObject): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const holding = subschemaKeywords.get(keyword)
    if (holding === undefined) return []
    if (holding === 'schema' || !hasMany(holding, value)) return [{ steps: [keyword], schema: value }]
    const inner = Object.entries(value).map(([key, schema]) => ({ steps: [keyword, key], schema }))
    // `dependencies` may also contain lists of names.
    return keyword === 'dependencies' ? inner.filter(({ schema }) => !Array.isArray(schema)) : inner
  })
}

/**
 * Returns a copy with each direct subschema object replaced by the result of `change`. `property`: the name of the
 * property that the subschema describes, if any.
 */
export function mapSubschemas(
  schema: JsonObject,
  change: (inner: JsonObject, property?: string) => unknown,
): JsonObject {
  const apply = (inner: unknown, property?: string) => (isObject(inner) ? change(inner, property) : inner)
  const entries = Object.entries(schema).map(([keyword, value]) => {
    const holding = subschemaKeywords.get(keyword)
    if (holding === undefined) return [keyword, value]
    if (holding === 'schema' || !hasMany(holding, value)) return [keyword, apply(value)]
    if (Array.isArray(value)) return [keyword, value.map((inner) => apply(inner))]
    const named = keyword === 'properties'
    const inside = Object.entries(value).map(([key, inner]) => [key, apply(inner, named ? key : undefined)])
    return [keyword, Object.fromEntries(inside)]
  })
  return Object.fromEntries(entries)
}

/** Rewrites tuples of draft-07 (`items` and `additionalItems`) to 2020-12, which is published. */
export function withPrefixItems(schema: JsonObject): JsonObject {
  if (!Array.isArray(schema.items)) return schema
  const { items: prefixItems, additionalItems, ...rest } = schema
  return additionalItems === undefined
    ? { ...rest, prefixItems }
    : { ...rest, prefixItems, items: additionalItems }
}

/** Whether a text is a valid `pattern`. Compiled with the flag `u`, as in Ajv. */
export function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}

/** Returns the target of a local reference (`#`, `#/$defs/Task`), or `undefined` if there is none. */
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

function hasMany(holding: SubschemaForm, value: unknown): value is object {
  return holding === 'map' ? isObject(value) : Array.isArray(value)
}

/** Decodes percent-encoding, then the escapes of RFC 6901. */
function decodeStep(step: string): string {
  return decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone percent sign is literal
  }
}
