/** Adds hints to issues with arguments that a client sent in a recognizable wrong form. */

import { isObject } from '../support/values.js'
import { mostDescribed } from './ajv-issues.js'
import type { Issue, JsonObject } from './compiled.js'
import { resolveLocal } from './keywords.js'

/** Maximum length of texts that are parsed, in characters. */
const longestParsed = 100_000

/**
 * Adds hints on arguments sent as JSON text, and on null for optional arguments. Only the issues that a message shows
 * get hints.
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
  /** The root schema, and all schemas that apply to the same value. */
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
    places = memberSchemas(places, key, root)
  }
  if (places.length === 0) return undefined
  if (value === null)
    return isOptional(path.at(-1), parents) && !acceptsType(places, 'null')
      ? 'leave it out instead of null'
      : undefined
  const jsonType = jsonTypeOf(value)
  if (jsonType === undefined || acceptsType(places, 'string') || !acceptsType(places, jsonType))
    return undefined
  return `it is JSON text: send the ${jsonType} itself, not a string`
}

/** Returns the type of the JSON value in a text, if it is an object or an array. */
function jsonTypeOf(text: string): 'object' | 'array' | undefined {
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

/** Returns the schemas of a member. */
function memberSchemas(
  places: readonly JsonObject[],
  key: PropertyKey,
  root: JsonObject,
): readonly JsonObject[] {
  const members = places.map(({ properties, items, prefixItems, additionalProperties }) => {
    if (typeof key === 'number') return (Array.isArray(prefixItems) ? prefixItems[key] : undefined) ?? items
    return (isObject(properties) ? own(properties, key) : undefined) ?? additionalProperties
  })
  return expand(members, root)
}

/**
 * Returns the schemas and all schemas that apply to the same value, without duplicates: branches that share a member
 * would double the number at each level of a recursive schema.
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

/** Whether one of the schemas accepts values of this type. */
function acceptsType(places: readonly JsonObject[], type: string): boolean {
  return places.some((place) => {
    const { type: own, enum: values } = place
    if (own !== undefined) return Array.isArray(own) ? own.includes(type) : own === type
    return Array.isArray(values) ? type === 'null' && values.includes(null) : isUnconstrained(place)
  })
}

const narrowing = ['anyOf', 'oneOf', 'allOf', '$ref', 'const', 'properties', 'items', 'not']

function isUnconstrained(place: JsonObject): boolean {
  return narrowing.every((keyword) => place[keyword] === undefined)
}
