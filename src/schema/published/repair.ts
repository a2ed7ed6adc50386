/**
 * Repairs schemas that our validator or clients can't compile: patterns that aren't ECMAScript, duplicate list members,
 * keywords that validators reject, and defaults that don't match their schema.
 */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { isPattern, mapSubschemas } from '../keywords.js'
import { canonical, contradicts } from '../values/contradicts.js'

export interface Repaired {
  readonly json: JsonObject
  /** Descriptions of the changes for a warning, without duplicates. */
  readonly changes: readonly string[]
}

export interface RepairOptions {
  /** Whether strings, including defaults, are converted to the types in the schema. */
  readonly coerce: boolean
  /** Whether this schema alone validates calls. Otherwise a library or a route validates them too. */
  readonly checks: boolean
}

/** Returns a repaired copy. Takes plain JSON and doesn't modify it. */
export function repair(json: JsonObject, { coerce, checks }: RepairOptions): Repaired {
  const changes = new Set<string>()
  const note: Note = (change) => void changes.add(change)
  const repaired = repairSchema(json, note, checks)
  const defaults: Defaults = { root: repaired, coerce, found: new Set() }
  const whole = withoutBadDefaults(repaired, defaults, '')
  if (defaults.found.size > 0) {
    note(`defaults that don't match their own schema are left out: ${listed([...defaults.found])}`)
  }
  return { json: whole, changes: [...changes] }
}

type Note = (change: string) => void

function repairSchema(schema: JsonObject, note: Note, checks: boolean): JsonObject {
  const inner = mapSubschemas(schema, (one) => repairSchema(one, note, checks))
  return rules.reduce((repaired, [keyword, rule]) => {
    return Object.hasOwn(repaired, keyword) ? rule(repaired, note, checks) : repaired
  }, inner)
}

type Rule = (schema: JsonObject, note: Note, checks: boolean) => JsonObject

const rules: readonly (readonly [keyword: string, rule: Rule])[] = [
  ['pattern', readablePattern],
  ['patternProperties', readablePatternProperties],
  ['enum', distinctEnum],
  ['required', distinctRequired],
  ['nullable', explicitNull],
  ['id', (schema, note) => without(schema, 'id', (value) => typeof value === 'string', note)],
  ['$async', (schema, note) => without(schema, '$async', () => true, note)],
  ...['title', 'description', 'format', '$comment', 'contentEncoding', 'contentMediaType'].map(textual),
  ...['deprecated', 'readOnly', 'writeOnly'].map(flag),
  ['examples', (schema, note) => without(schema, 'examples', (value) => !Array.isArray(value), note)],
]

function textual(keyword: string): [string, Rule] {
  return [keyword, (schema, note) => without(schema, keyword, (value) => typeof value !== 'string', note)]
}

function flag(keyword: string): [string, Rule] {
  return [keyword, (schema, note) => without(schema, keyword, (value) => typeof value !== 'boolean', note)]
}

function without(
  schema: JsonObject,
  keyword: string,
  isWrong: (value: unknown) => boolean,
  note: Note,
): JsonObject {
  const { [keyword]: value, ...rest } = schema
  if (!isWrong(value)) return schema
  note(`\`${keyword}\` is left out where no validator can read it`)
  return rest
}

function readablePattern(schema: JsonObject, note: Note): JsonObject {
  const { pattern, ...rest } = schema
  if (typeof pattern !== 'string') return schema
  const readable = readableSource(pattern)
  if (readable === pattern) return schema
  if (readable !== undefined) return { ...schema, pattern: readable }
  note(unreadablePattern(pattern))
  return rest
}

export function unreadablePattern(source: string): string {
  return `the pattern ${quoted(source)} is left out: it isn't an ECMAScript regular expression`
}

/**
 * Removes unreadable pattern properties. If the schema alone validates calls, their keys count as additional ones, and
 * `additionalProperties: false` rejects them. Otherwise the library or route decides.
 */
function readablePatternProperties(schema: JsonObject, note: Note, checks: boolean): JsonObject {
  const { patternProperties, ...rest } = schema
  if (!isObject(patternProperties)) return schema
  const read = Object.entries(patternProperties).map(([source, inner]) => ({
    source,
    readable: readableSource(source),
    inner,
  }))
  if (read.every(({ source, readable }) => readable === source)) return schema
  const kept = Object.fromEntries(
    read.flatMap(({ readable, inner }) => (readable === undefined ? [] : [[readable, inner]])),
  )
  const lost = read.filter(({ readable }) => readable === undefined)
  if (lost.length === 0) return { ...schema, patternProperties: kept }
  for (const { source } of lost) {
    note(
      `\`patternProperties\` ${quoted(source)} is left out: it isn't an ECMAScript regular expression; keys that it would match count as additional ones`,
    )
  }
  const { additionalProperties, unevaluatedProperties, ...open } = rest
  return { ...(checks ? rest : open), ...(Object.keys(kept).length > 0 && { patternProperties: kept }) }
}

/**
 * Rewrites an expression for the flag `u`, which validators use: unnecessary escapes of punctuation (`\_`, `\-`) become
 * hexadecimal ones, and anchors of other languages (`\A`, `\z`) become those of ECMAScript. Returns `undefined` if the
 * result isn't ECMAScript.
 */
export function readableSource(source: string): string | undefined {
  if (isPattern(source)) return source
  const anchored = source.replace(/^\\A/, '^').replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\[zZ]$/, '$')
  const escaped = anchored.replace(/\\([\s\S])/g, (whole, character: string) =>
    needlessEscape.test(character) ? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}` : whole,
  )
  return isPattern(escaped) ? escaped : undefined
}

const needlessEscape = /[ !"#%&',\-:;<=>@_`~]/

function distinctEnum(schema: JsonObject, note: Note): JsonObject {
  const { enum: values, ...rest } = schema
  if (!Array.isArray(values)) return schema
  if (values.length === 0) {
    note('an empty `enum` is written as `not: {}`: nothing matches it')
    return { ...rest, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { not: {} }] }
  }
  const distinct = [...new Map(values.map((value) => [canonical(value), value])).values()]
  if (distinct.length === values.length) return schema
  note('repeated members of `enum` are left out')
  return { ...schema, enum: distinct }
}

function distinctRequired(schema: JsonObject, note: Note): JsonObject {
  const { required } = schema
  if (!Array.isArray(required)) return schema
  const distinct = [...new Set(required)]
  if (distinct.length === required.length) return schema
  note('repeated members of `required` are left out')
  return { ...schema, required: distinct }
}

/**
 * Rewrites `nullable` of OpenAPI 3.0. Ajv supports it but fails to compile it without a type; other validators don't
 * know it. An `enum` isn't changed, because OpenAPI requires null to be listed in it.
 */
function explicitNull(schema: JsonObject, note: Note): JsonObject {
  const { nullable, ...rest } = schema
  if (typeof nullable !== 'boolean') return schema
  note('`nullable` is written as a type, which is how JSON Schema says it')
  const { type } = rest
  if (!nullable || type === undefined) return rest
  const types = Array.isArray(type) ? type : [type]
  return { ...rest, type: types.includes('null') ? type : [...types, 'null'] }
}

interface Defaults {
  readonly root: JsonObject
  readonly coerce: boolean
  /** The names of the properties whose default was removed. */
  readonly found: Set<string>
}

/**
 * Removes defaults that don't match their schema. Validators fill defaults in before validating, so a wrong one would
 * reject calls that don't send the property.
 */
function withoutBadDefaults(schema: JsonObject, defaults: Defaults, name: string): JsonObject {
  const inner = mapSubschemas(schema, (one, key) => withoutBadDefaults(one, defaults, key ?? name))
  const { default: value, ...rest } = inner
  if (value === undefined) return inner
  const readings = defaults.coerce && typeof value === 'string' ? [value, ...scalarIn(value)] : [value]
  if (!readings.every((one) => contradicts(one, rest, defaults.root))) return inner
  defaults.found.add(name === '' ? 'the root' : name)
  return rest
}

/** Returns the number, boolean or null that a text represents. */
function scalarIn(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? [] : [value]
  } catch {
    return []
  }
}

const mostListed = 10
const longestQuote = 80

function listed(names: readonly string[]): string {
  const more = names.length - mostListed
  return `${names.slice(0, mostListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function quoted(source: string): string {
  return JSON.stringify(source.length > longestQuote ? `${source.slice(0, longestQuote)}…` : source)
}
