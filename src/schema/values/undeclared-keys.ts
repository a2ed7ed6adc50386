/** Drops keys of results that an ArkType output doesn't declare: ArkType alone keeps them unless told otherwise. */

import { whenReady } from '../../support/maybe-promise.js'
import { isObject } from '../../support/values.js'
import type { StandardSchemaV1 } from '../types.js'

export interface StrippingOutput {
  /** Parses a result. */
  readonly schema: StandardSchemaV1
  /** The part of the output that keeps undeclared keys, in words. */
  readonly gap?: string
}

/**
 * The schema with which a result is parsed. Objects that say themselves what becomes of undeclared keys are honoured: all
 * of them as they are, and a refusal beside objects that say nothing.
 */
export function strippingOutput(schema: StandardSchemaV1): StrippingOutput {
  if (schema['~standard'].vendor !== 'arktype') return { schema }
  const { onDeepUndeclaredKey } = schema as { onDeepUndeclaredKey?: unknown }
  if (typeof onDeepUndeclaredKey !== 'function') return { schema }
  const rules = undeclaredRules(schema)
  if (!rules.has(undefined)) return { schema }
  let stripping: StandardSchemaV1
  try {
    stripping = onDeepUndeclaredKey.call(schema, 'delete') as StandardSchemaV1
  } catch {
    return { schema, gap: 'is a union that overlaps' }
  }
  const parser = rules.has('reject') ? checkedFirst(schema, stripping) : stripping
  if (!undeclaredRules(stripping).has(undefined)) return { schema: parser }
  return { schema: parser, gap: 'holds a type that refers to itself, or an object that a morph returns' }
}

/** `onDeepUndeclaredKey` overrides `'+': 'reject'`. */
function checkedFirst(schema: StandardSchemaV1, stripping: StandardSchemaV1): StandardSchemaV1 {
  const check = schema['~standard']
  const strip = stripping['~standard']
  const validate: typeof strip.validate = (value) =>
    whenReady(check.validate(value), (checked) =>
      checked.issues === undefined ? strip.validate(value) : checked,
    )
  return { '~standard': { version: 1, vendor: check.vendor, validate } }
}

/** A node of ArkType's representation. */
interface ArkNode {
  readonly kind?: unknown
  readonly undeclared?: unknown
  readonly json?: unknown
  /** What an alias stands for. */
  readonly resolution?: unknown
  readonly referencesById?: unknown
}

/** What the object types inside say of undeclared keys; `undefined` is the rule of those that say nothing. */
function undeclaredRules(schema: object): ReadonlySet<unknown> {
  const rules = new Set<unknown>()
  const nodes = new Set<ArkNode>([schema as ArkNode])
  for (const { kind, undeclared, json, resolution, referencesById } of nodes) {
    if (kind === 'structure' && declaresKeys(json)) rules.add(undeclared)
    if (kind === 'alias' && isNode(resolution)) nodes.add(resolution)
    if (isObject(referencesById)) for (const node of Object.values(referencesById)) nodes.add(node as ArkNode)
  }
  return rules
}

/** ArkType's nodes are functions. */
function isNode(value: unknown): value is ArkNode {
  return typeof value === 'function' || isObject(value)
}

/** False for arrays and for records of any key. */
function declaresKeys(json: unknown): boolean {
  if (!isObject(json) || Object.hasOwn(json, 'sequence')) return false
  const { index } = json
  return !(Array.isArray(index) && index.some((one) => isObject(one) && one.signature === 'string'))
}
