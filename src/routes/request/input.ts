/** What a tool made of a route takes and gives: one flat object of arguments, and the way back to the parts of a request. */

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
  /** For `tool({ input })`. Its check answers the arguments as they came: conversions are the route's own. */
  readonly input: StandardSchemaV1<Record<string, unknown>>
  /** The answer of status 2xx, where it is known and small enough to advertise. */
  readonly output: RouteOutput | undefined
  /** How the body travels: `application/json`, `multipart/form-data`, …; `undefined`: the route takes no body. */
  readonly consumes: string | undefined
  /** What was left out of the schemas, and why; for the report. */
  readonly notes: readonly string[]
  /**
   * Arguments that `input` accepted, as the parts of a request.
   * @throws InvalidParamsError for values that cannot travel in their part.
   */
  split(args: Readonly<Record<string, unknown>>): RequestParts
}

/** All of it may be left out. */
export type RouteInputOptions = Partial<PlanOptions>

/**
 * The schemas of a route's tool. The marker's schemas win over the route's own, path parameters that neither knows are
 * strings. What cannot be read is left out and noted; only a marker's mistake throws.
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
  return { '~standard': standard } as StandardSchemaV1<Record<string, unknown>> // it is checked to be an object
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

/** JSON Schema first: it is cheap and never waits. */
export function inputCheck(plan: InputPlan, compile: CompileOptions): (value: unknown) => Result {
  const { check } = lazyInputCheck(checkedHere(plan), false, compile)
  const guard = plan.libraries.size > 0 ? integerGuard(plan.json) : undefined
  const libraries = [...plan.libraries].map(([part, schema]) => libraryCheck(plan, part, schema))
  return (value) => {
    const hostile = hostilePath(value)
    if (hostile !== undefined) return { issues: [{ path: hostile, message: 'this name is not allowed' }] }
    return whenReady(check(value), (checked) => {
      if (checked.issues !== undefined) return { issues: checked.issues }
      if (libraries.length === 0) return { value }
      const large = guard?.(value)
      if (large !== undefined) return { issues: [large] }
      const args = value as JsonObject // the schema says so
      return together(
        libraries.map((run) => run(args)),
        value,
      )
    })
  }
}

/** The published schema without what a library judges. */
function checkedHere({ json, arguments: all, libraries }: InputPlan): JsonObject {
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

/** What the library calls a field, as the caller calls it. */
function argumentPath(
  path: readonly PropertyKey[],
  whole: Argument | undefined,
  names: ReadonlyMap<string | undefined, string>,
): readonly PropertyKey[] {
  if (whole !== undefined) return [whole.name, ...path]
  const [first, ...rest] = path
  return first === undefined ? [] : [names.get(String(first)) ?? first, ...rest]
}

function together(checks: readonly (Issue[] | Promise<Issue[]>)[], value: unknown): Result {
  const verdict = (lists: readonly Issue[][]): StandardResult<unknown> => {
    const issues = lists.flat()
    return issues.length > 0 ? { issues } : { value }
  }
  return checks.some(isThenable) ? Promise.all(checks).then(verdict) : verdict(checks as Issue[][]) // none waits
}

/** Where a value holds a key that becomes a prototype in careless code. */
function hostilePath(value: unknown): PropertyKey[] | undefined {
  const pending: [value: unknown, path: PropertyKey[]][] = [[value, []]]
  for (const [at, path] of pending) {
    if (typeof at !== 'object' || at === null) continue
    if (path.length > deepest) return undefined // the schema's check says so
    for (const [key, inner] of Object.entries(at)) {
      const inside = [...path, Array.isArray(at) ? Number(key) : key]
      if (key === '__proto__') return inside
      if (typeof inner === 'object' && inner !== null) pending.push([inner, inside])
    }
  }
  return undefined
}

const deepest = 200
