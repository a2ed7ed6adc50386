/**
 * The input and output of a route's tool: one flat object of arguments, and its conversion to the parts of a request.
 */

import type { CompileOptions, Issue, JsonObject } from '../../schema/compiled.js'
import { ownVendor } from '../../schema/convert.js'
import { standardCheck } from '../../schema/standard.js'
import type { StandardResult, StandardSchemaV1 } from '../../schema/types.js'
import { lazyInputCheck } from '../../schema/validator.js'
import { integerGuard } from '../../schema/values/safe-integers.js'
import { isThenable, whenReady } from '../../support/maybe-promise.js'
import type { Route } from '../route.js'
import { outputOf, type RouteOutput } from '../schema/output.js'
import type { Argument, PartName } from './arguments.js'
import { type InputPlan, type PlanOptions, planOf } from './input-plan.js'
import { type RequestParts, splitter } from './split-arguments.js'

export type { RequestParts } from './split-arguments.js'

export interface RouteInput {
  /** For `tool({ input })`. Validation returns the arguments unchanged, because the route does its own conversions. */
  readonly input: StandardSchemaV1<Record<string, unknown>>
  /** The output for status 2xx, if known and small enough to publish. */
  readonly output: RouteOutput | undefined
  /**
   * The media type of the request body: `application/json`, `multipart/form-data`, …; `undefined` if the route takes no
   * body.
   */
  readonly consumes: string | undefined
  /** Notes on parts of the schemas that were left out, with reasons. */
  readonly notes: readonly string[]
  /**
   * Splits validated arguments into the parts of a request.
   * @throws InvalidParamsError for values that their part can't represent.
   */
  split(args: Readonly<Record<string, unknown>>): RequestParts
}

/** All options are optional. */
export type RouteInputOptions = Partial<PlanOptions>

/**
 * Creates the input and output of a route's tool. The marker's schemas take precedence over the route's; path
 * parameters without a schema are strings. Unreadable schemas are left out and noted; only mistakes in the marker
 * throw.
 */
export function inputOf(route: Route, options: RouteInputOptions = {}): RouteInput {
  const { owner = `${route.method} ${route.template.text}`, support = [], warn = () => {} } = options
  const compile: CompileOptions = { owner, support, warn }
  const notes = new Set<string>(route.schema?.notes)
  const note = (reason: string): void => void notes.add(reason)
  const plan = planOf(route, { ...options, ...compile }, note)
  return {
    input: standardSchema(plan.json, inputCheck(plan, compile)),
    output: output(route, compile, note),
    consumes: plan.consumes,
    notes: [...notes],
    split: splitter(plan, route),
  }
}

function standardSchema(
  json: JsonObject,
  validate: StandardSchemaV1['~standard']['validate'],
): StandardSchemaV1<Record<string, unknown>> {
  const jsonSchema = { input: () => json, output: () => json }
  const standard = { version: 1 as const, vendor: ownVendor, validate, jsonSchema }
  return { '~standard': standard } as StandardSchemaV1<Record<string, unknown>> // the schema's root is an object
}

function output(
  { marker, schema }: Route,
  compile: CompileOptions,
  note: (reason: string) => void,
): RouteOutput | undefined {
  if (marker?.response !== undefined) return outputOf(marker.response, { ...compile, note })
  if (schema?.response === undefined) return undefined
  try {
    return outputOf(schema.response, { ...compile, note, follow: schema.follow })
  } catch (error) {
    note(`its answer is not advertised: ${(error as Error).message}`)
    return undefined
  }
}

type Result = StandardResult<unknown> | Promise<StandardResult<unknown>>

/** Creates the validation. Runs JSON Schema first, because it is cheap and synchronous. */
export function inputCheck(plan: InputPlan, compile: CompileOptions): (value: unknown) => Result {
  const { check } = lazyInputCheck(withoutLibraryParts(plan), false, compile)
  const guard = plan.libraries.size > 0 ? integerGuard(plan.json) : undefined
  const libraries = [...plan.libraries].map(([part, schema]) => libraryCheck(plan, part, schema))
  return (value) => {
    const hostile = prototypeKeyPath(value)
    if (hostile !== undefined) return { issues: [{ path: hostile, message: 'this name is not allowed' }] }
    return whenReady(check(value), (checked) => {
      if (checked.issues !== undefined) return { issues: checked.issues }
      if (libraries.length === 0) return { value }
      const large = guard?.(value)
      if (large !== undefined) return { issues: [large] }
      const args = value as JsonObject // guaranteed by the schema
      return combineIssues(
        libraries.map((run) => run(args)),
        value,
      )
    })
  }
}

/** Returns the published schema without the parts that a library validates. */
function withoutLibraryParts({ json, arguments: all, libraries }: InputPlan): JsonObject {
  if (libraries.size === 0) return json
  const foreign = new Set(all.filter(({ part }) => libraries.has(part)).map(({ name }) => name))
  const properties = Object.entries(json.properties as JsonObject).map(([name, schema]) => [
    name,
    foreign.has(name) ? {} : schema,
  ])
  const required = Array.isArray(json.required) ? json.required.filter((name) => !foreign.has(name)) : []
  return { ...json, properties: Object.fromEntries(properties), required }
}

function libraryCheck(
  { arguments: all }: InputPlan,
  part: PartName,
  schema: StandardSchemaV1,
): (args: JsonObject) => Issue[] | Promise<Issue[]> {
  const check = standardCheck(schema)
  const own = all.filter((argument) => argument.part === part)
  const whole = own.find(({ key }) => key === undefined)
  const names = new Map(own.map(({ key, name }) => [key, name]))
  const known = new Set(all.map(({ name }) => name))
  return (args) => {
    const value =
      whole === undefined
        ? partValue(args, own, part === 'body' ? known : undefined)
        : (args[whole.name] ?? (part === 'query' ? {} : undefined))
    return whenReady(check(value), (checked) =>
      (checked.issues ?? []).map((issue) => ({ ...issue, path: argumentPath(issue.path, whole, names) })),
    )
  }
}

function partValue(
  args: JsonObject,
  own: readonly Argument[],
  known: ReadonlySet<string> | undefined,
): JsonObject {
  const given = own.filter(({ name }) => Object.hasOwn(args, name))
  const entries = given.map(({ key, name }) => [key, args[name]])
  const others = known === undefined ? [] : Object.entries(args).filter(([name]) => !known.has(name))
  return Object.fromEntries([...entries, ...others])
}

/** Translates an issue path of a library to argument names. */
function argumentPath(
  path: readonly PropertyKey[],
  whole: Argument | undefined,
  names: ReadonlyMap<string | undefined, string>,
): readonly PropertyKey[] {
  if (whole !== undefined) return [whole.name, ...path]
  const [first, ...rest] = path
  return first === undefined ? [] : [names.get(String(first)) ?? first, ...rest]
}

function combineIssues(checks: readonly (Issue[] | Promise<Issue[]>)[], value: unknown): Result {
  const toResult = (lists: readonly Issue[][]): StandardResult<unknown> => {
    const issues = lists.flat()
    return issues.length > 0 ? { issues } : { value }
  }
  return checks.some(isThenable) ? Promise.all(checks).then(toResult) : toResult(checks as Issue[][]) // all are synchronous
}

/** Returns the path of a `__proto__` key, which could set a prototype in unsafe code. */
function prototypeKeyPath(value: unknown): PropertyKey[] | undefined {
  const pending: [value: unknown, path: PropertyKey[]][] = [[value, []]]
  for (const [at, path] of pending) {
    if (typeof at !== 'object' || at === null) continue
    if (path.length > deepest) return undefined // the schema check rejects such depth
    for (const [key, inner] of Object.entries(at)) {
      const inside = [...path, Array.isArray(at) ? Number(key) : key]
      if (key === '__proto__') return inside
      if (typeof inner === 'object' && inner !== null) pending.push([inner, inside])
    }
  }
  return undefined
}

const deepest = 200
