/** Converts schemas of Joi versions without JSON Schema support (before 18.3), from the output of `describe()`. */

import type { JsonObject } from '../../schema/compiled.js'
import { isObject, listOf } from '../../support/values.js'

/** A schema of any Joi version, recognized by its shape. */
export interface JoiSchema {
  describe(): JsonObject
}

export function isJoi(value: unknown): value is JoiSchema {
  return isObject(value) && '$_root' in value && typeof value.describe === 'function'
}

/** Converts a Joi schema for input. Unknown rules are ignored. */
export function joiToJson(schema: JoiSchema): JsonObject {
  return withExplicitOpenness(read(schema.describe()))
}

/** Makes explicit that other keys are allowed (`unknown()`); schemas that reject them already say so. */
export function withExplicitOpenness(json: JsonObject): JsonObject {
  return json.type === 'object' && isObject(json.properties) && json.additionalProperties === undefined
    ? { ...json, additionalProperties: true }
    : json
}

/** Removes patterns whose flags Joi drops in the conversion: `/^a/i` matches more than `^a`. */
export function withoutFlagged(json: JsonObject, schema: JoiSchema): JsonObject {
  const flagged = new Set<string>()
  JSON.stringify(schema.describe(), (key, value) => {
    const [, pattern, flags = ''] = key === 'regex' ? (/^\/(.*)\/([a-z]*)$/s.exec(String(value)) ?? []) : []
    if (pattern !== undefined && /[^dguvy]/.test(flags)) flagged.add(pattern)
    return value
  })
  if (flagged.size === 0) return json
  return JSON.parse(
    JSON.stringify(json, (key, value) => (key === 'pattern' && flagged.has(value) ? undefined : value)),
  )
}

/** Converts an object of Joi schemas, as celebrate and koa-joi-router accept it. Other keys are rejected, as in Joi. */
export function joiMapToJson(map: JsonObject): JsonObject {
  return objectOf(map, (one) =>
    isJoi(one) ? one.describe() : isObject(one) ? { type: 'object', keys: describeAll(one) } : {},
  )
}

/** Whether one of the values is a Joi schema or such an object. */
export function isJoiMap(value: unknown, levels = 2): value is JsonObject {
  if (!isObject(value) || isJoi(value) || levels === 0) return false
  return Object.values(value).some((one) => isJoi(one) || isJoiMap(one, levels - 1))
}

function describeAll(map: JsonObject): JsonObject {
  const entries = Object.entries(map).map(([name, one]) => [name, isJoi(one) ? one.describe() : {}])
  return Object.fromEntries(entries)
}

/** Maximum depth; deeper levels are ignored. */
const deepest = 20

function read(given: unknown, depth = 0): JsonObject {
  if (!isObject(given) || depth > deepest) return {}
  const flags = isObject(given.flags) ? given.flags : {}
  const inner = (one: unknown): JsonObject => read(one, depth + 1)
  const own = readers.get(String(given.type))?.(given, inner) ?? {}
  const schema = { ...own, ...rulesOf(given), ...annotationsOf(given, flags) }
  return withAllowed(schema, given, flags)
}

type Reader = (given: JsonObject, inner: (one: unknown) => JsonObject) => JsonObject

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['string', string],
  ['number', () => ({ type: 'number' })],
  ['boolean', () => ({ type: 'boolean' })],
  ['date', () => ({ type: 'string', format: 'date-time' })],
  ['binary', () => ({ type: 'string', contentEncoding: 'base64' })],
  ['array', array],
  ['object', object],
  ['alternatives', alternatives],
])

/** Converts a string schema. Joi rejects empty strings unless `allow` lists them. */
function string({ allow, flags }: JsonObject): JsonObject {
  const isListed = isObject(flags) && flags.only === true
  return { type: 'string', ...(!isListed && !listOf(allow).includes('') && { minLength: 1 }) }
}

function array({ items, ordered }: JsonObject, inner: (one: unknown) => JsonObject): JsonObject {
  const kinds = listOf(items).map(inner)
  const first = listOf(ordered).map(inner)
  return {
    type: 'array',
    ...(kinds.length > 0 && { items: kinds.length === 1 ? kinds[0] : { anyOf: kinds } }),
    ...(first.length > 0 && { prefixItems: first }),
  }
}

function object(given: JsonObject, inner: (one: unknown) => JsonObject): JsonObject {
  if (!isObject(given.keys)) return { type: 'object', ...patterns(given, inner) }
  const flags = isObject(given.flags) ? given.flags : {}
  const schema = { ...objectOf(given.keys, (one) => one, inner), ...patterns(given, inner) }
  if (flags.unknown !== true) return schema
  const { additionalProperties, ...open } = schema
  return open
}

function patterns({ patterns: given }: JsonObject, inner: (one: unknown) => JsonObject): JsonObject {
  const pairs = listOf(given).flatMap((pattern) =>
    isObject(pattern) && typeof pattern.regex === 'string'
      ? [[source(pattern.regex), inner(pattern.rule)] as const]
      : [],
  )
  return pairs.length === 0 ? {} : { patternProperties: Object.fromEntries(pairs) }
}

function objectOf(
  keys: JsonObject,
  describe: (one: unknown) => unknown,
  inner: (one: unknown) => JsonObject = read,
): JsonObject {
  const described = Object.entries(keys).map(([name, one]) => [name, describe(one)] as const)
  const known = described.filter(([, one]) => presence(one) !== 'forbidden')
  const required = known.filter(([, one]) => presence(one) === 'required').map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(known.map(([name, one]) => [name, inner(one)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function presence(described: unknown): unknown {
  return isObject(described) && isObject(described.flags) ? described.flags.presence : undefined
}

function alternatives({ matches }: JsonObject, inner: (one: unknown) => JsonObject): JsonObject {
  const schemas = listOf(matches).flatMap((match) => {
    if (!isObject(match)) return []
    return [match.schema, match.then, match.otherwise].filter(isObject).map(inner)
  })
  return schemas.length === 0 ? {} : { anyOf: schemas }
}

/** Applies `valid()`, which allows only the listed values, and `allow()`, which allows additional ones. */
function withAllowed(schema: JsonObject, given: JsonObject, flags: JsonObject): JsonObject {
  const listed = listOf(given.allow).filter((one) => one === null || typeof one !== 'object')
  if (listed.length === 0) return schema
  if (flags.only === true) return asEnum(schema, listed)
  return listed.includes(null) && typeof schema.type === 'string'
    ? { ...schema, type: [schema.type, 'null'] }
    : schema
}

function asEnum({ type, ...schema }: JsonObject, listed: readonly unknown[]): JsonObject {
  const withNull = listed.includes(null) && typeof type === 'string' ? [type, 'null'] : type
  return { ...(type !== undefined && { type: withNull }), ...schema, enum: [...new Set(listed)] }
}

function annotationsOf(given: JsonObject, flags: JsonObject): JsonObject {
  const { description, default: fallback } = flags
  return {
    ...(typeof description === 'string' && { description }),
    ...(isPlain(fallback) && { default: fallback }),
    ...(Array.isArray(given.examples) && { examples: given.examples }),
  }
}

/** Whether a default is plain data rather than a function or a reference. */
function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || Array.isArray(value)
}

function rulesOf({ type, rules }: JsonObject): JsonObject {
  const found = listOf(rules).flatMap((rule) => {
    if (!isObject(rule) || typeof rule.name !== 'string') return []
    const args = isObject(rule.args) ? rule.args : {}
    return Object.entries(ruleTable[`${type}.${rule.name}`]?.(args) ?? {})
  })
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

type Rule = (args: JsonObject) => JsonObject

const limit = (keyword: string): Rule => {
  return ({ limit }) => ({ [keyword]: typeof limit === 'number' ? limit : undefined })
}
const exactly = (least: string, most: string): Rule => {
  return (args) => ({ ...limit(least)(args), ...limit(most)(args) })
}
const format = (name: string): Rule => {
  return () => ({ format: name })
}

const ruleTable: Readonly<Record<string, Rule>> = {
  'string.min': limit('minLength'),
  'string.max': limit('maxLength'),
  'string.length': exactly('minLength', 'maxLength'),
  'string.pattern': ({ regex, options }) => ({
    pattern: isObject(options) && options.invert === true ? undefined : source(String(regex)),
  }),
  'string.email': format('email'),
  'string.uri': format('uri'),
  'string.guid': format('uuid'),
  'string.isoDate': format('date-time'),
  'string.hostname': format('hostname'),
  'string.hex': () => ({ pattern: '^[a-fA-F0-9]+$' }),
  'string.alphanum': () => ({ pattern: '^[a-zA-Z0-9]+$' }),
  'string.token': () => ({ pattern: '^\\w+$' }),
  'string.base64': () => ({ contentEncoding: 'base64' }),
  'number.integer': () => ({ type: 'integer' }),
  'number.port': () => ({ type: 'integer', minimum: 0, maximum: 65_535 }),
  'number.min': limit('minimum'),
  'number.max': limit('maximum'),
  'number.greater': limit('exclusiveMinimum'),
  'number.less': limit('exclusiveMaximum'),
  'number.multiple': ({ base }) => ({ multipleOf: typeof base === 'number' ? base : undefined }),
  'number.sign': ({ sign }) => (sign === 'positive' ? { exclusiveMinimum: 0 } : { exclusiveMaximum: 0 }),
  'array.min': limit('minItems'),
  'array.max': limit('maxItems'),
  'array.length': exactly('minItems', 'maxItems'),
  'array.unique': () => ({ uniqueItems: true }),
  'object.min': limit('minProperties'),
  'object.max': limit('maxProperties'),
}

/** Returns the source of an expression: `/^x/` → `^x`; `undefined` if it has flags that JSON Schema can't express. */
function source(regex: string): string | undefined {
  const [, pattern, flags] = /^\/(.*)\/([a-z]*)$/s.exec(regex) ?? []
  return flags === '' || flags === 'u' ? pattern : undefined
}
