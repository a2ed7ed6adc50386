/** Resolves references within one schema: by path, `$anchor` and `$id`. Nothing is loaded from outside. */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { resolveLocal, subschemas } from '../keywords.js'

/** A schema resource: a schema with an `$id`, or the root. Paths and anchors are relative to it. */
interface Resource {
  readonly root: JsonObject
  readonly anchors: Map<string, unknown>
  readonly dynamic: Map<string, JsonObject>
}

export class References {
  readonly #resources = new Map<string, Resource>()
  readonly #resourceOf = new Map<object, Resource>()
  readonly #main: Resource

  constructor(root: JsonObject) {
    this.#main = { root, anchors: new Map(), dynamic: new Map() }
    const pending: [schema: unknown, resource: Resource][] = [[root, this.#main]]
    for (const [schema, outer] of pending) {
      if (!isObject(schema)) continue
      const resource = this.#enter(schema, outer)
      for (const inner of subschemas(schema)) pending.push([inner.schema, resource])
    }
  }

  /**
   * Returns the target of a `$ref` in `from`.
   * @throws Error if there is no target.
   */
  resolve(ref: string, from: JsonObject): unknown {
    const [base = '', fragment = ''] = ref.split('#')
    const own = this.#resourceOf.get(from) ?? this.#main
    const resource = base === '' ? own : this.#resources.get(base)
    const byPath = fragment === '' || fragment.startsWith('/')
    const target =
      resource && (byPath ? resolveLocal(resource.root, `#${fragment}`) : resource.anchors.get(fragment))
    if (target === undefined) throw new Error(`the reference "${ref}" leads nowhere`)
    if (isObject(target) && resource && !this.#resourceOf.has(target)) this.#enter(target, resource)
    return target
  }

  /**
   * Returns the target of a `$dynamicRef`.
   * @throws Error if the target depends on the evaluation path.
   */
  resolveDynamic(ref: string, from: JsonObject): unknown {
    const target = this.resolve(ref, from)
    const name = ref.slice(ref.indexOf('#') + 1)
    if (!isObject(target) || target.$dynamicAnchor !== name) return target
    const outermost = this.#main.dynamic.get(name) // evaluation always starts in the main resource
    if (outermost !== undefined) return outermost
    const candidates = new Set([...this.#resourceOf.values()].filter(({ dynamic }) => dynamic.has(name)))
    if (candidates.size > 1) throw new Error(`the target of $dynamicRef "${ref}" depends on the caller`)
    return target
  }

  /** Returns all schemas that a `$dynamicRef` may resolve to, for any evaluation path. */
  dynamicTargets(ref: string, from: JsonObject): ReadonlySet<unknown> {
    const target = this.resolve(ref, from)
    const name = ref.slice(ref.indexOf('#') + 1)
    if (!isObject(target) || target.$dynamicAnchor !== name) return new Set([target])
    const others = [...this.#resourceOf.values()].flatMap(({ dynamic }) => dynamic.get(name) ?? [])
    return new Set([target, ...others])
  }

  #enter(schema: JsonObject, outer: Resource): Resource {
    const { $id, $anchor, $dynamicAnchor } = schema
    const resource = schema === outer.root ? outer : this.#resourceNamed($id, schema, outer)
    if (schema === outer.root && typeof $id === 'string') this.#resources.set($id.replace(/#$/, ''), outer)
    this.#resourceOf.set(schema, resource)
    const anchors = [$anchor, $dynamicAnchor, isFragment($id) ? $id.slice(1) : undefined]
    for (const anchor of anchors) if (typeof anchor === 'string') resource.anchors.set(anchor, schema)
    if (typeof $dynamicAnchor === 'string') resource.dynamic.set($dynamicAnchor, schema)
    return resource
  }

  #resourceNamed($id: unknown, root: JsonObject, outer: Resource): Resource {
    if (typeof $id !== 'string' || isFragment($id)) return outer
    const resource: Resource = { root, anchors: new Map(), dynamic: new Map() }
    this.#resources.set($id.replace(/#$/, ''), resource)
    return resource
  }
}

/** Whether an `$id` is an anchor in the notation of draft-07. */
function isFragment($id: unknown): $id is `#${string}` {
  return typeof $id === 'string' && $id.startsWith('#')
}
