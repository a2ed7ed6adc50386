/** Compiles a JSON Schema, of draft-07 or 2020-12, without generating code. */

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
  /** Values are strings, to be read as what the schema asks for. */
  readonly coerce: boolean
}

/** Keywords that draft-07 does not have. */
const newer = new Set([
  ...['dependentRequired', 'dependentSchemas', 'prefixItems', 'minContains', 'maxContains'],
  ...['unevaluatedItems', 'unevaluatedProperties', '$dynamicRef'],
])

export class Compiler implements SubschemaCompiler {
  readonly draft07: boolean
  readonly #coerce: boolean
  readonly #references: References
  readonly #nodes = new Map<unknown, Node>()
  /** The schema asks for what other keywords evaluated. */
  tracks = false

  constructor(root: JsonObject, { draft07, coerce }: CompilerOptions) {
    this.draft07 = draft07
    this.#coerce = coerce
    this.#references = new References(root)
  }

  /** Compiles a schema once. */
  node(schema: unknown): Node {
    const known = this.#nodes.get(schema)
    if (known !== undefined) return known
    const node = emptyNode(isObject(schema) ? schema : {})
    this.#nodes.set(schema, node) // before its keywords are compiled: they may refer to it
    if (schema === false)
      node.checks.push((value, run) => run.fail({}, 'false schema', value, 'is not allowed'))
    if (isObject(schema)) this.#fill(node, schema)
    return node
  }

  /** Compiles a schema that sees the same value as the node. */
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

  /** Throws for schemas that would have to be evaluated to evaluate themselves. */
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
    this.tracks ||= has('unevaluatedItems') || has('unevaluatedProperties')
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

/** In the order of evaluation: cheap ones first, `unevaluated…` last. */
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

/** About 40 ms of work. A step applies one schema to one value. */
export const mostSteps = 500_000

/** Compiles a schema. Throws for one that cannot be evaluated. `steps`: how many a value may take. */
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
    const run = new Run(steps, compiler.tracks)
    try {
      if (run.evaluate(node, given, undefined)) return holder
      run.collects = true
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
