/**
 * The entry point of this folder. A schema of any library is converted to JSON Schema when a definition is added, and
 * compiled to a validation that every call runs.
 */

import type { HeaderParameter } from '../protocol/request-headers.js'
import { describe, isObject } from '../support/values.js'
import type { CompiledSchema, CompileOptions, Direction, JsonObject, UnknownArguments } from './compiled.js'
import { convert, ownVendor } from './convert.js'
import { warnOfOwnValidator, warnOfPatterns, warnOfUnions } from './costs/warn.js'
import { acceptHandWritten } from './hand-written.js'
import { type Subschema, subschemas } from './keywords.js'
import { warnOfDates } from './published/client-limits.js'
import { readable } from './published/readable.js'
import { repair } from './published/repair.js'
import { asObjectRoot, rootKeys } from './root-keys.js'
import { isStandardSchema, standardCheck } from './standard.js'
import type { Schema, StandardSchemaV1 } from './types.js'
import { rejectUndeclared, unknownKeyFilter } from './unknown-keys.js'
import { lazyCheck, lazyInputCheck } from './validator.js'
import { integerGuard } from './values/safe-integers.js'
import { strippingOutput } from './values/undeclared-keys.js'

export type { HeaderParameter } from '../protocol/request-headers.js'
export { describeIssues } from './ajv-issues.js'
export { withHints } from './argument-hints.js'
export type {
  Checked,
  CompiledSchema,
  CompileOptions,
  Issue,
  JsonObject,
  SchemaSupport,
  UnknownArguments,
} from './compiled.js'
export { type AjvInstance, asSupport, isAjv } from './evaluator/own-validator.js'
export { exceededLimits } from './published/client-limits.js'
export { assertAcceptsStrings } from './strings.js'

export interface InputOptions extends CompileOptions {
  /** The definition's setting. Without it, hand-written JSON Schema decides for itself. */
  readonly unknownArguments: UnknownArguments | undefined
  /** The default for library schemas. */
  readonly defaultUnknownArguments: UnknownArguments
  /**
   * Whether the values are strings, as for prompts and URI templates. Hand-written JSON Schema converts them to its
   * types.
   */
  readonly coerceStrings: boolean
}

/**
 * Compiles the schema of arguments.
 * @throws Error naming the owner if the schema can't be used.
 */
export function compileInput(schema: Schema, options: InputOptions): CompiledSchema {
  const { unknownArguments: own, defaultUnknownArguments, coerceStrings } = options
  const { json, check, prepare } = read(schema, 'input', coerceStrings, options)
  const { names, others } = rootKeys(json)
  if (others === 'its own') return { json, check, prepare }

  const preferred = own ?? (isStandardSchema(schema) ? defaultUnknownArguments : 'pass')
  const rule = others === 'refused' ? 'reject' : preferred // the schema itself takes precedence
  const filter = unknownKeyFilter(names, rule, options)
  return {
    json: rule === 'reject' && others === 'nothing' ? rejectUndeclared(json, names) : json,
    check(value) {
      const filtered = filter(value)
      return filtered.issues === undefined ? check(filtered.value) : filtered
    },
    prepare,
  }
}

/**
 * Compiles the schema of a result.
 * @throws Error naming the owner if the schema can't be used.
 */
export function compileOutput(schema: Schema, options: CompileOptions): CompiledSchema {
  return read(schema, 'output', false, options)
}

function read(schema: Schema, io: Direction, coerce: boolean, options: CompileOptions): CompiledSchema {
  if (isStandardSchema(schema)) {
    const converted = repair(convert(schema, io, options), { coerce, checks: false }).json
    const json = readable(io === 'input' ? asObjectRoot(converted, options.owner) : converted, nothing)
    if (io === 'input' && !coerce) warnOfDates(schema, json, options)
    if (io === 'input') warnOfUnions(schema, json, options)
    if (io === 'input') warnOfPatterns(json, options)
    const check = io === 'input' ? inputCheck(schema, json) : standardCheck(outputParser(schema, options))
    return { json, check, prepare: nothing }
  }
  const { json, changes } = repair(acceptHandWritten(schema, io, options.owner), { coerce, checks: true })
  const all = new Set(changes)
  const published = readable(json, (change) => void all.add(change))
  if (io === 'input') warnOfPatterns(json, options)
  if (io === 'input') warnOfOwnValidator(json, options)
  if (all.size > 0) options.warn(`${options.owner}: in its \`${io}\` schema, ${[...all].join('; ')}`)
  return {
    json: published,
    ...(io === 'input' ? lazyInputCheck(json, coerce, options) : lazyCheck(json, coerce, options, io)),
  }
}

/**
 * Creates the validation of a library schema. Adds a check for large integers, except for schemas of this package,
 * which have one.
 */
function inputCheck(schema: StandardSchemaV1, json: JsonObject): CompiledSchema['check'] {
  const check = standardCheck(schema)
  const guard = schema['~standard'].vendor === ownVendor ? undefined : integerGuard(json)
  if (guard === undefined) return check
  return (value) => {
    const issue = guard(value)
    return issue === undefined ? check(value) : { issues: [issue] }
  }
}

function outputParser(given: StandardSchemaV1, { owner, warn }: CompileOptions): StandardSchemaV1 {
  const { schema, gap } = strippingOutput(given)
  if (gap !== undefined) {
    warn(
      `${owner}: its output ${gap}, from which ArkType can't drop unknown keys: they are sent; give each object '+': 'delete' or 'reject', or a union a key that tells its branches apart`,
    )
  }
  return schema
}

const nothing = (): void => {} // already converted, and the library validates by itself

export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
}

/** Returns an entry for each top-level key. `required` is present only if it is true. */
export function promptArguments(json: JsonObject): PromptArgument[] {
  return [...rootKeys(json).names].map((name) => ({
    name,
    ...textsOf(json, name),
    ...(requires(json, name) && { required: true }),
  }))
}

/** Returns the first title and description of a key, in the root or the schemas combined in it. */
function textsOf(json: JsonObject, name: string): { title?: string; description?: string } {
  const { properties } = json
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  const { title, description } = isObject(own) ? own : {}
  const inner = subschemas(json).filter(({ steps }) => composing.has(steps[0] ?? ''))
  return {
    ...Object.assign({}, ...inner.map(({ schema }) => (isObject(schema) ? textsOf(schema, name) : {}))),
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  }
}

const composing = new Set(['allOf', 'anyOf', 'oneOf'])

function requires(schema: unknown, name: string): boolean {
  if (!isObject(schema)) return false
  const { required, allOf, anyOf, oneOf } = schema
  if (Array.isArray(required) && required.includes(name)) return true
  if (Array.isArray(allOf) && allOf.some((part) => requires(part, name))) return true
  return [anyOf, oneOf].some(
    (branches) => Array.isArray(branches) && branches.every((branch) => requires(branch, name)),
  )
}

const keyword = 'x-mcp-header'

/** Token grammar of HTTP (RFC 9110, section 5.6.2). */
const token = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/

const types = ['string', 'integer', 'boolean'] as const

/**
 * Returns the parameters that an input schema mirrors in headers.
 * @throws TypeError naming the owner and the position for an annotation that clients reject.
 */
export function headerParameters(json: JsonObject, owner: string): HeaderParameter[] {
  const found: HeaderParameter[] = []
  const places: Subschema[] = [{ schema: json, steps: [] }]
  for (const { schema, steps } of places) {
    if (!isObject(schema)) continue
    if (Object.hasOwn(schema, keyword)) found.push(readAnnotation(schema, steps, owner))
    for (const inner of subschemas(schema)) places.push({ ...inner, steps: [...steps, ...inner.steps] })
  }
  const twice = found.find(({ header }, at) => found.findIndex((other) => other.header === header) < at)
  if (twice !== undefined) {
    throw new TypeError(
      `${owner}: ${keyword} must be unique without regard to case; two parameters use "${twice.header}"`,
    )
  }
  return found
}

function readAnnotation(schema: JsonObject, steps: readonly string[], owner: string): HeaderParameter {
  const fail = (problem: string): never => {
    throw new TypeError(`${owner}: ${keyword} at ${steps.join('.') || 'the root'} ${problem}`)
  }
  const { [keyword]: name, type, minimum, maximum } = schema
  const onlyProperties =
    steps.length > 0 && steps.every((step, index) => index % 2 === 1 || step === 'properties')
  if (!onlyProperties) return fail('must be on a property that is reached through `properties` alone')
  if (typeof name !== 'string' || !token.test(name)) {
    return fail(`must be a non-empty name of letters, digits and !#$%&'*+-.^_\`|~, got ${describe(name)}`)
  }
  if (!types.some((one) => one === type)) {
    return fail(`needs the type string, integer or boolean next to it, got ${JSON.stringify(type) ?? 'none'}`)
  }
  if (type === 'integer' && [minimum, maximum].some(isUnsafe)) return fail('needs bounds within ±(2^53 − 1)')
  const path = steps.filter((_, index) => index % 2 === 1)
  return { header: `mcp-param-${name.toLowerCase()}`, path }
}

function isUnsafe(bound: unknown): boolean {
  return typeof bound === 'number' && Math.abs(bound) > Number.MAX_SAFE_INTEGER
}
