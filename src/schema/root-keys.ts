/** Determines which top-level keys an input schema declares, and how it treats all others. */

import { isObject, listOf } from '../support/values.js'
import type { JsonObject } from './compiled.js'
import { resolveLocal } from './keywords.js'

/**
 * How a schema treats undeclared keys:
 * - `refused`: it rejects them
 * - `its own`: it accepts some or all, or this can't be determined, so only the schema itself can decide
 * - `nothing`: it doesn't say
 */
export type Others = 'refused' | 'its own' | 'nothing'

export interface RootKeys {
  readonly names: ReadonlySet<string>
  readonly others: Others
}

/** Reads the keywords at the root, through unions, intersections and references. */
export function rootKeys(json: JsonObject): RootKeys {
  const { names, others } = read(json, json, new Map())
  return { names, others: others === 'silent' || others === 'unknown' ? 'its own' : others }
}

/**
 * `silent`: the schema doesn't mention keys. Combined with other schemas it adds nothing; alone it accepts any object.
 * `unknown`: it declares keys in a place that isn't read.
 */
interface KeySummary {
  readonly names: ReadonlySet<string>
  readonly others: Others | 'silent' | 'unknown'
}

const silent: KeySummary = { names: new Set(), others: 'silent' }

function read(schema: unknown, root: JsonObject, known: Map<string, KeySummary>): KeySummary {
  if (!isObject(schema)) return silent
  const readInner = (inner: unknown) => read(inner, root, known)
  const base = combineAll([
    ownKeys(schema),
    ...listOf(schema.allOf).map(readInner),
    ...conditional(schema).map(readInner).map(asConditional),
    ...references(schema).map((ref) => readReference(ref, root, known)),
  ])
  const choices = [schema.anyOf, schema.oneOf].map(listOf).filter((branches) => branches.length > 0)
  const chosen = choices.map((branches) => {
    const possible = branches.filter((branch) => mayBeObject(branch, root))
    return combineAny(possible.map((branch) => combineAll([base, readInner(branch)])))
  })
  return withUnevaluated(schema, chosen.length > 0 ? combineAll(chosen) : base)
}

function ownKeys({ properties, patternProperties, additionalProperties }: JsonObject): KeySummary {
  const names = new Set(Object.keys(isObject(properties) ? properties : {}))
  if (patternProperties !== undefined) return { names, others: 'its own' }
  if (additionalProperties !== undefined)
    return { names, others: additionalProperties === false ? 'refused' : 'its own' }
  return { names, others: properties === undefined ? 'silent' : 'nothing' }
}

/** Applies `unevaluatedProperties`, which covers the keys that no other keyword mentions. */
function withUnevaluated({ unevaluatedProperties }: JsonObject, found: KeySummary): KeySummary {
  if (unevaluatedProperties === undefined || found.others === 'unknown') return found
  return {
    names: found.names,
    others: unevaluatedProperties === false && found.others !== 'its own' ? 'refused' : 'its own',
  }
}

function references({ $ref, $dynamicRef }: JsonObject): string[] {
  return [$ref, $dynamicRef].filter((ref) => typeof ref === 'string')
}

function readReference(ref: string, root: JsonObject, known: Map<string, KeySummary>): KeySummary {
  const target = resolveLocal(root, ref)
  if (target === undefined) return { names: new Set(), others: 'unknown' }
  const seen = known.get(ref)
  if (seen !== undefined) return seen
  known.set(ref, silent) // recursive references add nothing
  const found = read(target, root, known)
  known.set(ref, found)
  return found
}

/** Combines schemas that all apply. One that rejects undeclared keys decides. */
function combineAll(parts: readonly KeySummary[]): KeySummary {
  const order = ['unknown', 'refused', 'its own', 'nothing'] as const
  const others = order.find((one) => parts.some((part) => part.others === one)) ?? 'silent'
  return { names: union(parts), others }
}

/** Combines alternatives. One that accepts undeclared keys decides. */
function combineAny(branches: readonly KeySummary[]): KeySummary {
  const names = union(branches)
  const open = branches.find(({ others }) => others !== 'refused' && others !== 'nothing')
  if (open !== undefined) return { names, others: open.others === 'unknown' ? 'unknown' : 'its own' }
  return { names, others: branches.every(({ others }) => others === 'refused') ? 'refused' : 'nothing' }
}

/** Returns the schemas that apply under a condition. */
function conditional(schema: JsonObject): unknown[] {
  const dependent = [schema.dependentSchemas, schema.dependencies].filter(isObject)
  return [schema.then, schema.else, ...dependent.flatMap((map) => Object.values(map))]
}

function asConditional({ names, others }: KeySummary): KeySummary {
  return { names, others: others === 'refused' ? 'its own' : others }
}

function union(found: readonly KeySummary[]): ReadonlySet<string> {
  return new Set(found.flatMap(({ names }) => [...names]))
}

/**
 * Adds `type: 'object'` to the root, which a union lacks.
 * @throws TypeError if the schema can't match an object.
 */
export function asObjectRoot(json: JsonObject, owner: string): JsonObject {
  if (json.type === 'object') return json
  if (!mayBeObject(json, json)) {
    const got = JSON.stringify(json).slice(0, 80)
    throw new TypeError(
      `${owner}: expected \`input\` to describe an object, because arguments are passed by name; got ${got}. Make it a property of an object`,
    )
  }
  const { type, ...rest } = json
  return { type: 'object', ...rest }
}

/** Whether an object may match, judging by types and constants. */
export function mayBeObject(schema: unknown, root: JsonObject, followed: Set<string> = new Set()): boolean {
  if (!isObject(schema)) return schema !== false
  const { $ref, type, not, anyOf, oneOf, allOf } = schema
  const may = (inner: unknown) => mayBeObject(inner, root, followed)
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).includes('object')) return false
  if ('const' in schema && !isObject(schema.const)) return false
  if (Array.isArray(schema.enum) && !schema.enum.some(isObject)) return false
  if (not === true || (isObject(not) && Object.keys(not).length === 0)) return false
  if ([anyOf, oneOf].some((branches) => Array.isArray(branches) && !branches.some(may))) return false
  if (Array.isArray(allOf) && !allOf.every(may)) return false
  if (typeof $ref !== 'string' || followed.has($ref)) return true
  followed.add($ref)
  return mayBeObject(resolveLocal(root, $ref), root, followed)
}
