/**
 * Rewrites references by name (`#task`, `https://example.com/task`) into references by path (`#/$defs/task`), and removes
 * the other names. Validators of one draft don't know the other's names, and some clients keep one schema per `$id`.
 */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { mapSubschemas, resolveLocal, subschemas } from '../keywords.js'

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
