/**
 * Rewrites a schema so that well-known clients can read it, whichever draft their validator knows. The result may accept
 * more than the original, never less; calls are checked by the original.
 */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { mapSubschemas, withPrefixItems } from '../keywords.js'
import { canonical } from '../values/contradicts.js'
import { withPathReferences } from './path-references.js'

type Note = (change: string) => void

/** The schema as it is published; itself where every reader can take it. `note` receives each change, in words. */
export function readable(json: JsonObject, note: Note): JsonObject {
  let changed = false
  const referring = withPathReferences(json)
  const rewritten = rewrite(referring, (change) => {
    changed = true
    if (change !== undefined) note(change)
  })
  return changed ? rewritten : referring
}

type Changed = (change?: string) => void

function rewrite(schema: JsonObject, changed: Changed): JsonObject {
  const inner = mapSubschemas(withObjects(schema, changed), (one) => rewrite(one, changed))
  return withItems(withoutTuple(inner, changed), changed)
}

/** Maps and lists whose members some readers want to be objects. */
const holdingObjects = ['properties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

/** `true` and `false` as the objects that mean the same: official clients refuse a whole list for one flag in `properties`. */
function withObjects(schema: JsonObject, changed: Changed): JsonObject {
  const flagged = holdingObjects.filter((keyword) => {
    const held = schema[keyword]
    return typeof held === 'object' && held !== null && Object.values(held).some(isFlag)
  })
  if (flagged.length === 0) return schema
  changed()
  const mended = flagged.map((keyword) => {
    const held = schema[keyword] as object
    if (Array.isArray(held)) return [keyword, held.map(asObject)]
    return [keyword, Object.fromEntries(Object.entries(held).map(([key, one]) => [key, asObject(one)]))]
  })
  return { ...schema, ...Object.fromEntries(mended) }
}

function isFlag(schema: unknown): boolean {
  return typeof schema === 'boolean'
}

function asObject(schema: unknown): unknown {
  if (schema === true) return {}
  return schema === false ? { not: {} } : schema
}

/** Longer ones aren't repeated: tuples inside tuples would double at each level. */
const longestTuple = 2_000

/**
 * A tuple that both drafts read: `prefixItems` for 2020-12, and for draft-07, which doesn't know that keyword, `items`
 * with whatever may stand anywhere.
 */
function withoutTuple(schema: JsonObject, changed: Changed): JsonObject {
  const { prefixItems, ...rest } = withPrefixItems(schema)
  if (!Array.isArray(prefixItems)) return schema
  const { items, unevaluatedItems, ...others } = rest
  const isClosed = items === false || (items === undefined && unevaluatedItems === false)
  const anywhere = isClosed ? prefixItems : [...prefixItems, items ?? {}]
  const tuple = {
    ...others,
    ...(!isClosed && unevaluatedItems !== undefined && { unevaluatedItems }),
    ...(prefixItems.length > 0 && { prefixItems }),
    items: anyOf(anywhere),
    ...(isClosed && { maxItems: Math.min(prefixItems.length, maximum(others.maxItems)) }),
  }
  if (canonical(tuple) === canonical(schema)) return schema
  changed('tuples are published in a form that draft-07 and 2020-12 both read')
  return tuple
}

function maximum(maxItems: unknown): number {
  return typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY
}

function anyOf(schemas: readonly unknown[]): unknown {
  const distinct = [...new Map(schemas.map((schema) => [canonical(schema), schema])).values()]
  const saysNothing = distinct.some((one) => one === true || (isObject(one) && Object.keys(one).length === 0))
  if (distinct.length === 0 || saysNothing || JSON.stringify(distinct).length > longestTuple) return {}
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct }
}

/** Copilot and OpenAI refuse a tool with an array that doesn't say what it holds. */
function withItems(schema: JsonObject, changed: Changed): JsonObject {
  const { type, items } = schema
  if (isObject(items)) return schema
  if (items === false) {
    changed()
    return { ...schema, items: {}, maxItems: 0 }
  }
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'))
  if (items === undefined && !isArray) return schema
  changed(items === undefined ? 'arrays without `items` are published with `items: {}`' : undefined)
  return { ...schema, items: {} }
}
