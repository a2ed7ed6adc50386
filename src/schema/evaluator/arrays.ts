/** Keywords for the items of arrays. */

import { isObject, listOf } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import type { Applicator, Check, Node, Run, SubschemaCompiler } from './run.js'
import { countOf } from './values.js'

const own: Readonly<Record<string, Applicator>> = {
  uniqueItems(schema) {
    if (schema.uniqueItems !== true) return undefined
    return (value, run) => {
      const pair = Array.isArray(value) ? run.comparer.duplicate(value) : undefined
      if (pair === undefined) return true
      const message = `must NOT have duplicate items (items ${pair[0]} and ${pair[1]} are equal)`
      return run.fail(schema, 'uniqueItems', value, message)
    }
  },
  prefixItems: (schema, compiler) => tuple(listOf(schema.prefixItems), compiler),
  items(schema, compiler) {
    if (Array.isArray(schema.items)) return tuple(schema.items, compiler)
    const start = compiler.draft07 ? 0 : listOf(schema.prefixItems).length
    return rest(schema, 'items', start, compiler)
  },
  additionalItems(schema, compiler) {
    const isTuple = compiler.draft07 && Array.isArray(schema.items)
    return isTuple ? rest(schema, 'additionalItems', listOf(schema.items).length, compiler) : undefined
  },
  contains(schema, compiler) {
    const wanted = compiler.node(schema.contains)
    const counts = (keyword: string): boolean => !compiler.draft07 && schema[keyword] !== undefined
    const least = counts('minContains') ? countOf(schema, 'minContains') : 1
    const most = counts('maxContains') ? countOf(schema, 'maxContains') : Number.POSITIVE_INFINITY
    const message = `must contain at least ${least}${Number.isFinite(most) ? ` and no more than ${most}` : ''} valid item(s)`
    return (value, run, evaluated) => {
      if (!Array.isArray(value)) return true
      let found = 0
      for (let index = 0; index < value.length; index++) {
        if (!run.memberFits(wanted, value, index)) continue
        found += 1
        evaluated?.indexes.add(index)
        if (evaluated === undefined && found >= least && !Number.isFinite(most)) return true
      }
      return (found >= least && found <= most) || run.fail(schema, 'contains', value, message)
    }
  },
}

const unevaluated: Readonly<Record<string, Applicator>> = {
  unevaluatedItems(schema, compiler) {
    const inner = compiler.node(schema.unevaluatedItems)
    return (value, run, evaluated) => {
      if (!Array.isArray(value) || evaluated === undefined || evaluated.allItems) return true
      const { items, indexes } = evaluated
      evaluated.allItems = true
      return everyItem(value, items, run, (index) => {
        if (indexes.has(index)) return true
        if (schema.unevaluatedItems !== false) return run.descend(inner, value, index)
        return run.fail(schema, 'unevaluatedItems', value, `must NOT have more than ${index} items`)
      })
    }
  },
}

type Table = Readonly<Record<string, Applicator>>

export const arrays: { readonly own: Table; readonly unevaluated: Table } = { own, unevaluated }

function tuple(schemas: readonly unknown[], compiler: SubschemaCompiler): Check {
  const nodes = schemas.map((schema) => compiler.node(schema))
  return (value, run, evaluated) => {
    if (!Array.isArray(value)) return true
    const length = Math.min(nodes.length, value.length)
    if (evaluated !== undefined) evaluated.items = Math.max(evaluated.items, length)
    if (run.trialDepth === 0) fillItems(nodes, value)
    let valid = true
    for (const [index, node] of nodes.entries()) {
      if (index >= value.length || run.descend(node, value, index)) continue
      if (!run.collectsFailures) return false
      valid = false
    }
    return valid
  }
}

/** Fills in defaults of missing items, up to the first item without a default. */
function fillItems(nodes: readonly Node[], value: unknown[]): void {
  while (value.length < nodes.length) {
    const { default: missing } = nodes[value.length]?.schema ?? {}
    if (missing === undefined) return
    value.push(structuredCopy(missing))
  }
}

function rest(schema: JsonObject, keyword: string, start: number, compiler: SubschemaCompiler): Check {
  const node = compiler.node(schema[keyword])
  const message = `must NOT have more than ${start} items`
  return (value, run, evaluated) => {
    if (!Array.isArray(value)) return true
    if (evaluated !== undefined) evaluated.allItems = true
    if (schema[keyword] === false) {
      return value.length <= start || run.fail(schema, keyword, value, message)
    }
    return everyItem(value, start, run, (index) => run.descend(node, value, index))
  }
}

function everyItem(
  value: readonly unknown[],
  start: number,
  run: Run,
  check: (index: number) => boolean,
): boolean {
  let valid = true
  for (let index = start; index < value.length; index++) {
    if (check(index)) continue
    if (!run.collectsFailures) return false
    valid = false
  }
  return valid
}

/** Copies plain JSON. */
export function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, structuredCopy(inner)]))
}
