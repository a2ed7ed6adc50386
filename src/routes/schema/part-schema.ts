/** Converts the schema of one request part, from any library, to JSON Schema. */

import type { CompileOptions, Direction, JsonObject } from '../../schema/compiled.js'
import { convert } from '../../schema/convert.js'
import { warnOfUnions } from '../../schema/costs/warn.js'
import { describeMistake } from '../../schema/hand-written.js'
import { isStandardSchema } from '../../schema/standard.js'
import { describe, isObject } from '../../support/values.js'
import {
  isJoi,
  isJoiMap,
  type JoiSchema,
  joiMapToJson,
  joiToJson,
  withExplicitOpenness,
  withoutFlagged,
} from './joi.js'
import { type Follow, localRefs, Recursion, type Source } from './refs.js'

/** Cached, so that each set of references is analyzed once for all routes. */
const recursions = new WeakMap<Follow, Recursion>()

/**
 * Returns the schema with the functions to resolve its references.
 * @throws TypeError if it isn't a schema, Error if it can't be converted; the message names `owner`.
 */
export function sourceOf(
  schema: unknown,
  io: Direction,
  options: CompileOptions & { readonly follow?: Follow | undefined },
): Source {
  const json = toJson(schema, io, options)
  const follow = json === schema && options.follow !== undefined ? options.follow : localRefs()
  const recursion = recursions.get(follow) ?? new Recursion(follow)
  recursions.set(follow, recursion)
  return { schema: json, base: json, follow, recursion }
}

function toJson(schema: unknown, io: Direction, options: CompileOptions): JsonObject {
  if (isJoi(schema)) return fromJoi(schema, io, options)
  if (isStandardSchema(schema)) {
    const json = convert(schema, io, { ...options, warn: () => {} }) // references are reported later
    if (io === 'input') warnOfUnions(schema, json, options)
    return json
  }
  if (isJoiMap(schema)) return joiMapToJson(schema)
  if (!isObject(schema)) {
    throw new TypeError(
      `${options.owner}: expected a schema of a library or a JSON Schema object, got ${describe(schema)}`,
    )
  }
  const mistake = describeMistake(schema)
  if (mistake !== undefined) throw new TypeError(`${options.owner} ${mistake}`)
  if (isPropertyMap(schema)) {
    throw new TypeError(
      `${options.owner}: expected JSON Schema, got properties alone (${Object.keys(schema).join(', ')}); write { type: 'object', properties: { … } }`,
    )
  }
  return schema
}

/** Converts a Joi schema. Joi before 18.3 has no JSON Schema support, and newer versions can't resolve links. */
function fromJoi(schema: JoiSchema, io: Direction, options: CompileOptions): JsonObject {
  if (!isStandardSchema(schema) || !('jsonSchema' in schema['~standard'])) return joiToJson(schema)
  try {
    return withExplicitOpenness(withoutFlagged(convert(schema, io, { ...options, warn: () => {} }), schema))
  } catch {
    return joiToJson(schema)
  }
}

/** JSON Schema keywords whose values are schemas. */
const holders = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains', 'not', 'if', 'then', 'else'],
  ...['$defs', 'definitions', 'dependentSchemas', 'contentSchema'],
])

/** Whether the schema is an object of properties without the surrounding object schema: `{ q: { type: 'string' } }`. */
function isPropertyMap(schema: JsonObject): boolean {
  const entries = Object.entries(schema)
  const isSchema = (value: unknown): boolean =>
    isObject(value) && ['type', '$ref', 'enum', 'anyOf', 'oneOf'].some((keyword) => keyword in value)
  return entries.length > 0 && entries.every(([key, value]) => !holders.has(key) && isSchema(value))
}
