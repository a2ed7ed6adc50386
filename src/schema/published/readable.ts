/**
 * Rewrites a schema so that well-known clients can read it, whichever draft their validator knows. The result may accept
 * more than the original, never less; calls are checked by the original.
 */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { mapSubschemas, resolveLocal, subschemas, withPrefixItems } from '../keywords.js'
import { canonical } from '../values/contradicts.js'

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

const removed = ['$id', '$dynamicAnchor', '$dynamicRef', '$recursiveRef', '$recursiveAnchor']
/** An `$anchor` stays: no reader trips over it, and SEP-2106 has servers keep it. */
const naming = [...removed, '$anchor']

/** The schema with references by path; itself where it has no names. Every reference must lead somewhere inside. */
export function withPathReferences(json: JsonObject): JsonObject {
  const places = placesIn(json)
  if (!places.some(({ schema }) => naming.some((keyword) => Object.hasOwn(schema, keyword)))) return json
  const targets = new Map(places.flatMap(namesOf))
  const bases = new Map(places.map(({ schema, base }) => [schema, base]))
  return rewrite(json)

  function rewrite(schema: JsonObject): JsonObject {
    const base = bases.get(schema) ?? ''
    const kept = Object.entries(schema).filter(
      ([keyword]) => keyword === '$ref' || !removed.includes(keyword),
    )
    const inner = mapSubschemas(Object.fromEntries(kept), rewrite)
    const ref = schema.$ref ?? schema.$dynamicRef
    if (typeof ref !== 'string') return inner
    const path = pathOf(ref, base)
    if (path !== undefined) return { ...inner, $ref: path }
    const { $ref, ...others } = inner
    return others // accepts more: no reader could follow it
  }

  /** A reference counts from the nearest schema around it that has an `$id`. */
  function pathOf(ref: string, base: string): string | undefined {
    const [name = '', fragment = ''] = ref.split('#')
    const from = name === '' ? base : targets.get(name)
    if (from === undefined) return undefined
    if (fragment !== '' && !fragment.startsWith('/')) return pointer(targets.get(`${from}#${fragment}`))
    const found = resolveLocal(json, `#${from}${fragment}`)
    return found === undefined ? pathFromRoot(fragment) : pointer(`${from}${fragment}`)
  }

  /** People write such paths from the root, below an `$id` too. */
  function pathFromRoot(fragment: string): string | undefined {
    return resolveLocal(json, `#${fragment}`) === undefined ? undefined : pointer(fragment)
  }
}

function pointer(path: string | undefined): string | undefined {
  return path === undefined ? undefined : `#${path}`
}

interface Place {
  readonly schema: JsonObject
  /** A JSON pointer, escaped for a fragment. */
  readonly path: string
  /** The path of the nearest schema around it with an `$id`, itself included. */
  readonly base: string
}

function placesIn(json: JsonObject): Place[] {
  const places: Place[] = [{ schema: json, path: '', base: '' }]
  for (const { schema, path, base } of places) {
    for (const { steps, schema: inner } of subschemas(schema)) {
      if (!isObject(inner)) continue
      const at = `${path}/${steps.map(escaped).join('/')}`
      places.push({ schema: inner, path: at, base: isBase(inner) ? at : base })
    }
  }
  return places
}

function isBase({ $id }: JsonObject): boolean {
  return typeof $id === 'string' && !$id.startsWith('#')
}

function namesOf({ schema, path, base }: Place): [name: string, path: string][] {
  const { $id, $anchor, $dynamicAnchor } = schema
  const anchors = [$anchor, $dynamicAnchor].filter((anchor) => typeof anchor === 'string')
  const names: [string, string][] = anchors.map((anchor) => [`${base}#${anchor}`, path])
  if (typeof $id !== 'string') return names
  // Draft-07 writes an anchor as an `$id`.
  return [...names, $id.startsWith('#') ? [$id, path] : [$id.replace(/#$/, ''), path]]
}

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$')
}
