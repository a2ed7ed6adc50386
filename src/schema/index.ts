/**
 * The door to schemas: whatever library they come from, they become JSON Schema once, when a definition is added, and
 * a check that every call runs.
 */

import type { CompiledSchema, CompileOptions, Direction, JsonObject, UnknownArguments } from './compiled.js'
import { convert, ownVendor } from './convert.js'
import { warnOfOwnValidator, warnOfPatterns, warnOfUnions } from './costs/warn.js'
import { warnOfDates } from './dates.js'
import { takeHandWritten } from './hand-written.js'
import { asObjectRoot } from './object-root.js'
import { readable } from './published/readable.js'
import { repair } from './published/repair.js'
import { rootKeys } from './root-keys.js'
import { isStandardSchema, standardCheck } from './standard.js'
import type { Schema, StandardSchemaV1 } from './types.js'
import { refuseOthers, unknownKeyFilter } from './unknown-keys.js'
import { lazyCheck } from './validator.js'
import { integerGuard, withSafeIntegers } from './values/safe-integers.js'
import { strippingOutput } from './values/undeclared-keys.js'

export type { HeaderParameter } from '../protocol/request-headers.js'
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
export { headerParameters } from './header-parameters.js'
export { describeIssues } from './issues.js'
export { promptArguments } from './prompt-arguments.js'
export { exceededLimits } from './published/client-limits.js'
export { assertAcceptsStrings } from './strings.js'

export interface InputOptions extends CompileOptions {
  /** What the definition says. Hand-written JSON Schema stays as it is without it. */
  readonly unknownArguments: UnknownArguments | undefined
  /** What holds for schemas of libraries otherwise. */
  readonly defaultUnknownArguments: UnknownArguments
  /** The values are strings, as of prompts and URI templates: hand-written JSON Schema reads them as what it asks for. */
  readonly coerceStrings: boolean
}

/** The schema of arguments. Throws, naming the owner, for one that cannot be served. */
export function compileInput(schema: Schema, options: InputOptions): CompiledSchema {
  const { unknownArguments: own, defaultUnknownArguments, coerceStrings } = options
  const { json, check, prepare } = read(schema, 'input', coerceStrings, options)
  const { names, others } = rootKeys(json)
  if (others === 'its own') return { json, check, prepare }

  const asked = own ?? (isStandardSchema(schema) ? defaultUnknownArguments : 'pass')
  const rule = others === 'refused' ? 'reject' : asked // what the schema says itself wins
  const filter = unknownKeyFilter(names, rule, options)
  return {
    json: rule === 'reject' && others === 'nothing' ? refuseOthers(json, names) : json,
    check(value) {
      const filtered = filter(value)
      return filtered.issues === undefined ? check(filtered.value) : filtered
    },
    prepare,
  }
}

/** The schema of a result. Throws, naming the owner, for one that cannot be served. */
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
  const { json, changes } = repair(takeHandWritten(schema, io, options.owner), { coerce, checks: true })
  const all = new Set(changes)
  const published = readable(json, (change) => void all.add(change))
  if (io === 'input') warnOfPatterns(json, options)
  if (io === 'input') warnOfOwnValidator(json, options)
  if (all.size > 0) options.warn(`${options.owner}: in its \`${io}\` schema, ${[...all].join('; ')}`)
  return {
    json: published,
    ...lazyCheck(io === 'input' ? withSafeIntegers(json) : json, coerce, options, io),
  }
}

/** What this package makes itself refuses large integers already. */
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

const nothing = (): void => {} // converted already, and the library checks by itself
