/** Says which argument a client sent in the wrong form, where the form tells what the client did. */

import { isObject } from '../protocol/jsonrpc.js'
import type { Issue, JsonObject } from './compiled.js'
import { resolveLocal } from './keywords.js'

/** A longer text isn't parsed to see what it holds. Characters. */
const longestParsed = 100_000

/** The issues, with advice on arguments sent as JSON text, and on null for what may be left out. */
export function withHints(issues: readonly Issue[], schema: JsonObject, args: unknown): readonly Issue[] {
  return issues.map((issue) => {
    const hint = hintFor(issue.path, schema, args)
    return hint === undefined ? issue : { path: issue.path, message: `${issue.message}; ${hint}` }
  })
}

function hintFor(path: readonly PropertyKey[], schema: JsonObject, args: unknown): string | undefined {
  const value = path.reduce<unknown>((at, key) => own(at, key), args)
  if (value !== null && typeof value !== 'string') return undefined
  const place = path.reduce<readonly JsonObject[]>(
    (at, key) => inside(at, key, schema),
    expand(schema, schema),
  )
  if (place.length === 0) return undefined
  if (value === null)
    return isOptional(path, schema) && !takes(place, 'null') ? 'leave it out instead of null' : undefined
  const held = heldIn(value)
  if (held === undefined || takes(place, 'string') || !takes(place, held)) return undefined
  return `it is JSON text: send the ${held} itself, not a string`
}

/** What the JSON in a text is, if it is an object or an array. */
function heldIn(text: string): 'object' | 'array' | undefined {
  if (text.length > longestParsed || !/^\s*[[{]/.test(text)) return undefined
  try {
    return Array.isArray(JSON.parse(text)) ? 'array' : 'object'
  } catch {
    return undefined
  }
}

function own(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<PropertyKey, unknown>)[key]
}

function isOptional(path: readonly PropertyKey[], schema: JsonObject): boolean {
  const key = path.at(-1)
  if (typeof key !== 'string') return false
  const parents = path
    .slice(0, -1)
    .reduce<readonly JsonObject[]>((at, step) => inside(at, step, schema), expand(schema, schema))
  return !parents.some(({ required }) => Array.isArray(required) && required.includes(key))
}

/** The schemas of a member of what `places` describe. */
function inside(places: readonly JsonObject[], key: PropertyKey, root: JsonObject): readonly JsonObject[] {
  return places.flatMap(({ properties, items, prefixItems, additionalProperties }) => {
    if (typeof key === 'number')
      return expand((Array.isArray(prefixItems) ? prefixItems[key] : undefined) ?? items, root)
    const named = isObject(properties) ? own(properties, key) : undefined
    return expand(named ?? additionalProperties, root)
  })
}

/** A schema and all that it is put together from. */
function expand(schema: unknown, root: JsonObject, seen: Set<unknown> = new Set()): readonly JsonObject[] {
  if (!isObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const { $ref, anyOf, oneOf, allOf } = schema
  const parts = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
  if (typeof $ref === 'string') parts.push(resolveLocal(root, $ref))
  return [schema, ...parts.flatMap((part) => expand(part, root, seen))]
}

/** Whether one of the schemas takes values of this type. */
function takes(places: readonly JsonObject[], type: string): boolean {
  return places.some((place) => {
    const { type: own, enum: values } = place
    if (own !== undefined) return Array.isArray(own) ? own.includes(type) : own === type
    return Array.isArray(values) ? type === 'null' && values.includes(null) : isOpen(place)
  })
}

const narrowing = ['anyOf', 'oneOf', 'allOf', '$ref', 'const', 'properties', 'items', 'not']

function isOpen(place: JsonObject): boolean {
  return narrowing.every((keyword) => place[keyword] === undefined)
}
