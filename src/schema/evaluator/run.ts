/**
 * Evaluates compiled schemas. Each pair of a referenced schema and a value is evaluated once, and all evaluations are
 * counted: no value makes the work grow faster than the value itself.
 */

import type { JsonObject } from '../compiled.js'
import { ItemComparer } from './same-value.js'

/** True when the value passes. May report failures, and fill in defaults. */
export type Check = (value: unknown, run: Run, evaluated: Evaluated | undefined) => boolean

/** Makes the check of a keyword that holds schemas. */
export type Applicator = (schema: JsonObject, compiler: SubschemaCompiler, node: Node) => Check | undefined

/** The part of the compiler that applicators call. */
export interface SubschemaCompiler {
  readonly draft07: boolean
  /** Compiles a schema once. */
  node(schema: unknown): Node
  /** Compiles a schema that sees the same value as the node. */
  inPlace(node: Node, schema: unknown): Node
  /** Compiles the target of a reference. */
  target(node: Node, ref: string, dynamic: boolean): Node
}

export interface Node {
  readonly schema: JsonObject
  /** Type and size. A value that fails them is not looked at any further: authors bound the cost of `pattern` this way. */
  readonly bounds: Check[]
  readonly checks: Check[]
  /** Other schemas that look at the same value. */
  readonly inPlace: Node[]
  /** Properties that hold constants, by which a union tells its branches apart. */
  readonly tags: (readonly [key: string, node: Node])[]
  /** Those of them that references lead to. */
  readonly targets: Node[]
  coerce: ((value: unknown) => unknown) | undefined
  fillDefaults: ((value: unknown) => void) | undefined
  /** A target of references that has references itself: evaluated once for each value, wherever that is. */
  isShared: boolean
}

/** A keyword that did not hold. */
export interface Failure {
  readonly path: readonly PropertyKey[]
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
  readonly parentSchema: JsonObject
  readonly data: unknown
}

/** Keys and items that `unevaluatedProperties` and `unevaluatedItems` leave alone. */
export class Evaluated {
  readonly keys: Set<string> = new Set()
  readonly indexes: Set<number> = new Set()
  allKeys = false
  allItems = false
  /** Leading items. */
  items = 0

  add(other: Evaluated): void {
    for (const key of other.keys) this.keys.add(key)
    for (const index of other.indexes) this.indexes.add(index)
    this.allKeys ||= other.allKeys
    this.allItems ||= other.allItems
    this.items = Math.max(this.items, other.items)
  }
}

/** Thrown when a value takes more steps than allowed. */
export class TooManySteps extends Error {}

interface Outcome {
  readonly valid: boolean
  readonly evaluated: Evaluated | undefined
}

/** More failures than a message shows. */
const mostFailures = 50

export class Run {
  readonly failures: Failure[] = []
  readonly comparer: ItemComparer = new ItemComparer()
  /** Reports all failures; without it evaluation ends at the first. */
  collects = false
  /** Inside `anyOf` and the like, where defaults are not filled in. */
  tentative = 0
  readonly #path: (string | number)[] = []
  readonly #containers: object[] = []
  readonly #verdicts = new Map<Node, Map<object, Outcome>>()
  readonly #reported = new Map<Node, Set<object>>()
  readonly #tracks: boolean
  #steps: number

  /** `tracks`: the schema asks for what was evaluated. */
  constructor(steps: number, tracks: boolean) {
    this.#steps = steps
    this.#tracks = tracks
  }

  evaluate(node: Node, value: unknown, outer: Evaluated | undefined): boolean {
    this.#steps -= 1
    if (this.#steps < 0) throw new TooManySteps()
    if (!node.isShared || typeof value !== 'object' || value === null)
      return this.#run(node, value, outer).valid
    const verdicts = within(this.#verdicts, node, newMap)
    const known = verdicts.get(value)
    if (known !== undefined && (known.valid || !this.#reportsFirst(node, value))) {
      if (known.evaluated !== undefined) outer?.add(known.evaluated)
      return known.valid
    }
    if (this.collects) within(this.#reported, node, newSet).add(value)
    const { tentative } = this
    this.tentative = 0 // Ajv fills in defaults there as well, and the verdict must not depend on the way that led here
    const verdict = this.#run(node, value, outer)
    this.tentative = tentative
    verdicts.set(value, verdict)
    return verdict.valid
  }

  /** Evaluates a member of the value. */
  descend(node: Node, container: object, key: string | number): boolean {
    this.#path.push(key)
    this.#containers.push(container)
    const valid = this.evaluate(node, (container as Record<PropertyKey, unknown>)[key], undefined)
    this.#path.pop()
    this.#containers.pop()
    return valid
  }

  /** Evaluates without reports or defaults. */
  fits(node: Node, value: unknown, outer: Evaluated | undefined): boolean {
    const { collects } = this
    this.collects = false
    this.tentative += 1
    const valid = this.evaluate(node, value, outer)
    this.tentative -= 1
    this.collects = collects
    return valid
  }

  /** The same for a member. */
  memberFits(node: Node, container: object, key: string | number): boolean {
    const { collects } = this
    this.collects = false
    this.tentative += 1
    const valid = this.descend(node, container, key)
    this.tentative -= 1
    this.collects = collects
    return valid
  }

  /** Reports why no branch of a union fits: from the branches that the value is meant for, if that is known. */
  explain(branches: readonly Node[], value: unknown, schema: JsonObject, keyword: string): false {
    if (!this.collects) return false
    const meant = branches.filter((branch) => this.#isMeantFor(branch, value))
    const before = this.failures.length
    this.tentative += 1
    for (const branch of meant.length > 0 ? meant : branches) this.evaluate(branch, value, undefined)
    this.tentative -= 1
    const isExplained = meant.length > 0 && this.failures.length > before
    return isExplained ? false : this.fail(schema, keyword, value, 'matches no branch')
  }

  /** True where type and constants of the value are those of the branch. */
  #isMeantFor(branch: Node, value: unknown): boolean {
    const { collects } = this
    this.collects = false
    const isMeant =
      this.#passes(branch.bounds, value, undefined) &&
      branch.tags.every(([key, tag]) => isKeyOf(value, key) && this.memberFits(tag, value, key)) &&
      branch.targets.every((target) => this.#isMeantFor(target, value))
    this.collects = collects
    return isMeant
  }

  /** Reports a failure. Returns false. */
  fail(schema: JsonObject, keyword: string, data: unknown, message: string, params: object = {}): false {
    if (!this.collects) return false
    this.failures.push({
      path: [...this.#path],
      keyword,
      params: params as Failure['params'],
      message,
      parentSchema: schema,
      data,
    })
    if (this.failures.length >= mostFailures) this.collects = false
    return false
  }

  #reportsFirst(node: Node, value: object): boolean {
    return this.collects && !this.#reported.get(node)?.has(value)
  }

  #run(node: Node, given: unknown, outer: Evaluated | undefined): Outcome {
    const evaluated = this.#tracks ? new Evaluated() : undefined
    const value = node.coerce === undefined ? given : this.#replace(given, node.coerce(given))
    if (this.tentative === 0) node.fillDefaults?.(value)
    const valid = this.#passes(node.bounds, value, evaluated) && this.#passes(node.checks, value, evaluated)
    if (valid && evaluated !== undefined) outer?.add(evaluated)
    return { valid, evaluated: valid ? evaluated : undefined }
  }

  #passes(checks: readonly Check[], value: unknown, evaluated: Evaluated | undefined): boolean {
    let valid = true
    for (const check of checks) {
      if (check(value, this, evaluated)) continue
      if (!this.collects) return false
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
