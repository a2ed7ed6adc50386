/**
 * Compares a value with a schema without a validator. Detects obvious contradictions only; everything else counts as a
 * match. Used when no validator is loaded yet, and to select the branch of a union.
 */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { isSame } from '../evaluator/same-value.js'
import { isPattern, resolveLocal } from '../keywords.js'

/** Maximum depth, which ends recursion. */
const deepest = 20

/** Whether the schema certainly rejects the value. `root`: the schema that references are relative to. */
export function contradicts(value: unknown, schema: unknown, root: JsonObject, depth = 0): boolean {
  if (schema === false) return true
  if (!isObject(schema) || depth > deepest) return false
  const at: Place = { schema, root, depth }
  return contradictsShallowly(value, schema) || checks.some((check) => check(value, at))
}

/** Compares by type, constants and required keys only, at most one level deep. Cheap for any value. */
export function contradictsByShape(value: unknown, schema: unknown): boolean {
  if (!isObject(schema)) return schema === false
  if (contradictsShallowly(value, schema)) return true
  if (!isObject(value) || !isObject(schema.properties)) return false
  return Object.entries(schema.properties).some(
    ([key, inner]) => Object.hasOwn(value, key) && isObject(inner) && contradictsShallowly(value[key], inner),
  )
}

function contradictsShallowly(value: unknown, schema: JsonObject): boolean {
  const { type, enum: values } = schema
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).some((one) => isOfType(value, one)))
    return true
  if (Object.hasOwn(schema, 'const') && !isSame(value, schema.const)) return true
  if (Array.isArray(values) && !values.some((one) => isSame(value, one))) return true
  return isObject(value) && lacksKey(value, schema)
}

/** Whether a required key is missing. Missing keys with a default are filled in. */
function lacksKey(value: JsonObject, { required, properties }: JsonObject): boolean {
  const known = isObject(properties) ? properties : {}
  const isFilled = (key: string): boolean => {
    const property = Object.hasOwn(known, key) ? known[key] : undefined
    return isObject(property) && property.default !== undefined
  }
  return Array.isArray(required) && required.some((key) => !Object.hasOwn(value, key) && !isFilled(key))
}

interface Place {
  readonly schema: JsonObject
  readonly root: JsonObject
  readonly depth: number
}

type Check = (value: unknown, place: Place) => boolean

const checks: readonly Check[] = [
  (value, { schema }) => typeof value === 'number' && isOutOfRange(value, schema),
  (value, { schema }) => typeof value === 'string' && isUnfitText(value, schema),
  (value, place) => Array.isArray(value) && hasUnfitItems(value, place),
  (value, place) => isObject(value) && hasUnfitProperty(value, place),
  (value, { schema, root, depth }) =>
    typeof schema.$ref === 'string' &&
    contradicts(value, resolveLocal(root, schema.$ref) ?? {}, root, depth + 1),
  (value, { schema, root, depth }) =>
    Array.isArray(schema.allOf) && schema.allOf.some((part) => contradicts(value, part, root, depth + 1)),
  (value, { schema, root, depth }) =>
    [schema.anyOf, schema.oneOf].some(
      (branches) =>
        Array.isArray(branches) &&
        branches.length > 0 &&
        branches.every((branch) => contradicts(value, branch, root, depth + 1)),
    ),
]

function isOutOfRange(value: number, schema: JsonObject): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  return (
    (typeof minimum === 'number' && value < minimum) ||
    (typeof maximum === 'number' && value > maximum) ||
    (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) ||
    (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
  )
}

function isUnfitText(value: string, { minLength, maxLength, pattern }: JsonObject): boolean {
  const length = [...value].length
  return (
    (typeof minLength === 'number' && length < minLength) ||
    (typeof maxLength === 'number' && length > maxLength) ||
    (typeof pattern === 'string' && isPattern(pattern) && !new RegExp(pattern, 'u').test(value))
  )
}

function hasUnfitItems(value: readonly unknown[], { schema, root, depth }: Place): boolean {
  const { minItems, maxItems } = schema
  const { prefix, rest } = itemsOf(schema)
  return (
    (typeof minItems === 'number' && value.length < minItems) ||
    (typeof maxItems === 'number' && value.length > maxItems) ||
    value.some((item, at) => contradicts(item, at < prefix.length ? prefix[at] : rest, root, depth + 1))
  )
}

/** Returns the schemas of an array's items in either draft: of the first ones, and of all others. */
export function itemsOf({ prefixItems, items, additionalItems }: JsonObject): {
  readonly prefix: readonly unknown[]
  readonly rest: unknown
} {
  if (Array.isArray(items)) return { prefix: items, rest: additionalItems }
  return { prefix: Array.isArray(prefixItems) ? prefixItems : [], rest: items }
}

function hasUnfitProperty(value: JsonObject, { schema, root, depth }: Place): boolean {
  const { properties, patternProperties, additionalProperties } = schema
  const known = isObject(properties) ? properties : {}
  const others = patternProperties === undefined ? additionalProperties : undefined
  return Object.entries(value).some(([key, inner]) =>
    contradicts(inner, Object.hasOwn(known, key) ? known[key] : others, root, depth + 1),
  )
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  return type === 'object' ? isObject(value) : typeof value === type
}

/**
 * Returns JSON with sorted keys, so that equal texts mean equal values. For schemas only, because the cost grows with
 * the value.
 */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
