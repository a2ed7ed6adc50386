/** Converts a Standard Schema of any library to the published JSON Schema. */

import { runtime } from '#runtime'
import { describe, isObject } from '../support/values.js'
import type { CompileOptions, Direction, JsonObject } from './compiled.js'
import { mapSubschemas, resolveLocal, subschemas, withPrefixItems } from './keywords.js'
import { converters, libraryOptions, missingKeywords, type ToJsonSchema } from './libraries.js'
import type { StandardSchemaV1 } from './types.js'

/** Vendor of the schemas that this package creates. Their references are already resolved. */
export const ownVendor = 'mcp-router'

/**
 * Converts a schema to JSON Schema 2020-12 as plain JSON, with local references inlined.
 * @throws Error naming the owner and a solution if the schema can't be converted.
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

/**
 * Returns the converter: from the app's `schemas`, else of the schema itself, else of its library's converter package.
 */
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

/**
 * Returns the converter of Standard JSON Schema (https://standardschema.dev/json-schema), which Zod from 4.2 and
 * ArkType implement.
 */
function standardConverter(schema: StandardSchemaV1, io: Direction): (() => unknown) | undefined {
  const standard: { readonly vendor: string; readonly jsonSchema?: unknown } = schema['~standard']
  const methods = standard.jsonSchema
  if (!isObject(methods)) return undefined
  const method = methods[io]
  if (typeof method !== 'function') return undefined
  const options = { target: 'draft-2020-12', libraryOptions: libraryOptions(standard.vendor, io) }
  return () => ({ ...method.call(methods, options), ...missingKeywords(schema) })
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

/**
 * Returns a plain JSON copy: dates become text; functions, BigInts and other values that JSON can't represent are left
 * out.
 */
function toPlainJson(converted: JsonObject): JsonObject {
  const text = JSON.stringify(converted, (_, value) => (typeof value === 'bigint' ? undefined : value))
  return JSON.parse(text) as JsonObject // the input is an object
}

/** Maximum number of schema objects to inline, because nested references multiply. */
const mostInlined = 5_000

/** Annotations. Next to a `$ref`, they override those of the target. */
const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])

/**
 * Removes `$schema` and inlines `$ref`, except in recursive schemas. The root never is a reference. Takes plain JSON
 * and doesn't modify it.
 * @throws Error for a reference without a target.
 */
export function inlineLocalRefs(schema: JsonObject): JsonObject {
  const { $schema, ...root } = schema
  const recursive = recursiveRefs(root)
  const names = new Map<string, string>()
  const shared = new Map<string, JsonObject>()
  let size = 0

  const expanded = expandRoot(root, new Set())
  return shared.size === 0 ? expanded : { ...expanded, $defs: Object.fromEntries(shared) }

  function expandRoot(schema: JsonObject, followed: Set<string>): JsonObject {
    const { $ref, ...siblings } = schema
    if (typeof $ref !== 'string') return expand(schema)
    if (followed.has($ref)) throw new Error(`its references "${$ref}" refer only to each other`)
    const target = expandRoot(lookUp(root, $ref), new Set([...followed, $ref]))
    return withSiblings(target, expand(siblings))
  }

  function expand(schema: JsonObject): JsonObject {
    size += 1
    const { $ref, $defs, definitions, ...siblings } = schema
    const rest = mapSubschemas(withPrefixItems(siblings), expand)
    if (typeof $ref !== 'string') return rest
    const keep = recursive.has($ref) || size > mostInlined
    return withSiblings(keep ? { $ref: `#/$defs/${share($ref)}` } : expand(lookUp(root, $ref)), rest)
  }

  function share(ref: string): string {
    const known = names.get(ref)
    if (known !== undefined) return known
    const name = freeName(ref, new Set(names.values()))
    names.set(ref, name) // set before expanding the target, which may refer to itself
    shared.set(name, expandRoot(lookUp(root, ref), new Set()))
    return name
  }
}

/** Returns references that, if kept, break every cycle. */
function recursiveRefs(root: JsonObject): ReadonlySet<string> {
  const recursive = new Set<string>()
  const visiting = new Set<string>()
  const done = new Set<string>()
  visit('#')
  return recursive

  function visit(ref: string): void {
    if (visiting.has(ref)) recursive.add(ref)
    if (visiting.has(ref) || done.has(ref)) return
    visiting.add(ref)
    for (const inner of refsIn(lookUp(root, ref))) visit(inner)
    visiting.delete(ref)
    done.add(ref)
  }
}

/** Returns the references in a schema. Those in definitions count only when something refers to the definition. */
function refsIn(schema: JsonObject): Set<string> {
  const refs = new Set<string>()
  const pending: unknown[] = [schema]
  for (const at of pending) {
    if (!isObject(at)) continue
    if (typeof at.$ref === 'string') refs.add(at.$ref)
    const { $defs, definitions, ...applied } = at
    for (const inner of subschemas(applied)) pending.push(inner.schema)
  }
  return refs
}

function lookUp(root: JsonObject, ref: string): JsonObject {
  const target = resolveLocal(root, ref)
  if (target === true) return {}
  if (target === false) return { not: {} }
  if (!isObject(target)) throw new Error(`its reference "${ref}" leads to no schema`)
  return target
}

/** Combines the target of a `$ref` with its sibling keywords. */
function withSiblings(target: JsonObject, siblings: JsonObject): JsonObject {
  const plain = Object.keys(siblings).every((key) => annotations.has(key) || key.startsWith('x-'))
  if (plain || '$ref' in target) return { ...target, ...siblings }
  return { ...siblings, allOf: [...(Array.isArray(siblings.allOf) ? siblings.allOf : []), target] }
}

/** Returns an unused name: `#/$defs/Task` → `Task`; `#` → `root`; with a number if the name is taken. */
function freeName(ref: string, taken: ReadonlySet<string>): string {
  const last = ref === '#' ? 'root' : ref.slice(ref.lastIndexOf('/') + 1)
  const base = last.replace(/[^\w.-]/g, '_') || 'schema'
  let name = base
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`
  return name
}
