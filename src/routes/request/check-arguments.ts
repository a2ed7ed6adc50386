/** Checks the arguments of a route's tool, each part by what describes it, and leaves them as they came. */

import type { CompileOptions, Issue, JsonObject } from '../../schema/compiled.js'
import { standardCheck } from '../../schema/standard.js'
import type { StandardResult, StandardSchemaV1 } from '../../schema/types.js'
import { lazyCheck } from '../../schema/validator.js'
import { integerGuard, withSafeIntegers } from '../../schema/values/safe-integers.js'
import { isThenable, whenReady } from '../../support/maybe-promise.js'
import type { Argument, PartName } from './arguments.js'
import type { InputPlan } from './input-plan.js'

type Result = StandardResult<unknown> | Promise<StandardResult<unknown>>

/** JSON Schema first: it is cheap and never waits. */
export function inputCheck(plan: InputPlan, compile: CompileOptions): (value: unknown) => Result {
  const { check } = lazyCheck(withSafeIntegers(checkedHere(plan)), false, compile)
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
