/**
 * Conversion of each schema library to JSON Schema: converter options, and the converter package for schemas that can't
 * convert themselves. Libraries are detected by their features, never imported.
 */

import { isObject } from '../support/values.js'
import type { Direction, JsonObject } from './compiled.js'
import type { StandardSchemaV1 } from './types.js'

export type ToJsonSchema = (schema: StandardSchemaV1, io: Direction) => unknown

/** A package that converts the schemas of one library. */
export interface Converter {
  /** The package to install. */
  readonly package: string
  readonly serves: (schema: StandardSchemaV1) => boolean
  /**
   * Loads the package.
   * @throws Error if it isn't installed.
   */
  readonly load: (load: (name: string) => unknown) => ToJsonSchema
}

export const converters: readonly Converter[] = [
  {
    package: 'zod',
    serves: (schema) => '_zod' in schema,
    load(load) {
      const { toJSONSchema } = firstWith(['zod/v4/core', 'zod'], 'toJSONSchema', load)
      return (schema, io) => toJSONSchema(schema, { ...zodOptions, metadata, target: 'draft-2020-12', io })
    },
  },
  {
    package: 'zod-to-json-schema',
    serves: (schema) => isObject((schema as { _def?: unknown })._def) && schema['~standard'].vendor === 'zod',
    load(load) {
      const { zodToJsonSchema, ignoreOverride } = firstWith(['zod-to-json-schema'], 'zodToJsonSchema', load)
      return (schema, io) => zodToJsonSchema(schema, zod3Options(io, ignoreOverride))
    },
  },
  {
    package: '@valibot/to-json-schema',
    serves: (schema) => schema['~standard'].vendor === 'valibot',
    load(load) {
      const { toJsonSchema } = firstWith(['@valibot/to-json-schema'], 'toJsonSchema', load)
      return (schema, io) =>
        toJsonSchema(schema, { ...valibotOptions(io), target: 'draft-2020-12', typeMode: io })
    },
  },
]

/** Returns the `libraryOptions` for schemas that convert themselves. */
export function libraryOptions(vendor: string, io: Direction): object | undefined {
  if (vendor === 'zod') return zodOptions
  if (vendor === 'arktype') return arktypeOptions
  return vendor === 'valibot' ? valibotOptions(io) : undefined
}

/** Returns keywords that a conversion misses: ArkType's `'+': 'delete'` accepts unknown keys and drops them. */
export function missingKeywords(schema: StandardSchemaV1): JsonObject {
  if (schema['~standard'].vendor !== 'arktype') return {}
  const { json } = schema as { json?: unknown }
  const nodes = (Array.isArray(json) ? json : [json]).map((node) => (isObject(node) && node.in) || node)
  return nodes.some((node) => isObject(node) && node.undeclared === 'delete')
    ? { additionalProperties: {} }
    : {}
}

const dateTime = { type: 'string', format: 'date-time' }

interface ZodDef {
  readonly type: string
  readonly catchall?: unknown
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly pattern?: RegExp } } }[]
}

interface ZodNode {
  readonly zodSchema: {
    readonly _zod: { readonly def: ZodDef }
  }
  readonly jsonSchema: JsonObject
}

const zodOptions = {
  unrepresentable: 'any',
  override({ zodSchema, jsonSchema }: ZodNode): void {
    const { type, catchall, checks = [] } = zodSchema._zod.def
    if (checks.some(({ _zod }) => hasFlags(_zod.def.pattern))) dropPatterns(jsonSchema)
    if (type === 'date') Object.assign(jsonSchema, dateTime)
    // Closed output objects contradict each other in intersections, and break clients with a cached schema when a field
    // is added.
    if (type === 'object' && catchall === undefined) delete jsonSchema.additionalProperties
  },
}

/** Whether an expression has flags that change what it matches, which JSON Schema can't express. */
function hasFlags(pattern: RegExp | undefined): boolean {
  return pattern !== undefined && /[ims]/.test(pattern.flags)
}

function dropPatterns(json: JsonObject): void {
  delete json.pattern
  if (!Array.isArray(json.allOf)) return
  const others = json.allOf.filter((part) => !(isObject(part) && 'pattern' in part))
  if (others.length > 0) json.allOf = others
  else delete json.allOf
}

/** Reads metadata from the schema itself, because the loaded Zod may be another copy with another registry. */
const metadata = {
  get: (schema: { meta?: () => unknown }): unknown => schema.meta?.(),
}

/** Zod 3 types whose values JSON can't represent. */
const notInJson = new Set([
  'ZodBigInt',
  'ZodMap',
  'ZodSet',
  'ZodNaN',
  'ZodUndefined',
  'ZodVoid',
  'ZodSymbol',
  'ZodFunction',
  'ZodPromise',
])

interface Zod3Def {
  readonly typeName: string
  readonly description?: string
  readonly effect?: { readonly type: string }
  readonly unknownKeys?: string
  readonly catchall?: { readonly _def: Zod3Def }
}

function zod3Options(io: Direction, ignoreOverride: unknown): object {
  return {
    pipeStrategy: io,
    applyRegexFlags: true,
    override(def: Zod3Def) {
      const transformed = io === 'output' && def.effect?.type === 'transform'
      if (!transformed && !notInJson.has(def.typeName)) return ignoreOverride
      return def.description === undefined ? {} : { description: def.description }
    },
    postProcess(converted: JsonObject | undefined, def: Zod3Def) {
      // Objects that strip unknown keys would be published like strict ones.
      const strips = def.unknownKeys === 'strip' && def.catchall?._def.typeName === 'ZodNever'
      if (converted === undefined || !strips) return converted
      const { additionalProperties, ...open } = converted
      return open
    },
  }
}

/** Result types of Valibot's transformations that change the type. */
const transformed: ReadonlyMap<string, object> = new Map<string, object>([
  ['to_string', { type: 'string' }],
  ['stringify_json', { type: 'string' }],
  ['to_number', { type: 'number' }],
  ['to_boolean', { type: 'boolean' }],
  ['parse_boolean', { type: 'boolean' }],
  ['to_date', dateTime],
  ['to_bigint', {}],
  ['parse_json', {}],
  ['transform', {}],
  ['raw_transform', {}],
  ['map_items', {}],
  ['find_item', {}],
  ['reduce_items', {}],
])

interface ValibotAction {
  readonly valibotAction: { readonly type: string; readonly requirement?: RegExp }
  readonly jsonSchema: JsonObject
}

function valibotOptions(io: Direction): object {
  return {
    errorMode: 'ignore',
    overrideSchema({ valibotSchema, jsonSchema }: { valibotSchema: { type: string }; jsonSchema: object }) {
      if (valibotSchema.type === 'date') return dateTime
      return valibotSchema.type === 'loose_object' ? { ...jsonSchema, additionalProperties: {} } : undefined
    },
    overrideAction({ valibotAction, jsonSchema }: ValibotAction) {
      if (valibotAction.type === 'regex' && hasFlags(valibotAction.requirement)) {
        const { pattern, ...others } = jsonSchema
        return others
      }
      return io === 'output' ? transformed.get(valibotAction.type) : undefined
    },
  }
}

const arktypeOptions = {
  fallback: {
    date: ({ base }: { base: object }) => ({ ...base, ...dateTime }),
  },
}

type Exports = { [name: string]: unknown } & {
  [Name in 'toJSONSchema' | 'zodToJsonSchema' | 'toJsonSchema']: Convert
}
type Convert = (schema: unknown, options: object) => unknown

/** Returns the exports of the first package that has the function. */
function firstWith(packages: readonly string[], name: string, load: (name: string) => unknown): Exports {
  let failure: unknown = new Error(`"${packages[0]}" has no function ${name}; update it`)
  for (const candidate of packages) {
    try {
      const exports = load(candidate)
      if (isObject(exports) && typeof exports[name] === 'function') return exports as Exports // the requested function exists
    } catch (error) {
      failure = error
    }
  }
  throw failure
}
