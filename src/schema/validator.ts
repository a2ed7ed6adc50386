/**
 * Validates values against JSON Schema: with the app's own validator, with Ajv (loaded at the first validation), or
 * with our evaluator.
 */

import { runtime } from '#runtime'
import { whenReady } from '../support/maybe-promise.js'
import { isObject } from '../support/values.js'
import { type AjvError, issuesOf } from './ajv-issues.js'
import {
  type Checked,
  type CompiledSchema,
  type CompileOptions,
  copyAsJson,
  type Direction,
  type JsonObject,
} from './compiled.js'
import { evaluatorOf, mostSteps, tooManySteps } from './evaluator/compile.js'
import { growsExponentially } from './evaluator/growth.js'
import { ownValidator } from './evaluator/own-validator.js'
import { ItemComparer } from './evaluator/same-value.js'
import { type Dialect, dialectOf } from './hand-written.js'
import { canWiden, hasUnboundedInteger, withSafeIntegers } from './values/safe-integers.js'

type Validator = (value: unknown) => Checked

/**
 * Creates the validation of a hand-written schema. Values are copied first, because defaults and conversions modify
 * them.
 */
export function lazyCheck(
  json: JsonObject,
  coerce: boolean,
  options: CompileOptions,
  io: Direction = 'input',
): Pick<CompiledSchema, 'check' | 'prepare'> {
  let validate: Validator | undefined
  const prepared = (): Validator => {
    validate ??= compile(json, coerce, options, io)
    return validate
  }
  return {
    prepare: () => void prepared(),
    check(value) {
      const copied = copyAsJson(value)
      return copied.issues === undefined ? prepared()(copied.value) : copied
    },
  }
}

/**
 * Creates the validation of a hand-written schema for arguments, with bounds on its integers. If the bounds could accept
 * values that the schema itself rejects, the arguments must pass both.
 */
export function lazyInputCheck(
  json: JsonObject,
  coerce: boolean,
  options: CompileOptions,
): Pick<CompiledSchema, 'check' | 'prepare'> {
  const bounded = lazyCheck(withSafeIntegers(json), coerce, options)
  if (!hasUnboundedInteger(json) || !canWiden(json)) return bounded
  const original = lazyCheck(json, coerce, options)
  return {
    prepare() {
      original.prepare()
      bounded.prepare()
    },
    check: (value) =>
      whenReady(original.check(value), (checked) =>
        checked.issues === undefined ? bounded.check(value) : checked,
      ),
  }
}

/** Returns the app's own validator, else Ajv; the evaluator if Ajv could take exponential time or can't run. */
function compile(json: JsonObject, coerce: boolean, options: CompileOptions, io: Direction): Validator {
  const { owner, support } = options
  try {
    const own = support.find((one) => one.compile !== undefined)
    if (own !== undefined) return ownValidator(own, json, coerce, owner)
    const grows = growsExponentially(json)
    // The app itself produces results, and schemas without growth take time linear in the value.
    const steps = grows && io === 'input' ? mostSteps : Number.POSITIVE_INFINITY
    const draft07 = dialectOf(json) === 'draft-07'
    const evaluate = (most: number): Validator => evaluatorOf(json, { coerce, draft07 }, most)
    if (grows) return evaluate(steps)
    return ajvValidator(json, coerce, () => evaluate(mostSteps)) ?? evaluate(steps)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${owner}: its JSON Schema cannot be compiled: ${reason}`, { cause: error })
  }
}

/**
 * Creates a validation with Ajv, which is fastest for valid values and stops at the first failure. The evaluator then
 * finds all failures, unless it takes too many steps.
 */
function ajvValidator(json: JsonObject, coerce: boolean, evaluator: () => Validator): Validator | undefined {
  const ajv = ajvFor(dialectOf(json) ?? 'draft-2020-12', coerce)
  const validate = ajv && compileAlone(ajv, json)
  if (validate === undefined) return undefined
  let explain: Validator | undefined
  return (value) => {
    if (validate(value) === true) return { value }
    const { errors } = validate
    explain ??= unlessItThrows(evaluator)
    const explained = explain?.(value)
    const isExplained = explained?.issues !== undefined && explained.issues[0]?.message !== tooManySteps
    return isExplained ? explained : { issues: issuesOf(errors ?? [], value) }
  }
}

function unlessItThrows(make: () => Validator): Validator | undefined {
  try {
    return make()
  } catch {
    return undefined // Ajv has compiled it
  }
}

interface AjvValidate {
  (value: unknown): unknown
  readonly errors?: readonly AjvError[] | null
}

interface Ajv {
  compile(schema: object): AjvValidate
  addKeyword(definition: object): Ajv
  removeKeyword(keyword: string): Ajv
  removeSchema(schema: object): unknown
}

/**
 * Compiles a schema and removes it from Ajv, because two tools may use the same `$id`, and removed tools must not be
 * kept. Returns `undefined` if the platform forbids code generation.
 */
function compileAlone(ajv: Ajv, json: JsonObject): AjvValidate | undefined {
  try {
    return ajv.compile(json)
  } catch (error) {
    if (error instanceof EvalError) return undefined
    throw error
  } finally {
    ajv.removeSchema(json)
  }
}

type AjvClass = new (options: object) => Ajv

const packages: Readonly<Record<Dialect, string>> = { 'draft-2020-12': 'ajv/dist/2020', 'draft-07': 'ajv' }

/** Ajv instances, shared by all schemas of a kind: creating one takes longer than compiling ten schemas. */
const instances = new WeakMap<AjvClass, Map<boolean, Ajv>>()

/** Returns the Ajv instance, or `undefined` if the platform can't load packages. */
function ajvFor(dialect: Dialect, coerceTypes: boolean): Ajv | undefined {
  const AjvClass = loadAjv(packages[dialect])
  if (AjvClass === undefined) return undefined
  const known = instances.get(AjvClass) ?? new Map<boolean, Ajv>()
  instances.set(AjvClass, known)
  const ajv = known.get(coerceTypes) ?? withUniqueItems(new AjvClass({ ...ajvOptions, coerceTypes }))
  known.set(coerceTypes, ajv)
  return ajv
}

/** Replaces `uniqueItems`, because Ajv compares each item with every other one. */
function withUniqueItems(ajv: Ajv): Ajv {
  ajv.removeKeyword('uniqueItems')
  return ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    error: { message: 'must NOT have duplicate items' },
    validate: (unique: boolean, items: unknown[]) =>
      !unique || new ItemComparer().duplicate(items) === undefined,
  })
}

const ajvOptions = {
  strict: false, // unknown keywords are annotations
  verbose: true, // messages need the schema that contains the error
  useDefaults: true,
  validateFormats: false, // `format` is an annotation since 2019-09
  logger: false,
}

function loadAjv(name: string): AjvClass | undefined {
  let exports: unknown
  try {
    exports = runtime.load(name)
  } catch {
    return undefined
  }
  const found =
    isObject(exports) || typeof exports === 'function'
      ? ((exports as { default?: unknown }).default ?? exports)
      : exports
  if (typeof found !== 'function') throw new TypeError(`expected "${name}" to export the Ajv class`)
  return found as AjvClass // the package exports the class
}
