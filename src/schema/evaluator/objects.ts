/** Keywords for the members of objects. */

import { isObject, listOf } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { structuredCopy } from './arrays.js'
import { entriesOf } from './combinations.js'
import type { Applicator, Check, Node } from './run.js'

/** Keywords that read keys only. */
const own: Readonly<Record<string, Applicator>> = {
  required(schema) {
    return requires(schema, 'required', undefined, schema.required)
  },
  dependentRequired(schema) {
    return allOf(
      entriesOf(schema.dependentRequired).map(([key, names]) =>
        requires(schema, 'dependentRequired', key, names),
      ),
    )
  },
  dependencies(schema) {
    const lists = entriesOf(schema.dependencies).filter(([, names]) => Array.isArray(names))
    return allOf(lists.map(([key, names]) => requires(schema, 'dependentRequired', key, names)))
  },
  propertyNames(schema, compiler) {
    const node = compiler.node(schema.propertyNames)
    return (value, run) => {
      if (!isObject(value)) return true
      let valid = true
      for (const propertyName of Object.keys(value)) {
        if (run.fits(node, propertyName, undefined)) continue
        if (!run.collectsFailures) return false
        valid = run.fail(schema, 'propertyNames', value, 'property name must be valid', { propertyName })
      }
      return valid
    }
  },
}

const members: Readonly<Record<string, Applicator>> = {
  properties(schema, compiler, owner) {
    const entries = entriesOf(schema.properties).map(([key, inner]) => [key, compiler.node(inner)] as const)
    // Checks constants first, because they distinguish the branches of a union.
    const quick = [...entries].sort(([, a], [, b]) => Number(isDeep(a)) - Number(isDeep(b)))
    owner.tags.push(...entries.filter(([, node]) => !isDeep(node)))
    return (value, run, evaluated) => {
      if (!isObject(value)) return true
      let valid = true
      for (const [key, node] of run.collectsFailures ? entries : quick) {
        if (!Object.hasOwn(value, key)) continue
        evaluated?.keys.add(key)
        if (run.descend(node, value, key)) continue
        if (!run.collectsFailures) return false
        valid = false
      }
      return valid
    }
  },
  patternProperties(schema, compiler) {
    const entries = entriesOf(schema.patternProperties).map(
      ([pattern, inner]) => [new RegExp(pattern, 'u'), compiler.node(inner)] as const,
    )
    return (value, run, evaluated) => {
      if (!isObject(value)) return true
      let valid = true
      for (const key of Object.keys(value)) {
        for (const [pattern, node] of entries) {
          if (!pattern.test(key)) continue
          evaluated?.keys.add(key)
          if (run.descend(node, value, key)) continue
          if (!run.collectsFailures) return false
          valid = false
        }
      }
      return valid
    }
  },
  additionalProperties(schema, compiler) {
    const named = new Set(entriesOf(schema.properties).map(([key]) => key))
    const patterns = entriesOf(schema.patternProperties).map(([pattern]) => new RegExp(pattern, 'u'))
    const isNamed = (key: string): boolean => named.has(key) || patterns.some((pattern) => pattern.test(key))
    return others(schema, 'additionalProperties', compiler.node(schema.additionalProperties), isNamed)
  },
}

const unevaluated: Readonly<Record<string, Applicator>> = {
  unevaluatedProperties(schema, compiler) {
    const node = compiler.node(schema.unevaluatedProperties)
    const check = others(schema, 'unevaluatedProperties', node, undefined)
    return (value, run, evaluated) => evaluated?.allKeys === true || check(value, run, evaluated)
  },
}

type Table = Readonly<Record<string, Applicator>>

export const objects: { readonly own: Table; readonly members: Table; readonly unevaluated: Table } = {
  own,
  members,
  unevaluated,
}

/** Checks the keys that no other keyword names. `isNamed`: omitted if those are the evaluated keys. */
function others(
  schema: JsonObject,
  keyword: string,
  node: Node,
  isNamed: ((key: string) => boolean) | undefined,
): Check {
  const param = keyword === 'additionalProperties' ? 'additionalProperty' : 'unevaluatedProperty'
  return (value, run, evaluated) => {
    if (!isObject(value)) return true
    let valid = true
    for (const key of Object.keys(value)) {
      if (isNamed === undefined ? evaluated?.keys.has(key) : isNamed(key)) continue
      const holds =
        schema[keyword] === false
          ? run.fail(schema, keyword, value, 'must NOT have additional properties', { [param]: key })
          : run.descend(node, value, key)
      if (holds) continue
      if (!run.collectsFailures) return false
      valid = false
    }
    if (evaluated !== undefined) evaluated.allKeys = true
    return valid
  }
}

/** Checks for required keys. `property`: the key whose presence requires them. */
function requires(schema: JsonObject, keyword: string, property: string | undefined, given: unknown): Check {
  const names = listOf(given).map(String)
  const message = property === undefined ? 'is required' : `is required together with ${property}`
  return (value, run) => {
    if (!isObject(value) || (property !== undefined && !Object.hasOwn(value, property))) return true
    let valid = true
    for (const missingProperty of names) {
      if (Object.hasOwn(value, missingProperty)) continue
      valid = run.fail(schema, keyword, value, message, { missingProperty, property })
      if (!run.collectsFailures) return false
    }
    return valid
  }
}

function allOf(checks: readonly Check[]): Check {
  return (value, run, evaluated) => {
    let valid = true
    for (const check of checks) {
      if (check(value, run, evaluated)) continue
      if (!run.collectsFailures) return false
      valid = false
    }
    return valid
  }
}

function isDeep({ schema }: Node): boolean {
  return !['const', 'enum'].some((keyword) => Object.hasOwn(schema, keyword))
}

/** Returns a function that fills in the defaults of missing properties. */
export function propertyDefaults({ properties }: JsonObject): ((value: unknown) => void) | undefined {
  const defaults = entriesOf(properties).flatMap(([key, inner]) =>
    isObject(inner) && inner.default !== undefined ? [[key, inner.default] as const] : [],
  )
  if (defaults.length === 0) return undefined
  return (value) => {
    if (!isObject(value)) return
    for (const [key, missing] of defaults) {
      if (Object.hasOwn(value, key)) continue
      const copy = structuredCopy(missing)
      if (key !== '__proto__') value[key] = copy
    }
  }
}
