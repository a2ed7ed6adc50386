/** Says which argument a client sent in the wrong form, where the form tells what the client did. */

import { isObject } from '../support/values.js'
import { mostDescribed } from './ajv-issues.js'
import type { Issue, JsonObject } from './compiled.js'
import { resolveLocal } from './keywords.js'

/** A longer text isn't parsed to see what it holds. Characters. */
const longestParsed = 100_000

/**
 * The issues, with advice on arguments sent as JSON text, and on null for what may be left out. Only issues that a
 * message describes get advice.
 */
export function withHints(issues: readonly Issue[], schema: JsonObject, args: unknown): readonly Issue[] {
  const top = expand([schema], schema)
  const hinted = issues.slice(0, mostDescribed).map((issue) => {
    const hint = hintFor(issue.path, { root: schema, top, args })
    return hint === undefined ? issue : { path: issue.path, message: `${issue.message}; ${hint}` }
  })
  return [...hinted, ...issues.slice(mostDescribed)]
}

interface Call {
  readonly root: JsonObject
  /** The root and all that it is put together from. */
  readonly top: readonly JsonObject[]
  readonly args: unknown
}

function hintFor(path: readonly PropertyKey[], { root, top, args }: Call): string | undefined {
  const value = path.reduce<unknown>((at, key) => own(at, key), args)
  if (value !== null && typeof value !== 'string') return undefined
  let parents: readonly JsonObject[] = []
  let places = top
  for (const key of path) {
    parents = places
    places = inside(places, key, root)
  }
  if (places.length === 0) return undefined
  if (value === null)
    return isOptional(path.at(-1), parents) && !takes(places, 'null')
      ? 'leave it out instead of null'
      : undefined
  const held = heldIn(value)
  if (held === undefined || takes(places, 'string') || !takes(places, held)) return undefined
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

function isOptional(key: PropertyKey | undefined, parents: readonly JsonObject[]): boolean {
  if (typeof key !== 'string') return false
  return !parents.some(({ required }) => Array.isArray(required) && required.includes(key))
}

/** The schemas of a member of what `places` describe. */
function inside(places: readonly JsonObject[], key: PropertyKey, root: JsonObject): readonly JsonObject[] {
  const members = places.map(({ properties, items, prefixItems, additionalProperties }) => {
    if (typeof key === 'number') return (Array.isArray(prefixItems) ? prefixItems[key] : undefined) ?? items
    return (isObject(properties) ? own(properties, key) : undefined) ?? additionalProperties
  })
  return expand(members, root)
}

/**
 * Schemas and all that they are put together from, each once: branches that share a member would double the places at
 * every level of a recursive schema.
 */
function expand(schemas: readonly unknown[], root: JsonObject): readonly JsonObject[] {
  const found = new Set<JsonObject>()
  const pending = [...schemas]
  for (const schema of pending) {
    if (!isObject(schema) || found.has(schema)) continue
    found.add(schema)
    const { $ref, anyOf, oneOf, allOf } = schema
    for (const parts of [anyOf, oneOf, allOf])
      if (Array.isArray(parts)) for (const part of parts) pending.push(part)
    if (typeof $ref === 'string') pending.push(resolveLocal(root, $ref))
  }
  return [...found]
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
