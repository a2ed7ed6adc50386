/**
 * Reduces schemas to the keywords of JSON Schema 2020-12 that a route's tool may publish, with valid values. Keywords
 * of older drafts and OpenAPI 3.0 are rewritten; all others are removed.
 */

import type { JsonObject } from '../../schema/compiled.js'
import { jsonTypes, withPrefixItems } from '../../schema/keywords.js'
import { isObject } from '../../support/values.js'

type Holds = (value: unknown) => boolean

const isText: Holds = (value) => typeof value === 'string'
const isFlag: Holds = (value) => typeof value === 'boolean'
const isNumber: Holds = (value) => typeof value === 'number' && Number.isFinite(value)
const isCount: Holds = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isAnything: Holds = (value) => value !== undefined
const isTexts: Holds = (value) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length

/** Keywords with data as values. Those with schemas are in `src/schema/keywords.ts`. */
const values: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  [
    'type',
    (value) =>
      Array.isArray(value)
        ? value.length > 0 && isTexts(value) && value.every((one) => jsonTypes.has(one))
        : jsonTypes.has(value),
  ],
  ['enum', (value) => Array.isArray(value) && value.length > 0],
  ['const', isAnything],
  ['default', isAnything],
  ['required', isTexts],
  ['dependentRequired', (value) => isObject(value) && Object.values(value).every(isTexts)],
  ['multipleOf', (value) => isNumber(value) && (value as number) > 0],
  ['examples', Array.isArray],
  ...entries(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], isNumber),
  ...entries(
    [
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minContains',
      'maxContains',
      'minProperties',
      'maxProperties',
    ],
    isCount,
  ),
  ...entries(['uniqueItems', 'deprecated'], isFlag),
  ...entries(
    ['title', 'description', 'format', 'contentEncoding', 'contentMediaType', 'x-mcp-header'],
    isText,
  ),
])

function entries(names: readonly string[], holds: Holds): [string, Holds][] {
  return names.map((name) => [name, holds])
}

/** Whether a keyword with data may be published with this value. */
export function isValid(keyword: string, value: unknown): boolean {
  return values.get(keyword)?.(value) === true
}

/** Rewrites one level of a schema to 2020-12. */
export function modernise(schema: JsonObject): JsonObject {
  let modern = schema
  for (const [keyword, rewrite] of rewrites) {
    if (Object.hasOwn(modern, keyword)) modern = rewrite(modern)
  }
  return modern
}

const rewrites: readonly (readonly [keyword: string, rewrite: (schema: JsonObject) => JsonObject])[] = [
  ['exclusiveMinimum', (schema) => exclusive(schema, 'exclusiveMinimum', 'minimum')],
  ['exclusiveMaximum', (schema) => exclusive(schema, 'exclusiveMaximum', 'maximum')],
  ['example', ({ example, ...rest }) => ({ examples: [example], ...rest })],
  ['items', withPrefixItems],
  ['dependencies', dependencies],
  ['type', knownType],
  ['nullable', nullable],
]

/** Rewrites the boolean `exclusiveMinimum` and `exclusiveMaximum` of draft-04 and OpenAPI 3.0. */
function exclusive(schema: JsonObject, flag: string, bound: string): JsonObject {
  if (typeof schema[flag] !== 'boolean') return schema
  const { [flag]: isExclusive, [bound]: limit, ...rest } = schema
  if (limit === undefined) return rest
  return { ...rest, [isExclusive === true ? flag : bound]: limit }
}

function dependencies({ dependencies: given, ...rest }: JsonObject): JsonObject {
  const all = Object.entries(isObject(given) ? given : {})
  const named = all.filter(([, needs]) => Array.isArray(needs))
  const schemas = all.filter(([, needs]) => !Array.isArray(needs))
  return {
    ...rest,
    ...(named.length > 0 && { dependentRequired: Object.fromEntries(named) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
  }
}

/** Maps Swagger's type `file` to a string. Types that JSON Schema doesn't have are removed. */
function knownType(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema
  if (type === 'file') return { ...rest, type: 'string', format: 'binary' }
  if (!Array.isArray(type)) return jsonTypes.has(type) ? schema : rest
  const known = [...new Set(type)].filter((one) => jsonTypes.has(one))
  return known.length > 0 && known.length === new Set(type).size ? { ...schema, type: known } : rest
}

/** Rewrites `nullable` of OpenAPI 3.0. Without `type` it has no effect there, but authors expect it to work. */
function nullable({ nullable: flag, ...schema }: JsonObject): JsonObject {
  if (flag !== true) return schema
  const { type, enum: allowed, const: only } = schema
  const withNull = Array.isArray(allowed) && !allowed.includes(null) ? { enum: [...allowed, null] } : {}
  if (type !== undefined && only === undefined) {
    const list = Array.isArray(type) ? type : [type]
    return { ...schema, ...withNull, type: list.includes('null') ? type : [...list, 'null'] }
  }
  const { title, description, default: fallback, examples, deprecated, readOnly, writeOnly, ...rest } = schema
  const about = { title, description, default: fallback, examples, deprecated, readOnly, writeOnly }
  if (Object.keys(rest).length === 0) return schema
  const given = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined))
  return { ...given, anyOf: [rest, { type: 'null' }] }
}
