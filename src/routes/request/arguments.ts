/** Flattens the parts of a request into one list of arguments, and gives each a unique name. */

import type { JsonObject } from '../../schema/compiled.js'
import { isPattern } from '../../schema/keywords.js'
import { isObject } from '../../support/values.js'
import { type Parameter, parametersOf, type Template } from '../discovery/path-template.js'

export type PartName = 'path' | 'query' | 'header' | 'body'

/** One value in a part of a request. */
export interface Field {
  readonly part: PartName
  /** Its name in the part; `undefined` for the whole body, or for all query parameters without their own argument. */
  readonly key: string | undefined
  readonly schema: unknown
  readonly required: boolean
}

export interface Argument extends Field {
  /** The published name. */
  readonly name: string
}

/** The fields of a part that is an object. */
export interface Layout {
  readonly fields: readonly Field[]
  /** The schema for undeclared keys: `false`, `true`, or a schema; `undefined` if unspecified. */
  readonly others: unknown
}

/** Keywords of an object schema that still mean the same when its properties become separate arguments. */
const separable = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'allOf'],
  ...['title', 'description', 'default', 'examples', 'deprecated', 'minProperties', 'maxProperties'],
])

/**
 * Returns the fields of an object schema, or `undefined` if it isn't one or has constraints that separate fields can't
 * express.
 */
export function layoutOf(part: PartName, given: JsonObject): Layout | undefined {
  const schema = withoutNull(given)
  if (Object.keys(schema).some((keyword) => !separable.has(keyword))) return undefined
  const { type, properties, allOf } = schema
  const isOne = type === 'object' || (type === undefined && (isObject(properties) || Array.isArray(allOf)))
  if (!isOne) return undefined
  const inherited = (Array.isArray(allOf) ? allOf : []).map((one) =>
    isObject(one) ? layoutOf(part, one) : undefined,
  )
  if (inherited.some((one) => one === undefined)) return undefined
  const layouts = inherited.filter((one) => one !== undefined)
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const own = Object.entries(isObject(properties) ? properties : {}).map(([key, inner]) => ({
    part,
    key,
    schema: inner,
    required: required.has(key),
  }))
  const fields = merge([...layouts.flatMap((layout) => layout.fields), ...own], required)
  return { fields, others: undeclaredRule(schema, layouts) }
}

/** Collects the fields of a query or header schema, including those of its alternatives, which aren't required. */
export function collectFields(part: PartName, schema: JsonObject): readonly Field[] {
  const laidOut = layoutOf(part, schema)
  if (laidOut !== undefined) return laidOut.fields
  const { properties, required } = schema
  const own = layoutOf(part, { type: 'object', properties, required })?.fields ?? []
  const always = merge([...own, ...inEach(part, schema.allOf)], new Set())
  const sometimes = withoutKnown([...inEach(part, schema.anyOf), ...inEach(part, schema.oneOf)], always)
  return [...always, ...sometimes.map((field) => ({ ...field, required: false }))]
}

function inEach(part: PartName, schemas: unknown): Field[] {
  return (Array.isArray(schemas) ? schemas : []).flatMap((one) =>
    isObject(one) ? collectFields(part, one) : [],
  )
}

function withoutKnown(fields: readonly Field[], known: readonly Field[]): Field[] {
  const seen = new Set(known.map((field) => field.key))
  return fields.filter(({ key }) => !seen.has(key) && seen.add(key))
}

/** Removes `nullable` from the root of a body, so that it counts as an object. */
function withoutNull(schema: JsonObject): JsonObject {
  const { type, anyOf, ...rest } = schema
  if (Array.isArray(type) && type.length === 2 && type.includes('object') && type.includes('null')) {
    return { ...schema, type: 'object' }
  }
  if (!Array.isArray(anyOf)) return schema
  const others = anyOf.filter(
    (one) => !(isObject(one) && one.type === 'null' && Object.keys(one).length === 1),
  )
  return others.length === 1 && anyOf.length === 2 && isObject(others[0]) ? { ...rest, ...others[0] } : schema
}

/** Merges fields with the same key. The schemas of both apply. */
function merge(fields: readonly Field[], required: ReadonlySet<unknown>): Field[] {
  const byKey = new Map<string | undefined, Field>()
  for (const field of fields) {
    const before = byKey.get(field.key)
    const schema = before === undefined ? field.schema : intersect(before.schema, field.schema)
    const needed = field.required || before?.required === true || required.has(field.key)
    byKey.set(field.key, { ...field, schema, required: needed })
  }
  return [...byKey.values()]
}

function intersect(one: unknown, other: unknown): unknown {
  const says = (schema: unknown): boolean =>
    !(schema === true || (isObject(schema) && Object.keys(schema).length === 0))
  if (!says(one) || JSON.stringify(one) === JSON.stringify(other)) return other
  return says(other) ? { allOf: [one, other] } : one
}

function undeclaredRule(schema: JsonObject, layouts: readonly Layout[]): unknown {
  const rules = [
    schema.additionalProperties ?? schema.unevaluatedProperties,
    ...layouts.map((layout) => layout.others),
  ]
  const known = rules.filter((one) => one !== undefined)
  return known.includes(false) ? false : known[0]
}

/** Returns the path parameters with their schemas; parameters without one are strings. */
export function pathFields(template: Template, known: readonly Field[]): Field[] {
  return parametersOf(template).map((parameter) => {
    const field = known.find(({ key }) => key === parameter.name)
    return {
      part: 'path',
      key: parameter.name,
      schema: isEmptySchema(field?.schema) ? textOf(parameter) : field?.schema,
      required: !parameter.optional,
    }
  })
}

function isEmptySchema(schema: unknown): boolean {
  return !isObject(schema) || Object.keys(schema).length === 0
}

function textOf({ pattern }: Parameter): JsonObject {
  const whole = pattern === undefined ? undefined : `^(?:${pattern})$`
  return { type: 'string', ...(whole !== undefined && isPattern(whole) && { pattern: whole }) }
}

/**
 * Names the arguments. If names clash, body fields keep theirs and the others get their part as a suffix. Model
 * providers reject other characters and longer names.
 */
export function nameArguments(fields: readonly Field[]): Argument[] {
  const wanted = new Map<string, number>()
  for (const field of fields) {
    // Whole parts are renamed separately below.
    if (field.key !== undefined) wanted.set(bareName(field), (wanted.get(bareName(field)) ?? 0) + 1)
  }
  const taken = new Set<string>()
  const named = new Map<Field, string>()
  const order = fields.toSorted((one, other) => rank(one) - rank(other))
  for (const field of order) {
    const bare = bareName(field)
    const clashes = (wanted.get(bare) ?? 0) > (field.key === undefined ? 0 : 1)
    named.set(field, freeName(clashes ? clashName(field, bare) : bare, taken))
  }
  return fields.map((field) => ({ ...field, name: named.get(field) ?? bareName(field) }))
}

/** Returns the order of naming: body fields first, and names that are legal as they are. */
function rank({ part, key }: Field): number {
  return (part === 'body' && key !== undefined ? 0 : 2) + (key !== undefined && legal.test(key) ? 0 : 1)
}

function clashName({ part, key }: Field, bare: string): string {
  if (key === undefined) return `${bare}_`
  return part === 'body' ? bare : `${bare.slice(0, longestName - 8)}__${part}`
}

const longestName = 64

const legal = /^[\w.-]+$/

/** Turns a key into a legal name: `filter[status]` → `filter_status`, `$top` → `top`. */
function bareName({ part, key }: Field): string {
  if (key === undefined) return part
  const words = legal.test(key) ? [key] : key.split(/[^\w.-]+/).filter((word) => word !== '')
  return (words.join('_') || 'value').slice(0, longestName)
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  while (taken.has(name) || name === '__proto__') name = `${name.slice(0, longestName - 1)}_`
  taken.add(name)
  return name
}
