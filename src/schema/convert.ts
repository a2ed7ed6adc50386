/** Turns a Standard Schema of any library into the JSON Schema that is published. */

import { runtime } from '#runtime'
import { describe, isObject } from '../support/values.js'
import type { CompileOptions, Direction, JsonObject } from './compiled.js'
import { converters, libraryOptions, type ToJsonSchema, unsaid } from './libraries.js'
import { inlineLocalRefs } from './local-refs.js'
import type { StandardSchemaV1 } from './types.js'

/** The schemas that this package makes itself: they have decided already what becomes of their references. */
export const ownVendor = 'mcp-router'

/**
 * The JSON Schema of what a schema takes or gives: plain JSON of its own, 2020-12, local references inlined.
 * Throws, naming the owner and the fix, when nothing can convert it.
 */
export function convert(schema: StandardSchemaV1, io: Direction, options: CompileOptions): JsonObject {
  const { owner, warn } = options
  const { vendor } = schema['~standard']
  const toJsonSchema = converterFor(schema, io, options)
  try {
    const converted = toJsonSchema()
    if (!isObject(converted)) throw new TypeError(`expected a JSON Schema object, got ${describe(converted)}`)
    const plain = toPlainJson(converted)
    const json = vendor === ownVendor ? plain : inlineLocalRefs(plain)
    if (json.$defs !== undefined)
      warn(`${owner}: its ${io} schema is published with $ref, which some clients cannot follow`)
    return json
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${owner}: its ${io} schema of "${vendor}" cannot become JSON Schema: ${reason}`, {
      cause: error,
    })
  }
}

/** What the app brought wins, then the schema itself, then the converter package of its library. */
function converterFor(schema: StandardSchemaV1, io: Direction, options: CompileOptions): () => unknown {
  const { vendor } = schema['~standard']
  const brought = options.support.filter((support) => support.vendor === vendor)
  const own = brought.map((support) => support.toJsonSchema).find((convert) => convert !== undefined)
  if (own !== undefined) return () => own(schema, io)
  const built = standardConverter(schema, io)
  if (built !== undefined) return built
  const toJsonSchema = loadConverter(schema, options.owner)
  return () => toJsonSchema(schema, io)
}

/** Standard JSON Schema (https://standardschema.dev/json-schema), as Zod from 4.2 and ArkType have it. */
function standardConverter(schema: StandardSchemaV1, io: Direction): (() => unknown) | undefined {
  const standard: { readonly vendor: string; readonly jsonSchema?: unknown } = schema['~standard']
  const methods = standard.jsonSchema
  if (!isObject(methods)) return undefined
  const method = methods[io]
  if (typeof method !== 'function') return undefined
  const options = { target: 'draft-2020-12', libraryOptions: libraryOptions(standard.vendor, io) }
  return () => ({ ...method.call(methods, options), ...unsaid(schema) })
}

function loadConverter(schema: StandardSchemaV1, owner: string): ToJsonSchema {
  const { vendor } = schema['~standard']
  const converter = converters.find((candidate) => candidate.serves(schema))
  const support = `pass { vendor: "${vendor}", toJsonSchema } in the router option \`schemas\``
  if (converter === undefined) {
    throw new Error(`${owner}: schemas of "${vendor}" cannot be converted to JSON Schema here; ${support}`)
  }
  try {
    return converter.load(runtime.load)
  } catch (error) {
    const install = `install "${converter.package}", or where packages cannot be loaded ${support}`
    throw new Error(`${owner}: schemas of "${vendor}" need a converter to JSON Schema: ${install}`, {
      cause: error,
    })
  }
}

/** A copy that JSON can carry: dates as text, without functions and what else JSON leaves out, such as BigInt defaults. */
function toPlainJson(converted: JsonObject): JsonObject {
  const text = JSON.stringify(converted, (_, value) => (typeof value === 'bigint' ? undefined : value))
  return JSON.parse(text) as JsonObject // an object went in
}
