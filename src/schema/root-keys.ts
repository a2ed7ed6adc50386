/** Which top-level keys an input schema names, and what it says of all others. */

import { isObject } from '../protocol/jsonrpc.js'
import type { JsonObject } from './compiled.js'
import { resolveLocal } from './keywords.js'
import { mayBeObject } from './object-root.js'

/**
 * What a schema says of keys that it does not name:
 * - `refused`: it takes none of them
 * - `its own`: it takes some or all, or nobody can tell, so only the schema itself can judge
 * - `nothing`: it names keys and leaves it at that
 */
export type Others = 'refused' | 'its own' | 'nothing'

export interface RootKeys {
  readonly names: ReadonlySet<string>
  readonly others: Others
}

/** Reads a schema with a plain object at its root. */
export function rootKeys(json: JsonObject): RootKeys {
  const { names, others } = read(json, json, [])
  return { names, others: others === 'silent' ? 'its own' : others }
}

/** `silent`: does not speak of keys. Beside other schemas that adds nothing; alone it takes any object. */
interface Found {
  readonly names: ReadonlySet<string>
  readonly others: Others | 'silent'
}

function read(schema: unknown, root: JsonObject, followed: readonly string[]): Found {
  if (!isObject(schema)) return { names: new Set(), others: 'silent' }
  const { $ref, allOf, anyOf, oneOf } = schema
  const readInner = (inner: unknown) => read(inner, root, followed)

  const parts = [
    ownKeys(schema),
    ...listOf(allOf).map(readInner),
    ...conditional(schema).map(readInner).map(sometimes),
  ]
  if (typeof $ref === 'string' && !followed.includes($ref)) {
    parts.push(read(resolveLocal(root, $ref), root, [...followed, $ref]))
  }
  const base = together(parts)
  const choices = [anyOf, oneOf].map(listOf).filter((branches) => branches.length > 0)
  if (choices.length === 0) return base
  return together(
    choices.map((branches) => {
      const possible = branches.filter((branch) => mayBeObject(branch, root))
      return either(possible.map((branch) => together([base, readInner(branch)])))
    }),
  )
}

function ownKeys(schema: JsonObject): Found {
  const names = new Set(Object.keys(isObject(schema.properties) ? schema.properties : {}))
  const others = schema.additionalProperties ?? schema.unevaluatedProperties
  if (schema.patternProperties !== undefined) return { names, others: 'its own' }
  if (others !== undefined) return { names, others: others === false ? 'refused' : 'its own' }
  return { names, others: schema.properties === undefined ? 'silent' : 'nothing' }
}

/** All of these hold: one refusal is enough. */
function together(parts: readonly Found[]): Found {
  const order = ['refused', 'its own', 'nothing'] as const
  const others = order.find((one) => parts.some((part) => part.others === one)) ?? 'silent'
  return { names: union(parts), others }
}

/** One of these holds: one that takes any key is enough. */
function either(branches: readonly Found[]): Found {
  const names = union(branches)
  if (branches.some(({ others }) => others === 'its own' || others === 'silent'))
    return { names, others: 'its own' }
  return { names, others: branches.every(({ others }) => others === 'refused') ? 'refused' : 'nothing' }
}

/** Schemas that hold under a condition. */
function conditional({ then, else: otherwise, dependentSchemas }: JsonObject): unknown[] {
  return [then, otherwise, ...Object.values(isObject(dependentSchemas) ? dependentSchemas : {})]
}

function sometimes({ names, others }: Found): Found {
  return { names, others: others === 'refused' ? 'its own' : others }
}

function union(found: readonly Found[]): ReadonlySet<string> {
  return new Set(found.flatMap(({ names }) => [...names]))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
