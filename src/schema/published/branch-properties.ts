/**
 * Combines what the branches of a root union declare about one property, for clients that read only the root's
 * properties.
 */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { jsonTypes, resolveLocal } from '../keywords.js'
import { canonical } from '../values/contradicts.js'

/** Returns a schema that accepts every value that some branch accepts for the property. */
export function propertyInBranches(json: JsonObject, name: string): JsonObject {
  const found = schemasOf(json, name, json, new Set())
  const distinct = [...new Map(found.map((schema) => [canonical(schema), schema])).values()]
  const [first] = distinct
  if (first === undefined) return {}
  if (distinct.length === 1) return first
  const descriptions = new Set(distinct.map(({ description }) => description))
  const [description] = descriptions
  return {
    ...(descriptions.size === 1 && typeof description === 'string' && { description }),
    ...typesOf(distinct, json),
  }
}

/** Keywords whose subschemas apply to the same value. */
const applied = ['allOf', 'anyOf', 'oneOf'] as const
const appliedAlone = ['then', 'else'] as const

function schemasOf(schema: unknown, name: string, root: JsonObject, followed: Set<unknown>): JsonObject[] {
  if (!isObject(schema) || followed.has(schema)) return []
  followed.add(schema)
  const { properties, $ref, dependentSchemas } = schema
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  const inner: unknown[] = [
    ...applied.flatMap((keyword) => (Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : [])),
    ...appliedAlone.map((keyword) => schema[keyword]),
    ...(isObject(dependentSchemas) ? Object.values(dependentSchemas) : []),
    ...(typeof $ref === 'string' ? [resolveLocal(root, $ref)] : []),
  ]
  return [...(isObject(own) ? [own] : []), ...inner.flatMap((one) => schemasOf(one, name, root, followed))]
}

/** Combines the types, and the values if every schema lists its values. */
function typesOf(schemas: readonly JsonObject[], root: JsonObject): JsonObject {
  const values = schemas.map(valuesOf)
  const listed = values.every((one) => one !== undefined) ? values.flat() : undefined
  const types = schemas.map((schema) => typesIn(schema, root))
  if (types.some((one) => one === undefined)) return {}
  const all = [...new Set(types.flat())].filter(
    (type) => type !== 'integer' || !types.flat().includes('number'),
  )
  return {
    type: all.length === 1 ? all[0] : all,
    ...(listed !== undefined && { enum: [...new Map(listed.map((one) => [canonical(one), one])).values()] }),
    ...(all.includes('array') && { items: {} }),
  }
}

function valuesOf(schema: JsonObject): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : undefined
}

function typesIn(schema: JsonObject, root: JsonObject, depth = 0): string[] | undefined {
  if (depth > 10) return undefined
  const { type, anyOf, oneOf, $ref } = schema
  if (type !== undefined) return (Array.isArray(type) ? type : [type]).filter((one) => jsonTypes.has(one))
  const values = valuesOf(schema)
  if (values !== undefined) return [...new Set(values.map(typeOf))]
  if (typeof $ref === 'string') {
    const target = resolveLocal(root, $ref)
    return isObject(target) ? typesIn(target, root, depth + 1) : undefined
  }
  const branches = [anyOf, oneOf].find((list): list is unknown[] => Array.isArray(list))
  const types = branches?.map((one) => (isObject(one) ? typesIn(one, root, depth + 1) : undefined))
  if (types === undefined || types.some((one) => one === undefined)) return undefined
  return [...new Set(types.flatMap((one) => one ?? []))]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
