/**
 * Rejects integers beyond 2^53 if a schema requires an integer. JSON can represent them, but JavaScript rounds them, so
 * that a call might affect the wrong record.
 */

import { isObject } from '../../support/values.js'
import type { Issue, JsonObject } from '../compiled.js'
import { isPattern, mapSubschemas, resolveLocal, subschemas } from '../keywords.js'
import { contradictsByShape, itemsOf } from './contradicts.js'

const most = Number.MAX_SAFE_INTEGER

export const unsafeInteger: string = `expected an integer from -${most} to ${most}: a larger one loses digits when it is read`

/** Keywords in which narrower bounds would accept more values or select another branch. */
const reversingKeywords: ReadonlySet<string> = new Set(['not', 'if', 'contains'])

/** Adds bounds to each integer, for the validator. */
export function withSafeIntegers(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => reversingKeywords.has(keyword))
  const bounded = { ...mapSubschemas(schema, withSafeIntegers), ...Object.fromEntries(kept) }
  if (!asksForInteger(schema)) return bounded
  const { minimum, maximum } = schema
  return {
    ...bounded,
    minimum: typeof minimum === 'number' ? Math.max(minimum, -most) : -most,
    maximum: typeof maximum === 'number' ? Math.min(maximum, most) : most,
  }
}

/** Whether the bounds can make the schema accept more values: one that fails a branch may match another. */
export function canWiden(schema: JsonObject): boolean {
  const pending: unknown[] = [schema]
  for (const one of pending) {
    if (!isObject(one)) continue
    if (Array.isArray(one.oneOf)) return true
    const reversed = Object.entries(one).filter(([keyword]) => reversingKeywords.has(keyword))
    if (reversed.some(([, inner]) => containsReference(inner))) return true
    for (const inner of subschemas(one)) pending.push(inner.schema)
  }
  return false
}

function containsReference(schema: unknown): boolean {
  if (!isObject(schema)) return false
  if ('$ref' in schema || '$dynamicRef' in schema) return true
  return subschemas(schema).some((inner) => containsReference(inner.schema))
}

function asksForInteger({ type }: JsonObject): boolean {
  return Array.isArray(type) ? type.includes('integer') && !type.includes('number') : type === 'integer'
}

/**
 * Creates a search for rounded integers in arguments that a library validates, since most libraries accept them.
 * Returns `undefined` if the library limits all its integers, as Zod 4 does.
 */
export function integerGuard(json: JsonObject): ((value: unknown) => Issue | undefined) | undefined {
  if (!hasUnboundedInteger(json)) return undefined
  return (value) => (containsUnsafe(value) ? new Search(json).find(value, json, []) : undefined)
}

export function hasUnboundedInteger(json: JsonObject): boolean {
  const pending: unknown[] = [json]
  for (const schema of pending) {
    if (!isObject(schema)) continue
    if (asksForInteger(schema) && !isBounded(schema)) return true
    for (const inner of subschemas(schema)) pending.push(inner.schema)
  }
  return false
}

function isBounded({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject): boolean {
  return [minimum ?? exclusiveMinimum, maximum ?? exclusiveMaximum].every(
    (bound) => typeof bound === 'number' && Math.abs(bound) <= most,
  )
}

/** Texts of digits, which libraries may convert to numbers. */
const digits = /^\s*[+-]?\d{16,}\s*$/

function isUnsafe(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  return typeof value === 'string' && digits.test(value) && !Number.isSafeInteger(Number(value))
}

function containsUnsafe(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isUnsafe(value)
  return Object.values(value).some(containsUnsafe)
}

/** Maximum depth, which ends cyclic references. */
const deepest = 1_000

/**
 * Searches a value and its schema. Each pair of a schema and an object is visited once, even if unions lead to it
 * several times.
 */
class Search {
  readonly #root: JsonObject
  #depth = 0
  readonly #seen = new Map<JsonObject, Map<object, Issue | undefined>>()
  readonly #rejected = new Map<JsonObject, Map<unknown, boolean>>()

  constructor(root: JsonObject) {
    this.#root = root
  }

  find(value: unknown, schema: unknown, path: readonly PropertyKey[]): Issue | undefined {
    if (!isObject(schema) || this.#depth > deepest) return undefined
    this.#depth += 1
    const found =
      typeof value === 'object' && value !== null
        ? this.#inObject(value, schema, path)
        : this.#inScalar(value, schema, path)
    this.#depth -= 1
    return found
  }

  #inScalar(value: unknown, schema: JsonObject, path: readonly PropertyKey[]): Issue | undefined {
    if (!isUnsafe(value)) return undefined
    return asksForInteger(schema) ? { path, message: unsafeInteger } : this.#applied(value, schema, path)
  }

  #inObject(value: object, schema: JsonObject, path: readonly PropertyKey[]): Issue | undefined {
    const seen = this.#seen.get(schema) ?? new Map<object, Issue | undefined>()
    this.#seen.set(schema, seen)
    if (seen.has(value)) return seen.get(value)
    seen.set(value, undefined) // recursion finds nothing new
    const found = this.#inside(value, schema, path) ?? this.#applied(value, schema, path)
    seen.set(value, found)
    return found
  }

  #inside(value: object, schema: JsonObject, path: readonly PropertyKey[]): Issue | undefined {
    for (const [key, one, expected] of placesIn(value, schema)) {
      const found = this.find(one, expected, [...path, key])
      if (found !== undefined) return found
    }
    return undefined
  }

  /**
   * Searches the schemas that apply to the same value: all of `allOf`, and the branches that the value may be meant
   * for.
   */
  #applied(value: unknown, schema: JsonObject, path: readonly PropertyKey[]): Issue | undefined {
    const { $ref, allOf, anyOf, oneOf } = schema
    const target = typeof $ref === 'string' ? resolveLocal(this.#root, $ref) : undefined
    for (const part of [target, ...(Array.isArray(allOf) ? allOf : [])]) {
      const found = this.find(value, part, path)
      if (found !== undefined) return found
    }
    for (const branches of [anyOf, oneOf]) {
      if (!Array.isArray(branches)) continue
      const possible = branches.filter((branch) => !this.#rejects(value, branch))
      const meant = possible.filter((branch) => declaresAllKeys(value, branch))
      const issues = (meant.length > 0 ? meant : possible).map((branch) => this.find(value, branch, path))
      if (issues.length > 0 && !issues.includes(undefined)) return issues[0]
    }
    return undefined
  }

  /**
   * Whether the schema certainly rejects the value, at any level. Each pair of a schema and a value is checked once.
   */
  #rejects(value: unknown, schema: unknown): boolean {
    if (!isObject(schema)) return schema === false
    const known = this.#rejected.get(schema) ?? new Map<unknown, boolean>()
    this.#rejected.set(schema, known)
    const result = known.get(value)
    if (result !== undefined || this.#depth > deepest) return result === true
    known.set(value, false) // recursion adds no contradiction
    this.#depth += 1
    const refused = !isPossible(value, schema) || this.#rejectsInside(value, schema)
    this.#depth -= 1
    known.set(value, refused)
    return refused
  }

  #rejectsInside(value: unknown, schema: JsonObject): boolean {
    const { $ref, allOf, anyOf, oneOf } = schema
    const parts = [
      ...(typeof $ref === 'string' ? [resolveLocal(this.#root, $ref)] : []),
      ...(Array.isArray(allOf) ? allOf : []),
    ]
    return (
      placesIn(value, schema).some(([, one, expected]) => this.#rejects(one, expected)) ||
      parts.some((part) => this.#rejects(value, part)) ||
      [anyOf, oneOf].some(
        (branches) =>
          Array.isArray(branches) &&
          branches.length > 0 &&
          branches.every((branch) => this.#rejects(value, branch)),
      )
    )
  }
}

/** Whether a value may match a branch. Texts may be read as numbers. */
function isPossible(value: unknown, branch: unknown): boolean {
  const readings = typeof value === 'string' ? [value, Number(value)] : [value]
  return readings.some((reading) => !contradictsByShape(reading, branch))
}

/**
 * Whether a branch declares all keys of the value. A branch that would drop a key isn't meant if another declares all
 * keys.
 */
function declaresAllKeys(value: unknown, branch: unknown): boolean {
  if (!isObject(value) || !isObject(branch)) return true
  const { properties, ...others } = branch
  if (!isObject(properties) || applying.some((keyword) => Object.hasOwn(others, keyword))) return true
  return Object.keys(value).every((key) => Object.hasOwn(properties, key))
}

/** Keywords that may declare further keys. */
const applying = ['$ref', 'allOf', 'anyOf', 'oneOf', 'additionalProperties', 'patternProperties']

type InnerPlace = readonly [key: PropertyKey, value: unknown, schema: unknown]

/** Returns the members of a value with their schemas. */
function placesIn(value: unknown, schema: JsonObject): InnerPlace[] {
  if (typeof value !== 'object' || value === null) return []
  return Array.isArray(value) ? itemPlaces(value, schema) : propertyPlaces(value, schema)
}

function itemPlaces(value: readonly unknown[], schema: JsonObject): InnerPlace[] {
  const { prefix, rest } = itemsOf(schema)
  return value.map((item, at): InnerPlace => [at, item, at < prefix.length ? prefix[at] : rest])
}

function propertyPlaces(value: object, schema: JsonObject): InnerPlace[] {
  const { properties, additionalProperties } = schema
  const known = isObject(properties) ? properties : {}
  const patterns = patternsOf(schema)
  return Object.entries(value).flatMap(([key, one]): InnerPlace[] => {
    const matching = patterns.filter(([pattern]) => pattern.test(key)).map(([, inner]) => inner)
    if (Object.hasOwn(known, key)) matching.push(known[key])
    if (matching.length === 0) matching.push(additionalProperties)
    return matching.map((inner): InnerPlace => [key, one, inner])
  })
}

type Pattern = readonly [pattern: RegExp, schema: unknown]

const noPatterns: readonly Pattern[] = []
const compiled = new WeakMap<object, readonly Pattern[]>()

function patternsOf({ patternProperties }: JsonObject): readonly Pattern[] {
  if (!isObject(patternProperties)) return noPatterns
  const known = compiled.get(patternProperties)
  if (known !== undefined) return known
  const patterns = Object.entries(patternProperties).flatMap(([source, inner]): Pattern[] =>
    isPattern(source) ? [[new RegExp(source, 'u'), inner]] : [],
  )
  compiled.set(patternProperties, patterns)
  return patterns
}
