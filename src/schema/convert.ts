/** Turns a Standard Schema of any library into the JSON Schema that is published. */

import { runtime } from '#runtime'
import { describe, isObject } from '../support/values.js'
import type { CompileOptions, Direction, JsonObject } from './compiled.js'
import { mapSubschemas, resolveLocal, subschemas, withPrefixItems } from './keywords.js'
import { converters, libraryOptions, type ToJsonSchema, unsaid } from './libraries.js'
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

/** Inlining stops growing here, in schema objects: references to references multiply. */
const enough = 5_000

/** Keywords that say nothing about the value, so beside a `$ref` they take the place of the target's own. */
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
 * The same schema without `$schema` and, but for recursion, without `$ref`. The root is never a reference itself.
 * Takes plain JSON and leaves it as it is. Throws for a reference that leads nowhere.
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
    const { $ref, ...beside } = schema
    if (typeof $ref !== 'string') return expand(schema)
    if (followed.has($ref)) throw new Error(`its references "${$ref}" lead only to each other`)
    const target = expandRoot(lookUp(root, $ref), new Set([...followed, $ref]))
    return merge(target, expand(beside))
  }

  function expand(schema: JsonObject): JsonObject {
    size += 1
    const { $ref, $defs, definitions, ...beside } = schema
    const rest = mapSubschemas(withPrefixItems(beside), expand)
    if (typeof $ref !== 'string') return rest
    const keep = recursive.has($ref) || size > enough
    return merge(keep ? { $ref: `#/$defs/${share($ref)}` } : expand(lookUp(root, $ref)), rest)
  }

  function share(ref: string): string {
    const known = names.get(ref)
    if (known !== undefined) return known
    const name = freeName(ref, new Set(names.values()))
    names.set(ref, name) // before the target is expanded: it refers to itself
    shared.set(name, expandRoot(lookUp(root, ref), new Set()))
    return name
  }
}

/** References that, kept, break every circle: those met again while what they lead to is being looked at. */
function recursiveRefs(root: JsonObject): ReadonlySet<string> {
  const recursive = new Set<string>()
  const looking = new Set<string>()
  const done = new Set<string>()
  visit('#')
  return recursive

  function visit(ref: string): void {
    if (looking.has(ref)) recursive.add(ref)
    if (looking.has(ref) || done.has(ref)) return
    looking.add(ref)
    for (const inner of refsIn(lookUp(root, ref))) visit(inner)
    looking.delete(ref)
    done.add(ref)
  }
}

/** The references inside a schema; what its definitions refer to counts only once something refers to them. */
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

/** What stood beside a `$ref` holds together with its target. */
function merge(target: JsonObject, beside: JsonObject): JsonObject {
  const plain = Object.keys(beside).every((key) => annotations.has(key) || key.startsWith('x-'))
  if (plain || '$ref' in target) return { ...target, ...beside }
  return { ...beside, allOf: [...(Array.isArray(beside.allOf) ? beside.allOf : []), target] }
}

/** `#/$defs/Task` → `Task`; `#` → `root`; with a number where the name is taken. */
function freeName(ref: string, taken: ReadonlySet<string>): string {
  const last = ref === '#' ? 'root' : ref.slice(ref.lastIndexOf('/') + 1)
  const base = last.replace(/[^\w.-]/g, '_') || 'schema'
  let name = base
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`
  return name
}
