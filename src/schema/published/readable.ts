/**
 * Rewrites a schema so that well-known clients can read it, whichever draft their validator supports. The result may
 * accept more than the original, never less; calls are validated with the original.
 */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { mapSubschemas, resolveLocal, subschemas, withPrefixItems } from '../keywords.js'
import { canonical } from '../values/contradicts.js'

type Note = (change: string) => void

/**
 * Returns the schema to publish; the same object if no change is needed. `note` receives a description of each change.
 */
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

/** Keywords whose members must be objects for some clients. */
const objectMembers = ['properties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

/**
 * Replaces `true` and `false` by equivalent objects. Official clients reject a whole list because of one boolean in
 * `properties`.
 */
function withObjects(schema: JsonObject, changed: Changed): JsonObject {
  const flagged = objectMembers.filter((keyword) => {
    const members = schema[keyword]
    return typeof members === 'object' && members !== null && Object.values(members).some(isFlag)
  })
  if (flagged.length === 0) return schema
  changed()
  const replaced = flagged.map((keyword) => {
    const members = schema[keyword] as object
    if (Array.isArray(members)) return [keyword, members.map(asObject)]
    return [keyword, Object.fromEntries(Object.entries(members).map(([key, one]) => [key, asObject(one)]))]
  })
  return { ...schema, ...Object.fromEntries(replaced) }
}

function isFlag(schema: unknown): boolean {
  return typeof schema === 'boolean'
}

function asObject(schema: unknown): unknown {
  if (schema === true) return {}
  return schema === false ? { not: {} } : schema
}

/** Maximum length of a repeated tuple. Nested tuples would double at each level. */
const longestTuple = 2_000

/**
 * Writes a tuple for both drafts: `prefixItems` for 2020-12, and for draft-07, which ignores that keyword, `items` with
 * the schemas of all positions.
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

/** Adds `items` to arrays. Copilot and OpenAI reject tools with an array without it. */
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

const removedKeywords = ['$id', '$dynamicAnchor', '$dynamicRef', '$recursiveRef', '$recursiveAnchor']
/** Keywords that name schemas. `$anchor` isn't removed: clients accept it, and SEP-2106 requires servers to keep it. */
const namingKeywords = [...removedKeywords, '$anchor']

/**
 * Replaces references by name with references by path; returns the same object if it has no names. All references must
 * resolve within the schema.
 */
export function withPathReferences(json: JsonObject): JsonObject {
  const places = placesIn(json)
  if (!places.some(({ schema }) => namingKeywords.some((keyword) => Object.hasOwn(schema, keyword))))
    return json
  const targets = new Map(places.flatMap(namesOf))
  const bases = new Map(places.map(({ schema, base }) => [schema, base]))
  return rewrite(json)

  function rewrite(schema: JsonObject): JsonObject {
    const base = bases.get(schema) ?? ''
    const kept = Object.entries(schema).filter(
      ([keyword]) => keyword === '$ref' || !removedKeywords.includes(keyword),
    )
    const inner = mapSubschemas(Object.fromEntries(kept), rewrite)
    const ref = schema.$ref ?? schema.$dynamicRef
    if (typeof ref !== 'string') return inner
    const path = pathOf(ref, base)
    if (path !== undefined) return { ...inner, $ref: path }
    const { $ref, ...others } = inner
    return others // accepts more, because clients can't resolve it
  }

  /** Returns the path of a reference, which is relative to the nearest enclosing schema with an `$id`. */
  function pathOf(ref: string, base: string): string | undefined {
    const [name = '', fragment = ''] = ref.split('#')
    const from = name === '' ? base : targets.get(name)
    if (from === undefined) return undefined
    if (fragment !== '' && !fragment.startsWith('/')) return pointer(targets.get(`${from}#${fragment}`))
    const found = resolveLocal(json, `#${from}${fragment}`)
    return found === undefined ? pathFromRoot(fragment) : pointer(`${from}${fragment}`)
  }

  /** Resolves a path from the root. Authors write such paths even below an `$id`. */
  function pathFromRoot(fragment: string): string | undefined {
    return resolveLocal(json, `#${fragment}`) === undefined ? undefined : pointer(fragment)
  }
}

function pointer(path: string | undefined): string | undefined {
  return path === undefined ? undefined : `#${path}`
}

interface Place {
  readonly schema: JsonObject
  /** A JSON pointer, encoded for a fragment. */
  readonly path: string
  /** The path of the nearest enclosing schema with an `$id`, including itself. */
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
  // Draft-07 writes anchors as `$id`.
  return [...names, $id.startsWith('#') ? [$id, path] : [$id.replace(/#$/, ''), path]]
}

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$')
}
