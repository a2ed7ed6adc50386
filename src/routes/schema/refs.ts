/** Resolves references of JSON Schema, within one document or to other given documents. Nothing is fetched. */

import type { JsonObject } from '../../schema/compiled.js'
import { resolveLocal, subschemas } from '../../schema/keywords.js'
import { isObject } from '../../support/values.js'

/** The target of a reference. */
export interface Followed {
  readonly schema: unknown
  /** The document that references inside it are relative to. */
  readonly base: JsonObject
}

/** Resolves a reference; returns `undefined` if its target doesn't exist or is outside the given documents. */
export type Follow = (ref: string, base: JsonObject) => Followed | undefined

/**
 * Creates a resolver for `#`, `#/…`, `#anchor` and `$id`s in the same document, and for the ids of other given
 * documents.
 */
export function localRefs(documents: ReadonlyMap<string, JsonObject> = new Map()): Follow {
  const indexes = new WeakMap<JsonObject, ReadonlyMap<string, JsonObject>>()

  return (ref, base) => {
    const [id = '', fragment = ''] = splitRef(ref)
    const document = id === '' ? base : (namesIn(base).get(id) ?? documents.get(id))
    if (document === undefined) return undefined
    if (fragment === '' || fragment.startsWith('/')) {
      const schema = resolveLocal(document, `#${fragment}`)
      return schema === undefined ? undefined : { schema, base: document }
    }
    const schema = namesIn(document).get(`#${fragment}`)
    return schema === undefined ? undefined : { schema, base: document }
  }

  function namesIn(document: JsonObject): ReadonlyMap<string, JsonObject> {
    const known = indexes.get(document)
    if (known !== undefined) return known
    const names = collectNames(document)
    indexes.set(document, names)
    return names
  }
}

function splitRef(ref: string): [id: string, fragment: string] {
  const at = ref.indexOf('#')
  return at < 0 ? [ref, ''] : [ref.slice(0, at), ref.slice(at + 1)]
}

/** Collects ids as they are, and anchors with a leading `#`. */
function collectNames(document: JsonObject): ReadonlyMap<string, JsonObject> {
  const names = new Map<string, JsonObject>()
  const pending: unknown[] = [document]
  const seen = new Set<unknown>()
  for (const schema of pending) {
    if (!isObject(schema) || seen.has(schema)) continue
    seen.add(schema)
    const { $id, $anchor } = schema
    if (typeof $id === 'string') names.set($id.replace(/#$/, ''), schema)
    if (typeof $anchor === 'string') names.set(`#${$anchor}`, schema)
    for (const inner of subschemas(schema)) pending.push(inner.schema)
  }
  return names
}

/** Finds recursive reference targets. Caches its results, because a document has many roots. */
export class Recursion {
  readonly #follow: Follow
  readonly #found = new Map<JsonObject, boolean>()

  constructor(follow: Follow) {
    this.#follow = follow
  }

  has({ schema, base }: { schema: JsonObject; base: JsonObject }): boolean {
    const known = this.#found.get(schema)
    if (known !== undefined) return known
    for (const component of components({ schema, base }, this.#follow, this.#found)) {
      const [first] = component
      const recursive = component.length > 1 || first?.targets.has(first.schema) === true
      for (const node of component) this.#found.set(node.schema, recursive)
    }
    return this.#found.get(schema) === true
  }
}

interface Node {
  readonly schema: JsonObject
  readonly targets: ReadonlyMap<JsonObject, JsonObject>
  readonly index: number
  low: number
  open: boolean
}

/**
 * Returns the strongly connected components (Tarjan) of the targets that can be reached from `start` and aren't known
 * yet.
 */
function components(
  start: { schema: JsonObject; base: JsonObject },
  follow: Follow,
  known: ReadonlyMap<JsonObject, boolean>,
): Node[][] {
  const nodes = new Map<JsonObject, Node>()
  const path: Node[] = []
  const found: Node[][] = []
  visit(start.schema, start.base)
  return found

  function visit(schema: JsonObject, base: JsonObject): Node {
    const targets = targetsIn(schema, base, follow)
    const node: Node = { schema, targets, index: nodes.size, low: nodes.size, open: true }
    nodes.set(schema, node)
    path.push(node)
    for (const [target, targetBase] of targets) {
      if (known.has(target)) continue
      const met = nodes.get(target)
      if (met === undefined) node.low = Math.min(node.low, visit(target, targetBase).low)
      else if (met.open) node.low = Math.min(node.low, met.index)
    }
    if (node.low === node.index) found.push(close(node))
    return node
  }

  function close(root: Node): Node[] {
    const component = path.splice(path.indexOf(root))
    for (const node of component) node.open = false
    return component
  }
}

/** Returns the targets of the references inside a schema, with their base documents. */
function targetsIn(root: JsonObject, rootBase: JsonObject, follow: Follow): Map<JsonObject, JsonObject> {
  const targets = new Map<JsonObject, JsonObject>()
  const pending: Array<[unknown, JsonObject]> = [[root, rootBase]]
  const seen = new Set<unknown>()
  for (const [schema, outer] of pending) {
    if (!isObject(schema) || seen.has(schema)) continue
    seen.add(schema) // YAML aliases can create cyclic schemas
    const base = baseOf(schema, outer)
    if (typeof schema.$ref === 'string') {
      const followed = follow(schema.$ref, base)
      if (followed !== undefined && isObject(followed.schema)) targets.set(followed.schema, followed.base)
    }
    const { $defs, definitions, ...applied } = schema
    for (const inner of subschemas(applied)) pending.push([inner.schema, base])
  }
  return targets
}

/** Returns the base document of a schema. An `$id` starts a new document. */
export function baseOf(schema: JsonObject, outer: JsonObject): JsonObject {
  return typeof schema.$id === 'string' && !schema.$id.startsWith('#') ? schema : outer
}

/** A schema with the functions to resolve its references. */
export interface Source {
  readonly schema: JsonObject
  readonly base: JsonObject
  readonly follow: Follow
  readonly recursion: Recursion
}
