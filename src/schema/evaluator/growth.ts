/**
 * Detects schemas whose validation time can grow exponentially with the value: recursive schemas that refer to
 * themselves from several keywords for the same value, such as a union whose branches have children of the same union.
 */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { subschemas } from '../keywords.js'
import { References } from './references.js'

interface Edge {
  readonly keyword: string
  readonly target: JsonObject
}

/** Maximum number of schemas with all references expanded, because nested references multiply. */
const mostExpanded = 20_000

/** Keywords that apply to members, by the type of the value. Keywords in one group never apply to the same member. */
const memberKeywords: Readonly<Record<string, { readonly type: string; readonly group?: string }>> = {
  properties: { type: 'object', group: 'keys' },
  additionalProperties: { type: 'object', group: 'keys' },
  patternProperties: { type: 'object' },
  unevaluatedProperties: { type: 'object' },
  prefixItems: { type: 'array', group: 'items' },
  items: { type: 'array', group: 'items' },
  additionalItems: { type: 'array', group: 'items' },
  unevaluatedItems: { type: 'array' },
  contains: { type: 'array' },
}

export interface GrowthOptions {
  /** Whether the validator selects the branch of a `oneOf` by a constant property, as libraries do. */
  readonly picksBranches: boolean
}

/** Whether the number of checks may grow exponentially with the depth of a value. */
export function growsExponentially(root: JsonObject, { picksBranches }: GrowthOptions = defaults): boolean {
  const graph = new Graph(root)
  const repeats = graph.cycles().some((cycle) => repeatsIn(cycle, graph, picksBranches))
  return repeats || (!picksBranches && graph.expandedSize(root) > mostExpanded)
}

const defaults: GrowthOptions = { picksBranches: false }

/** Whether a cycle applies several schemas to one value, compares all nested values at each level, or never ends. */
function repeatsIn(cycle: ReadonlySet<JsonObject>, graph: Graph, picksBranches: boolean): boolean {
  const descends = [...cycle].some((schema) =>
    graph.edges(schema).some(({ keyword, target }) => keyword in memberKeywords && cycle.has(target)),
  )
  if (!descends) return !picksBranches
  for (const schema of cycle) {
    if (schema.uniqueItems === true && !picksBranches) return true
    const isOneBranch = picksBranches && graph.isTagged(schema.oneOf)
    const inside = graph.edges(schema).filter(({ target }) => cycle.has(target))
    for (const type of ['object', 'array']) {
      const seen = new Set<unknown>()
      for (const { keyword, target } of inside) {
        const known = memberKeywords[keyword]
        if (known === undefined ? graph.allows(target, type) : known.type === type) {
          const isOneOfThem = keyword === '$dynamicRef' || (isOneBranch && keyword === 'oneOf')
          seen.add(isOneOfThem ? keyword : (known?.group ?? Symbol(keyword)))
        }
      }
      if (seen.size > 1) return true
    }
  }
  return false
}

class Graph {
  readonly #references: References
  readonly #edges = new Map<JsonObject, readonly Edge[]>()
  readonly #root: JsonObject

  constructor(root: JsonObject) {
    this.#root = root
    this.#references = new References(root)
  }

  /** Returns the schemas that validating this one leads to. */
  edges(schema: JsonObject): readonly Edge[] {
    const known = this.#edges.get(schema)
    if (known !== undefined) return known
    const { $defs, definitions, $ref, $dynamicRef, ...applied } = schema
    const targets: [keyword: string, target: unknown][] = subschemas(applied).map(
      ({ steps: [keyword = ''], schema: target }) => [keyword, target],
    )
    if (typeof $ref === 'string') targets.push(['$ref', this.#target($ref, schema)])
    if (typeof $dynamicRef === 'string') {
      for (const target of this.#dynamicTargets($dynamicRef, schema)) targets.push(['$dynamicRef', target])
    }
    const edges = targets.flatMap(([keyword, target]) => (isObject(target) ? [{ keyword, target }] : []))
    this.#edges.set(schema, edges)
    return edges
  }

  /** Whether the schema may accept a value of this type, judging by `type` and constants only. */
  allows(schema: JsonObject, type: string, depth = 0): boolean {
    const { type: own, nullable: _, $ref } = schema
    if (own !== undefined) return (Array.isArray(own) ? own : [own]).includes(type)
    if (Object.hasOwn(schema, 'const')) return typeof schema.const === 'object'
    if (Array.isArray(schema.enum)) return schema.enum.some((one) => typeof one === 'object')
    const target = typeof $ref === 'string' && depth < 10 ? this.#target($ref, schema) : undefined
    return isObject(target) ? this.allows(target, type, depth + 1) : true
  }

  /** Whether some property has a different constant in each branch. */
  isTagged(branches: unknown): boolean {
    if (!Array.isArray(branches)) return false
    const properties = branches.map((branch) => this.#propertiesOf(branch))
    return Object.keys(properties[0] ?? {}).some((key) => {
      const tags = properties.map((all) => (Object.hasOwn(all, key) ? tagOf(all[key]) : undefined))
      return !tags.includes(undefined) && new Set(tags).size === tags.length
    })
  }

  #propertiesOf(branch: unknown): JsonObject {
    if (!isObject(branch)) return {}
    const target = typeof branch.$ref === 'string' ? this.#target(branch.$ref, branch) : branch
    return isObject(target) && isObject(target.properties) ? target.properties : {}
  }

  /** Returns the recursive schemas in groups (strongly connected components, Tarjan's algorithm). */
  cycles(): ReadonlySet<JsonObject>[] {
    const cycles: ReadonlySet<JsonObject>[] = []
    const numbers = new Map<JsonObject, number>()
    const lowest = new Map<JsonObject, number>()
    const stack: JsonObject[] = []
    const visit = (schema: JsonObject): number => {
      const number = numbers.size
      numbers.set(schema, number)
      lowest.set(schema, number)
      const position = stack.push(schema) - 1
      let low = number
      for (const { target } of this.edges(schema)) {
        if (!numbers.has(target)) low = Math.min(low, visit(target))
        else low = Math.min(low, lowest.get(target) ?? low)
      }
      lowest.set(schema, low)
      if (low < number) return low
      const cycle = new Set(stack.splice(position))
      for (const one of cycle) lowest.delete(one)
      if (cycle.size > 1 || this.edges(schema).some(({ target }) => target === schema)) cycles.push(cycle)
      return number
    }
    visit(this.#root)
    return cycles
  }

  /** Returns the number of schemas with references expanded. Cycles count once. */
  expandedSize(schema: JsonObject, sizes: Map<JsonObject, number> = new Map()): number {
    const known = sizes.get(schema)
    if (known !== undefined) return known
    sizes.set(schema, 0)
    let size = 1
    for (const { target } of this.edges(schema)) size += this.expandedSize(target, sizes)
    sizes.set(schema, size)
    return size
  }

  #dynamicTargets(ref: string, from: JsonObject): Iterable<unknown> {
    try {
      return this.#references.dynamicTargets(ref, from)
    } catch {
      return [] // reported elsewhere
    }
  }

  #target(ref: string, from: JsonObject): unknown {
    try {
      return this.#references.resolve(ref, from)
    } catch {
      return undefined // reported elsewhere
    }
  }
}

function tagOf(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined
  const { const: constant, enum: values } = schema
  return constant === undefined && values === undefined ? undefined : JSON.stringify([constant, values])
}
