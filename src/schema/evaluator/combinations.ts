/** Keywords that apply further schemas to the same value. */

import { isObject, listOf } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import type { Applicator, Check, Node } from './run.js'

export const combinations: Readonly<Record<string, Applicator>> = {
  $ref: (schema, compiler, node) => applied(compiler.target(node, String(schema.$ref), false)),
  $dynamicRef: (schema, compiler, node) => applied(compiler.target(node, String(schema.$dynamicRef), true)),
  allOf(schema, compiler, node) {
    const parts = listOf(schema.allOf).map((part) => compiler.inPlace(node, part))
    return (value, run, evaluated) => {
      let valid = true
      for (const part of parts) {
        if (run.evaluate(part, value, evaluated)) continue
        if (!run.collectsFailures) return false
        valid = false
      }
      return valid
    }
  },
  anyOf(schema, compiler, node) {
    const branches = listOf(schema.anyOf).map((branch) => compiler.inPlace(node, branch))
    return (value, run, evaluated) => {
      let valid = false
      for (const branch of branches) {
        if (!run.fits(branch, value, evaluated)) continue
        valid = true
        if (evaluated === undefined) break // tracking needs every matching branch
      }
      if (valid) return true
      return run.explain(branches, value, schema, 'anyOf')
    }
  },
  oneOf(schema, compiler, node) {
    const branches = listOf(schema.oneOf).map((branch) => compiler.inPlace(node, branch))
    return (value, run, evaluated) => {
      let fitting = 0
      for (const branch of branches) {
        if (run.fits(branch, value, evaluated)) fitting += 1
        if (fitting > 1) break
      }
      if (fitting === 1) return true
      if (fitting === 0) return run.explain(branches, value, schema, 'oneOf')
      return run.fail(schema, 'oneOf', value, 'must match exactly one schema in oneOf')
    }
  },
  not(schema, compiler, node) {
    const inner = compiler.inPlace(node, schema.not)
    return (value, run) =>
      !run.fits(inner, value, undefined) || run.fail(schema, 'not', value, 'must NOT be valid')
  },
  if(schema, compiler, node) {
    const condition = compiler.inPlace(node, schema.if)
    const [positive, negative] = ['then', 'else'].map((keyword) =>
      schema[keyword] === undefined ? undefined : compiler.inPlace(node, schema[keyword]),
    )
    return (value, run, evaluated) => {
      const holds = run.fits(condition, value, evaluated)
      const consequence = holds ? positive : negative
      if (consequence === undefined || run.evaluate(consequence, value, evaluated)) return true
      return run.fail(schema, 'if', value, `must match "${holds ? 'then' : 'else'}" schema`)
    }
  },
  dependentSchemas: (schema, compiler, node) =>
    dependent(entriesOf(schema.dependentSchemas), (inner) => compiler.inPlace(node, inner)),
  dependencies(schema, compiler, node) {
    const schemas = entriesOf(schema.dependencies).filter(([, inner]) => !Array.isArray(inner))
    return dependent(schemas, (inner) => compiler.inPlace(node, inner))
  },
}

function applied(target: Node): Check {
  return (value, run, evaluated) => run.evaluate(target, value, evaluated)
}

/** Applies schemas that depend on the presence of a key. */
function dependent(entries: readonly [string, unknown][], compile: (schema: unknown) => Node): Check {
  const schemas = entries.map(([key, schema]) => [key, compile(schema)] as const)
  return (value, run, evaluated) => {
    if (!isObject(value)) return true
    let valid = true
    for (const [key, schema] of schemas) {
      if (!Object.hasOwn(value, key) || run.evaluate(schema, value, evaluated)) continue
      if (!run.collectsFailures) return false
      valid = false
    }
    return valid
  }
}

export function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value as JsonObject) : []
}
