/** Keywords for a value itself: types, constants, numbers and strings. */

import { describe } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { jsonTypes } from '../keywords.js'
import type { Check } from './run.js'
import { isSame } from './same-value.js'

/** Creates the check of a keyword; `undefined` if there is nothing to check. Throws for an invalid keyword value. */
export type Keyword = (schema: JsonObject) => Check | undefined

/** Returns the types that a schema allows. `nullable` of OpenAPI 3.0 adds null. */
export function typesOf({ type, nullable }: JsonObject): readonly string[] | undefined {
  if (type === undefined) return undefined
  const types = (Array.isArray(type) ? type : [type]) as string[]
  const unknown = types.find((one) => !jsonTypes.has(one))
  if (unknown !== undefined) throw new TypeError(`expected type to be a JSON type, got ${describe(unknown)}`)
  return nullable === true && !types.includes('null') ? [...types, 'null'] : types
}

export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}

/** Keywords that are checked first. If one fails, other keywords are skipped. */
export const bounds: Readonly<Record<string, Keyword>> = {
  type(schema) {
    const types = typesOf(schema) ?? []
    const [only] = types
    const params = { type: schema.type }
    const message = `must be ${types.join(',')}`
    if (types.length === 1 && only !== undefined) {
      return (value, run) => isOfType(value, only) || run.fail(schema, 'type', value, message, params)
    }
    return (value, run) =>
      types.some((type) => isOfType(value, type)) || run.fail(schema, 'type', value, message, params)
  },
  maxLength: limit('maxLength', 'must NOT have more than', 'characters', (value, most) => {
    return typeof value !== 'string' || value.length <= most || !isLonger(value, most)
  }),
  minLength: limit('minLength', 'must NOT have fewer than', 'characters', (value, least) => {
    return typeof value !== 'string' || value.length >= 2 * least || isLonger(value, least - 1)
  }),
  maxItems: limit('maxItems', 'must NOT have more than', 'items', (value, most) => {
    return !Array.isArray(value) || value.length <= most
  }),
  minItems: limit('minItems', 'must NOT have fewer than', 'items', (value, least) => {
    return !Array.isArray(value) || value.length >= least
  }),
  maxProperties: limit('maxProperties', 'must NOT have more than', 'properties', (value, most) => {
    return !isOfType(value, 'object') || Object.keys(value as object).length <= most
  }),
  minProperties: limit('minProperties', 'must NOT have fewer than', 'properties', (value, least) => {
    return !isOfType(value, 'object') || Object.keys(value as object).length >= least
  }),
}

export const values: Readonly<Record<string, Keyword>> = {
  const(schema) {
    const wanted = schema.const
    const params = { allowedValue: wanted }
    return (value, run) =>
      isSame(value, wanted) || run.fail(schema, 'const', value, 'must be equal to constant', params)
  },
  enum(schema) {
    const allowed = schema.enum as readonly unknown[] // validated when the schema was added
    const simple = new Set(allowed)
    const objects = allowed.filter((one) => typeof one === 'object' && one !== null)
    const params = { allowedValues: allowed }
    return (value, run) =>
      simple.has(value) ||
      (typeof value === 'object' && objects.some((one) => isSame(value, one))) ||
      run.fail(schema, 'enum', value, 'must be equal to one of the allowed values', params)
  },
  minimum: comparison('minimum', '>=', (value, least) => value >= least),
  maximum: comparison('maximum', '<=', (value, most) => value <= most),
  exclusiveMinimum: comparison('exclusiveMinimum', '>', (value, least) => value > least),
  exclusiveMaximum: comparison('exclusiveMaximum', '<', (value, most) => value < most),
  multipleOf: comparison('multipleOf', 'multiple of', (value, divisor) => {
    return Number.isInteger(value / divisor) && Number.isFinite(value)
  }),
  pattern(schema) {
    const pattern = new RegExp(String(schema.pattern), 'u')
    const message = `must match pattern "${pattern.source}"`
    return (value, run) =>
      typeof value !== 'string' || pattern.test(value) || run.fail(schema, 'pattern', value, message)
  },
}

function comparison(
  keyword: string,
  sign: string,
  holds: (value: number, limit: number) => boolean,
): Keyword {
  return (schema) => {
    const limit = schema[keyword]
    if (typeof limit !== 'number' || (keyword === 'multipleOf' && limit <= 0)) {
      throw new TypeError(`expected ${keyword} to be a number, got ${describe(limit)}`)
    }
    const message = `must be ${sign} ${limit}`
    return (value, run) =>
      typeof value !== 'number' || holds(value, limit) || run.fail(schema, keyword, value, message)
  }
}

function limit(
  keyword: string,
  phrase: string,
  unit: string,
  holds: (value: unknown, limit: number) => boolean,
): Keyword {
  return (schema) => {
    const limit = countOf(schema, keyword)
    const message = `${phrase} ${limit} ${unit}`
    return (value, run) => holds(value, limit) || run.fail(schema, keyword, value, message)
  }
}

/**
 * Returns the non-negative integer of a keyword.
 * @throws TypeError for other values.
 */
export function countOf(schema: JsonObject, keyword: string): number {
  const count = schema[keyword]
  if (!Number.isInteger(count) || Number(count) < 0) {
    throw new TypeError(`expected ${keyword} to be a whole number of at least 0, got ${describe(count)}`)
  }
  return Number(count)
}

/** Whether a text has more code points than `count`. */
function isLonger(text: string, count: number): boolean {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    if (isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))) at += 1
    length += 1
    if (length > count) return true
  }
  return length > count
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

/** Returns a function that converts scalars to the types in a schema, for values that are sent as strings. */
export function coercionOf(schema: JsonObject): ((value: unknown) => unknown) | undefined {
  const types = typesOf(schema)
  if (types === undefined) return undefined
  return (value) => {
    if (typeof value === 'object' && value !== null) return value
    if (types.some((type) => isOfType(value, type))) return value
    for (const type of types) {
      const read = readAs(value, type)
      if (read !== undefined) return read
    }
    return value
  }
}

function readAs(value: unknown, type: string): unknown {
  switch (type) {
    case 'number':
    case 'integer': {
      const isNumeric =
        typeof value === 'boolean' || value === null || (value !== '' && typeof value === 'string')
      const number = isNumeric ? Number(value) : Number.NaN
      return isOfType(number, type) ? number : undefined
    }
    case 'boolean':
      if (value === 'true' || value === 1) return true
      return value === 'false' || value === 0 || value === null ? false : undefined
    case 'null':
      return value === '' || value === 0 || value === false ? null : undefined
    case 'string':
      return value === null ? '' : String(value)
    default:
      return undefined
  }
}
