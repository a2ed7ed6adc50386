/** Checks values against JSON Schema: by Ajv, loaded at the first check, or by what the app brought instead. */

import { runtime } from '#runtime'
import { isObject } from '../protocol/jsonrpc.js'
import { type AjvError, issuesOf } from './ajv-issues.js'
import type { Checked, CompiledSchema, CompileOptions, JsonObject } from './compiled.js'
import { copyAsJson } from './copy.js'
import { type Dialect, dialectOf } from './hand-written.js'
import { subschemas } from './keywords.js'

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
  const kind = { dialect: dialectOf(json) ?? 'draft-2020-12', coerce, allErrors: !isCostly(json) } as const
  const validate = compileAlone(ajvFor(kind), json)
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

interface AjvKind {
  readonly dialect: Dialect
  readonly coerce: boolean
  readonly allErrors: boolean
}

/** One instance serves all schemas of a kind: making one costs more than compiling ten schemas. */
const instances = new WeakMap<AjvClass, Map<string, Ajv>>()

function ajvFor({ dialect, coerce, allErrors }: AjvKind): Ajv {
  const AjvClass = loadAjv(packages[dialect])
  const known = instances.get(AjvClass) ?? new Map<string, Ajv>()
  instances.set(AjvClass, known)
  const key = `${coerce} ${allErrors}`
  const ajv = known.get(key) ?? new AjvClass({ ...ajvOptions, coerceTypes: coerce, allErrors })
  known.set(key, ajv)
  return ajv
}

/**
 * Keywords whose cost grows faster than the value. An author keeps it down with a bound beside them (`maxLength`,
 * `maxItems`), which counts only when checking stops at the first error.
 */
const costly = ['pattern', 'patternProperties', 'uniqueItems']

function isCostly(json: JsonObject): boolean {
  const schemas: unknown[] = [json]
  for (const schema of schemas) {
    if (!isObject(schema)) continue
    if (costly.some((keyword) => Object.hasOwn(schema, keyword))) return true
    schemas.push(...subschemas(schema).map((inner) => inner.schema))
  }
  return false
}

const ajvOptions = {
  strict: false, // unknown keywords are annotations
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
