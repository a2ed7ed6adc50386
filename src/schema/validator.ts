/** Checks values against JSON Schema: by Ajv, loaded at the first check, or by what the app brought instead. */

import { runtime } from '#runtime'
import { isObject } from '../protocol/jsonrpc.js'
import { type AjvError, issuesOf } from './ajv-issues.js'
import type { Checked, CompiledSchema, CompileOptions, JsonObject } from './compiled.js'
import { copyAsJson } from './copy.js'
import { type Dialect, dialectOf } from './hand-written.js'

type Validator = (value: unknown) => Checked

/** The check of a hand-written schema. Values are copied first: defaults and conversions are written into the copy. */
export function lazyCheck(
  json: JsonObject,
  coerce: boolean,
  options: CompileOptions,
): Pick<CompiledSchema, 'check' | 'prepare'> {
  let validate: Validator | undefined
  const prepared = (): Validator => {
    validate ??= compile(json, coerce, options)
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

function compile(json: JsonObject, coerce: boolean, { owner, support }: CompileOptions): Validator {
  const brought = support.find((one) => one.compile !== undefined)
  try {
    return brought?.compile?.(json, { coerce }) ?? ajvValidator(json, coerce)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const hint = brought ? '' : ' (where Ajv cannot run, pass { compile } in the router option `schemas`)'
    throw new Error(`${owner}: its JSON Schema cannot be compiled: ${reason}${hint}`, { cause: error })
  }
}

function ajvValidator(json: JsonObject, coerce: boolean): Validator {
  const validate = compileAlone(ajvFor(dialectOf(json) ?? 'draft-2020-12', coerce), json)
  return (value) => {
    if (validate(value) === true) return { value }
    return { issues: issuesOf(validate.errors ?? [], value) }
  }
}

interface AjvValidate {
  (value: unknown): unknown
  readonly errors?: readonly AjvError[] | null
}

interface Ajv {
  compile(schema: object): AjvValidate
  removeSchema(schema: object): unknown
}

/** Two tools may use one `$id`, and a removed tool is not kept: Ajv forgets a schema as soon as it is compiled. */
function compileAlone(ajv: Ajv, json: JsonObject): AjvValidate {
  try {
    return ajv.compile(json)
  } finally {
    ajv.removeSchema(json)
  }
}

type AjvClass = new (options: object) => Ajv

const packages: Readonly<Record<Dialect, string>> = { 'draft-2020-12': 'ajv/dist/2020', 'draft-07': 'ajv' }

/** One instance serves all schemas of a kind: making one costs more than compiling ten schemas. */
const instances = new WeakMap<AjvClass, Map<boolean, Ajv>>()

function ajvFor(dialect: Dialect, coerce: boolean): Ajv {
  const AjvClass = loadAjv(packages[dialect])
  const known = instances.get(AjvClass) ?? new Map<boolean, Ajv>()
  instances.set(AjvClass, known)
  const ajv = known.get(coerce) ?? new AjvClass({ ...ajvOptions, coerceTypes: coerce })
  known.set(coerce, ajv)
  return ajv
}

const ajvOptions = {
  strict: false, // unknown keywords are annotations
  allErrors: true, // the model should see all it did wrong; how much that can be is bounded when issues are made
  verbose: true, // the messages need the schema around the error
  useDefaults: true,
  validateFormats: false, // `format` is an annotation since 2019-09
  logger: false,
}

function loadAjv(name: string): AjvClass {
  const exports = runtime.load(name)
  const found =
    isObject(exports) || typeof exports === 'function'
      ? ((exports as { default?: unknown }).default ?? exports)
      : exports
  if (typeof found !== 'function') throw new TypeError(`expected "${name}" to export the Ajv class`)
  return found as AjvClass // the function that this package exports
}
