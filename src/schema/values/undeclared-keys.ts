/** Drops undeclared keys from results with an ArkType schema, which keeps them by default. */

import { whenReady } from '../../support/maybe-promise.js'
import { isObject } from '../../support/values.js'
import type { StandardSchemaV1 } from '../types.js'

export interface StrippingOutput {
  /** Parses a result. */
  readonly schema: StandardSchemaV1
  /** Describes the part of the schema that keeps undeclared keys. */
  readonly gap?: string
}

/**
 * Returns the schema that parses results. Objects with their own rule for undeclared keys keep it, and their rejections
 * also apply if other objects have no rule.
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

/** Runs the original schema first, because `onDeepUndeclaredKey` overrides `'+': 'reject'`. */
function checkedFirst(schema: StandardSchemaV1, stripping: StandardSchemaV1): StandardSchemaV1 {
  const check = schema['~standard']
  const strip = stripping['~standard']
  const validate: typeof strip.validate = (value) =>
    whenReady(check.validate(value), (checked) =>
      checked.issues === undefined ? strip.validate(value) : checked,
    )
  return { '~standard': { version: 1, vendor: check.vendor, validate } }
}

/** A node of ArkType's internal representation. */
interface ArkNode {
  readonly kind?: unknown
  readonly undeclared?: unknown
  readonly json?: unknown
  /** The target of an alias. */
  readonly resolution?: unknown
  readonly referencesById?: unknown
}

/** Returns the rules for undeclared keys in all object types; `undefined` stands for objects without a rule. */
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

/** Whether a value is a node. ArkType's nodes are functions. */
function isNode(value: unknown): value is ArkNode {
  return typeof value === 'function' || isObject(value)
}

/** Whether a node declares keys. False for arrays and for records of arbitrary keys. */
function declaresKeys(json: unknown): boolean {
  if (!isObject(json) || Object.hasOwn(json, 'sequence')) return false
  const { index } = json
  return !(Array.isArray(index) && index.some((one) => isObject(one) && one.signature === 'string'))
}
