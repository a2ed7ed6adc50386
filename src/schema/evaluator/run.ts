/**
 * Evaluates compiled schemas. Each pair of a referenced schema and a value is evaluated once, and all steps are
 * counted, so that the work can't grow faster than the value.
 */

import type { JsonObject } from '../compiled.js'
import { ItemComparer } from './same-value.js'

/** Returns whether the value is valid. May report failures and fill in defaults. */
export type Check = (value: unknown, run: Run, evaluated: Evaluated | undefined) => boolean

/** Creates the check of a keyword with subschemas. */
export type Applicator = (schema: JsonObject, compiler: SubschemaCompiler, node: Node) => Check | undefined

/** The members of the compiler that applicators use. */
export interface SubschemaCompiler {
  readonly draft07: boolean
  /** Compiles a schema. Returns the same node for the same schema. */
  node(schema: unknown): Node
  /** Compiles a schema that applies to the same value as the node. */
  inPlace(node: Node, schema: unknown): Node
  /** Compiles the target of a reference. */
  target(node: Node, ref: string, dynamic: boolean): Node
}

export interface Node {
  readonly schema: JsonObject
  /**
   * Checks of type and size. If one fails, other checks are skipped, so that authors can limit the cost of `pattern`.
   */
  readonly bounds: Check[]
  readonly checks: Check[]
  /** Schemas that apply to the same value. */
  readonly inPlace: Node[]
  /** Properties with constants, which distinguish the branches of a union. */
  readonly tags: (readonly [key: string, node: Node])[]
  /** The members of `inPlace` that are targets of references. */
  readonly targets: Node[]
  coerce: ((value: unknown) => unknown) | undefined
  fillDefaults: ((value: unknown) => void) | undefined
  /** Whether it is a reference target that contains references. Such nodes are evaluated once per value. */
  isShared: boolean
}

/** A keyword that a value violates. */
export interface Failure {
  readonly path: readonly PropertyKey[]
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
  readonly parentSchema: JsonObject
  readonly data: unknown
}

/** Keys and items that other keywords evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Evaluated {
  readonly keys: Set<string> = new Set()
  readonly indexes: Set<number> = new Set()
  allKeys = false
  allItems = false
  /** The number of evaluated leading items. */
  items = 0

  add(other: Evaluated): void {
    for (const key of other.keys) this.keys.add(key)
    for (const index of other.indexes) this.indexes.add(index)
    this.allKeys ||= other.allKeys
    this.allItems ||= other.allItems
    this.items = Math.max(this.items, other.items)
  }
}

/** Thrown if a value takes more steps than allowed. */
export class TooManySteps extends Error {}

interface Outcome {
  readonly valid: boolean
  readonly evaluated: Evaluated | undefined
}

/** Maximum number of failures; messages show fewer. */
const mostFailures = 50

export class Run {
  readonly failures: Failure[] = []
  readonly comparer: ItemComparer = new ItemComparer()
  /** Whether to report all failures. Otherwise evaluation stops at the first. */
  collectsFailures = false
  /** Depth of nested trial evaluations (`anyOf` etc.), which don't fill in defaults. */
  trialDepth = 0
  readonly #path: (string | number)[] = []
  readonly #containers: object[] = []
  readonly #results = new Map<Node, Map<object, Outcome>>()
  readonly #reported = new Map<Node, Set<object>>()
  readonly #tracks: boolean
  #steps: number

  /** `tracks`: whether the schema needs to track evaluated properties and items. */
  constructor(steps: number, tracks: boolean) {
    this.#steps = steps
    this.#tracks = tracks
  }

  evaluate(node: Node, value: unknown, outer: Evaluated | undefined): boolean {
    this.#steps -= 1
    if (this.#steps < 0) throw new TooManySteps()
    if (!node.isShared || typeof value !== 'object' || value === null)
      return this.#run(node, value, outer).valid
    const results = within(this.#results, node, newMap)
    const known = results.get(value)
    if (known !== undefined && (known.valid || !this.#reportsFirst(node, value))) {
      if (known.evaluated !== undefined) outer?.add(known.evaluated)
      return known.valid
    }
    if (this.collectsFailures) within(this.#reported, node, newSet).add(value)
    const { trialDepth } = this
    this.trialDepth = 0 // Ajv fills in defaults there too, and the cached result must not depend on the evaluation path
    const result = this.#run(node, value, outer)
    this.trialDepth = trialDepth
    results.set(value, result)
    return result.valid
  }

  /** Evaluates a member of a value. */
  descend(node: Node, container: object, key: string | number): boolean {
    this.#path.push(key)
    this.#containers.push(container)
    const valid = this.evaluate(node, (container as Record<PropertyKey, unknown>)[key], undefined)
    this.#path.pop()
    this.#containers.pop()
    return valid
  }

  /** Evaluates without reporting failures or filling in defaults. */
  fits(node: Node, value: unknown, outer: Evaluated | undefined): boolean {
    const { collectsFailures } = this
    this.collectsFailures = false
    this.trialDepth += 1
    const valid = this.evaluate(node, value, outer)
    this.trialDepth -= 1
    this.collectsFailures = collectsFailures
    return valid
  }

  /** Evaluates a member without reporting failures or filling in defaults. */
  memberFits(node: Node, container: object, key: string | number): boolean {
    const { collectsFailures } = this
    this.collectsFailures = false
    this.trialDepth += 1
    const valid = this.descend(node, container, key)
    this.trialDepth -= 1
    this.collectsFailures = collectsFailures
    return valid
  }

  /**
   * Reports why no branch of a union matches. Uses only the branches that the value is meant for, if they are known.
   */
  explain(branches: readonly Node[], value: unknown, schema: JsonObject, keyword: string): false {
    if (!this.collectsFailures) return false
    const meant = branches.filter((branch) => this.#matchesTags(branch, value))
    const before = this.failures.length
    this.trialDepth += 1
    for (const branch of meant.length > 0 ? meant : branches) this.evaluate(branch, value, undefined)
    this.trialDepth -= 1
    const isExplained = meant.length > 0 && this.failures.length > before
    return isExplained ? false : this.fail(schema, keyword, value, 'matches no branch')
  }

  /** Whether the type and constants of a value match the branch. */
  #matchesTags(branch: Node, value: unknown): boolean {
    const { collectsFailures } = this
    this.collectsFailures = false
    const isMeant =
      this.#passes(branch.bounds, value, undefined) &&
      branch.tags.every(([key, tag]) => isKeyOf(value, key) && this.memberFits(tag, value, key)) &&
      branch.targets.every((target) => this.#matchesTags(target, value))
    this.collectsFailures = collectsFailures
    return isMeant
  }

  /** Reports a failure. Always returns false. */
  fail(schema: JsonObject, keyword: string, data: unknown, message: string, params: object = {}): false {
    if (!this.collectsFailures) return false
    this.failures.push({
      path: [...this.#path],
      keyword,
      params: params as Failure['params'],
      message,
      parentSchema: schema,
      data,
    })
    if (this.failures.length >= mostFailures) this.collectsFailures = false
    return false
  }

  #reportsFirst(node: Node, value: object): boolean {
    return this.collectsFailures && !this.#reported.get(node)?.has(value)
  }

  #run(node: Node, given: unknown, outer: Evaluated | undefined): Outcome {
    const evaluated = this.#tracks ? new Evaluated() : undefined
    const value = node.coerce === undefined ? given : this.#replace(given, node.coerce(given))
    if (this.trialDepth === 0) node.fillDefaults?.(value)
    const valid = this.#passes(node.bounds, value, evaluated) && this.#passes(node.checks, value, evaluated)
    if (valid && evaluated !== undefined) outer?.add(evaluated)
    return { valid, evaluated: valid ? evaluated : undefined }
  }

  #passes(checks: readonly Check[], value: unknown, evaluated: Evaluated | undefined): boolean {
    let valid = true
    for (const check of checks) {
      if (check(value, this, evaluated)) continue
      if (!this.collectsFailures) return false
      valid = false
    }
    return valid
  }

  #replace(given: unknown, value: unknown): unknown {
    const container = this.#containers.at(-1)
    const key = this.#path.at(-1)
    if (value !== given && container !== undefined && key !== undefined) {
      ;(container as Record<PropertyKey, unknown>)[key] = value
    }
    return value
  }
}

function isKeyOf(value: unknown, key: string): value is object {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}

const newMap = (): Map<object, Outcome> => new Map()
const newSet = (): Set<object> => new Set()

function within<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
