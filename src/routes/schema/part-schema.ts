/** Reads the schema of one part of a request, of whatever library it is, as JSON Schema on its way into a tool. */

import type { CompileOptions, Direction, JsonObject } from '../../schema/compiled.js'
import { convert } from '../../schema/convert.js'
import { warnOfUnions } from '../../schema/costs/warn.js'
import { mistakenFor } from '../../schema/hand-written.js'
import { isStandardSchema } from '../../schema/standard.js'
import { describe, isObject } from '../../support/values.js'
import { isJoi, isJoiMap, type JoiSchema, joiMapToJson, joiToJson, opened, withoutFlagged } from './joi.js'
import { type Follow, localRefs, Recursion, type Source } from './refs.js'

/** One set of references is looked at once, however many routes there are. */
const recursions = new WeakMap<Follow, Recursion>()

/**
 * The schema with what follows its references.
 * @throws TypeError for what is no schema, Error for one that cannot be converted; `owner` names it.
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
    const json = convert(schema, io, { ...options, warn: () => {} }) // references are ours to judge
    if (io === 'input') warnOfUnions(schema, json, options)
    return json
  }
  if (isJoiMap(schema)) return joiMapToJson(schema)
  if (!isObject(schema)) {
    throw new TypeError(
      `${options.owner}: expected a schema of a library or a JSON Schema object, got ${describe(schema)}`,
    )
  }
  const mistake = mistakenFor(schema)
  if (mistake !== undefined) throw new TypeError(`${options.owner} ${mistake}`)
  if (isPropertyMap(schema)) {
    throw new TypeError(
      `${options.owner}: expected JSON Schema, got properties alone (${Object.keys(schema).join(', ')}); write { type: 'object', properties: { … } }`,
    )
  }
  return schema
}

/** Joi before 18.3 says nothing of itself, and later ones do not know where their links lead. */
function fromJoi(schema: JoiSchema, io: Direction, options: CompileOptions): JsonObject {
  if (!isStandardSchema(schema) || !('jsonSchema' in schema['~standard'])) return joiToJson(schema)
  try {
    return opened(withoutFlagged(convert(schema, io, { ...options, warn: () => {} }), schema))
  } catch {
    return joiToJson(schema)
  }
}

/** Keywords of JSON Schema that hold schemas themselves. */
const holders = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains', 'not', 'if', 'then', 'else'],
  ...['$defs', 'definitions', 'dependentSchemas', 'contentSchema'],
])

/** `{ q: { type: 'string' } }`: the object around them was forgotten. */
function isPropertyMap(schema: JsonObject): boolean {
  const entries = Object.entries(schema)
  const isSchema = (value: unknown): boolean =>
    isObject(value) && ['type', '$ref', 'enum', 'anyOf', 'oneOf'].some((keyword) => keyword in value)
  return entries.length > 0 && entries.every(([key, value]) => !holders.has(key) && isSchema(value))
}
