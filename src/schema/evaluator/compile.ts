/** Compiles a JSON Schema, draft-07 or 2020-12, without code generation. */

import { isObject } from '../../support/values.js'
import { issueOf } from '../ajv-issues.js'
import type { Checked, JsonObject } from '../compiled.js'
import { subschemas } from '../keywords.js'
import { arrays } from './arrays.js'
import { combinations } from './combinations.js'
import { objects, propertyDefaults } from './objects.js'
import { References } from './references.js'
import { type Applicator, type Check, type Node, Run, type SubschemaCompiler, TooManySteps } from './run.js'
import { bounds, coercionOf, values } from './values.js'

export interface CompilerOptions {
  readonly draft07: boolean
  /** Whether values are strings, to be converted to the types in the schema. */
  readonly coerce: boolean
}

/** Keywords that draft-07 doesn't have. */
const newer = new Set([
  ...['dependentRequired', 'dependentSchemas', 'prefixItems', 'minContains', 'maxContains'],
  ...['unevaluatedItems', 'unevaluatedProperties', '$dynamicRef'],
])

export class Compiler implements SubschemaCompiler {
  readonly draft07: boolean
  readonly #coerce: boolean
  readonly #references: References
  readonly #nodes = new Map<unknown, Node>()
  /** Whether the schema needs to track evaluated properties and items. */
  tracksEvaluated = false

  constructor(root: JsonObject, { draft07, coerce }: CompilerOptions) {
    this.draft07 = draft07
    this.#coerce = coerce
    this.#references = new References(root)
  }

  /** Compiles a schema. Returns the same node for the same schema. */
  node(schema: unknown): Node {
    const known = this.#nodes.get(schema)
    if (known !== undefined) return known
    const node = emptyNode(isObject(schema) ? schema : {})
    this.#nodes.set(schema, node) // set before compiling its keywords, which may refer to it
    if (schema === false)
      node.checks.push((value, run) => run.fail({}, 'false schema', value, 'is not allowed'))
    if (isObject(schema)) this.#fill(node, schema)
    return node
  }

  /** Compiles a schema that applies to the same value as the node. */
  inPlace(node: Node, schema: unknown): Node {
    const inner = this.node(schema)
    node.inPlace.push(inner)
    return inner
  }

  /** Compiles the target of a reference. */
  target(node: Node, ref: string, dynamic: boolean): Node {
    const references = this.#references
    const from = node.schema
    const found = dynamic ? references.resolveDynamic(ref, from) : references.resolve(ref, from)
    const target = this.inPlace(node, found)
    node.targets.push(target)
    target.isShared ||= hasReference(found)
    return target
  }

  /**
   * Checks that evaluation terminates.
   * @throws Error for schemas that apply to themselves on the same value.
   */
  assertEnds(): void {
    const finished = new Set<Node>()
    const open = new Set<Node>()
    const visit = (node: Node): void => {
      if (finished.has(node)) return
      if (open.has(node)) throw new Error('its references lead back to themselves')
      open.add(node)
      for (const inner of node.inPlace) visit(inner)
      open.delete(node)
      finished.add(node)
    }
    for (const node of this.#nodes.values()) visit(node)
  }

  #fill(node: Node, schema: JsonObject): void {
    const has = (keyword: string): boolean =>
      Object.hasOwn(schema, keyword) && !(this.draft07 && newer.has(keyword))
    this.tracksEvaluated ||= has('unevaluatedItems') || has('unevaluatedProperties')
    if (this.#coerce) node.coerce = coercionOf(schema)
    node.fillDefaults = propertyDefaults(schema)
    for (const [keyword, make] of Object.entries(bounds)) {
      if (has(keyword)) push(node.bounds, make(schema))
    }
    for (const [keyword, make] of Object.entries(values)) {
      if (has(keyword)) push(node.checks, make(schema))
    }
    for (const [keyword, make] of applicators) {
      if (has(keyword)) push(node.checks, make(schema, this, node))
    }
  }
}

/** Applicators in the order of evaluation: cheap ones first, `unevaluated…` last. */
const applicators: readonly (readonly [string, Applicator])[] = [
  ...Object.entries(objects.own),
  ...Object.entries(combinations),
  ...Object.entries(arrays.own),
  ...Object.entries(objects.members),
  ...Object.entries(arrays.unevaluated),
  ...Object.entries(objects.unevaluated),
]

function hasReference(schema: unknown): boolean {
  const pending = [schema]
  for (const one of pending) {
    if (!isObject(one)) continue
    if ('$ref' in one || '$dynamicRef' in one) return true
    for (const inner of subschemas(one)) pending.push(inner.schema)
  }
  return false
}

function push(checks: Check[], check: Check | undefined): void {
  if (check !== undefined) checks.push(check)
}

function emptyNode(schema: JsonObject): Node {
  return {
    schema,
    bounds: [],
    checks: [],
    inPlace: [],
    targets: [],
    tags: [],
    coerce: undefined,
    fillDefaults: undefined,
    isShared: false,
  }
}

/** Maximum number of steps, about 40 ms. A step applies one schema to one value. */
export const mostSteps = 500_000

/**
 * Compiles a schema to a validation. `steps`: the maximum number of steps per value.
 * @throws Error for a schema that can't be evaluated.
 */
export function evaluatorOf(
  root: JsonObject,
  options: CompilerOptions,
  steps: number = mostSteps,
): (value: unknown) => Checked {
  const compiler = new Compiler(root, options)
  const node = compiler.node(root)
  compiler.assertEnds()
  return (given) => {
    const holder = { value: given }
    const run = new Run(steps, compiler.tracksEvaluated)
    try {
      if (run.evaluate(node, given, undefined)) return holder
      run.collectsFailures = true
      run.evaluate(node, given, undefined)
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error
      if (run.failures.length === 0) return { issues: [{ path: [], message: tooManySteps }] }
    }
    return { issues: run.failures.map((failure) => issueOf(failure, failure.path)) }
  }
}

/** The only issue of a value that takes too many steps. */
export const tooManySteps: string = `takes more than ${mostSteps} steps to check against its schema; send fewer values, nested less deeply`
