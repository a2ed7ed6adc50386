/**
 * Finds schemas whose check can take exponentially longer than the value is long: those that refer to themselves from
 * several keywords which look at the same value, as a union does whose branches have children of the same union.
 */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { subschemas } from '../keywords.js'
import { References } from './references.js'

interface Edge {
  readonly keyword: string
  readonly target: JsonObject
}

/** References to references multiply: a schema that is larger than this when written out counts as growing. */
const mostWrittenOut = 20_000

/** Keywords that look at members, by the type of the value. Those of one group never look at the same member. */
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
  /** The checker finds the branch of a `oneOf` by a constant property, as libraries do, and never looks at the others. */
  readonly picksBranches: boolean
}

/** True where the number of checks may grow exponentially with the depth of a value. */
export function growsExponentially(root: JsonObject, { picksBranches }: GrowthOptions = defaults): boolean {
  const graph = new Graph(root)
  const repeats = graph.circles().some((circle) => repeatsIn(circle, graph, picksBranches))
  return repeats || (!picksBranches && graph.writtenOut(root) > mostWrittenOut)
}

const defaults: GrowthOptions = { picksBranches: false }

/** True when a circle looks at one value several times, at all that is below it again on each level, or never ends. */
function repeatsIn(circle: ReadonlySet<JsonObject>, graph: Graph, picksBranches: boolean): boolean {
  const descends = [...circle].some((schema) =>
    graph.edges(schema).some(({ keyword, target }) => keyword in memberKeywords && circle.has(target)),
  )
  if (!descends) return !picksBranches
  for (const schema of circle) {
    if (schema.uniqueItems === true && !picksBranches) return true
    const isOneBranch = picksBranches && graph.isTagged(schema.oneOf)
    const inside = graph.edges(schema).filter(({ target }) => circle.has(target))
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

  /** The schemas that checking this one leads to. */
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

  /** Whether a value of this type may pass, as far as `type` says. */
  allows(schema: JsonObject, type: string, depth = 0): boolean {
    const { type: own, nullable: _, $ref } = schema
    if (own !== undefined) return (Array.isArray(own) ? own : [own]).includes(type)
    if (Object.hasOwn(schema, 'const')) return typeof schema.const === 'object'
    if (Array.isArray(schema.enum)) return schema.enum.some((one) => typeof one === 'object')
    const target = typeof $ref === 'string' && depth < 10 ? this.#target($ref, schema) : undefined
    return isObject(target) ? this.allows(target, type, depth + 1) : true
  }

  /** Whether one property holds another constant in each branch. */
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

  /** Schemas that lead back to themselves, together with those on the way (Tarjan's algorithm). */
  circles(): ReadonlySet<JsonObject>[] {
    const circles: ReadonlySet<JsonObject>[] = []
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
      const circle = new Set(stack.splice(position))
      for (const one of circle) lowest.delete(one)
      if (circle.size > 1 || this.edges(schema).some(({ target }) => target === schema)) circles.push(circle)
      return number
    }
    visit(this.#root)
    return circles
  }

  /** How many schemas this one holds when its references are written out; circles count once. */
  writtenOut(schema: JsonObject, sizes: Map<JsonObject, number> = new Map()): number {
    const known = sizes.get(schema)
    if (known !== undefined) return known
    sizes.set(schema, 0)
    let size = 1
    for (const { target } of this.edges(schema)) size += this.writtenOut(target, sizes)
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
