/** Lays the parts of a request out as one flat list of arguments, and gives each a name of its own. */

import type { JsonObject } from '../../schema/compiled.js'
import { isPattern } from '../../schema/keywords.js'
import { isObject } from '../../support/values.js'
import { type Parameter, parametersOf, type Template } from '../discovery/path-template.js'

export type PartName = 'path' | 'query' | 'header' | 'body'

/** One value in a part of a request. */
export interface Field {
  readonly part: PartName
  /** Its name there; `undefined`: the whole body, or every query parameter without an argument of its own. */
  readonly key: string | undefined
  readonly schema: unknown
  readonly required: boolean
}

export interface Argument extends Field {
  /** As published. */
  readonly name: string
}

/** A part that is an object, laid out. */
export interface Layout {
  readonly fields: readonly Field[]
  /** What it says of keys that it does not name: `false`, `true`, a schema; `undefined`: nothing. */
  readonly others: unknown
}

/** Keywords of an object that its parts can be torn out of without changing what they mean. */
const separable = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'allOf'],
  ...['title', 'description', 'default', 'examples', 'deprecated', 'minProperties', 'maxProperties'],
])

/** The fields of an object schema; `undefined` where it is none, or says more than fields can. */
export function layOut(part: PartName, given: JsonObject): Layout | undefined {
  const schema = withoutNull(given)
  if (Object.keys(schema).some((keyword) => !separable.has(keyword))) return undefined
  const { type, properties, allOf } = schema
  const isOne = type === 'object' || (type === undefined && (isObject(properties) || Array.isArray(allOf)))
  if (!isOne) return undefined
  const inherited = (Array.isArray(allOf) ? allOf : []).map((one) =>
    isObject(one) ? layOut(part, one) : undefined,
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
  return { fields, others: othersOf(schema, layouts) }
}

/** The fields of whatever a schema of a query or of headers says, alternatives included; none of those is required. */
export function collectFields(part: PartName, schema: JsonObject): readonly Field[] {
  const laidOut = layOut(part, schema)
  if (laidOut !== undefined) return laidOut.fields
  const { properties, required } = schema
  const own = layOut(part, { type: 'object', properties, required })?.fields ?? []
  const always = merge([...own, ...inEach(part, schema.allOf)], new Set())
  const sometimes = unknownOf([...inEach(part, schema.anyOf), ...inEach(part, schema.oneOf)], always)
  return [...always, ...sometimes.map((field) => ({ ...field, required: false }))]
}

function inEach(part: PartName, schemas: unknown): Field[] {
  return (Array.isArray(schemas) ? schemas : []).flatMap((one) =>
    isObject(one) ? collectFields(part, one) : [],
  )
}

function unknownOf(fields: readonly Field[], known: readonly Field[]): Field[] {
  const seen = new Set(known.map((field) => field.key))
  return fields.filter(({ key }) => !seen.has(key) && seen.add(key))
}

/** `nullable` at the root of a body: an object all the same. */
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

/** Said twice, both hold. */
function merge(fields: readonly Field[], required: ReadonlySet<unknown>): Field[] {
  const byKey = new Map<string | undefined, Field>()
  for (const field of fields) {
    const before = byKey.get(field.key)
    const schema = before === undefined ? field.schema : both(before.schema, field.schema)
    const needed = field.required || before?.required === true || required.has(field.key)
    byKey.set(field.key, { ...field, schema, required: needed })
  }
  return [...byKey.values()]
}

function both(one: unknown, other: unknown): unknown {
  const says = (schema: unknown): boolean =>
    !(schema === true || (isObject(schema) && Object.keys(schema).length === 0))
  if (!says(one) || JSON.stringify(one) === JSON.stringify(other)) return other
  return says(other) ? { allOf: [one, other] } : one
}

function othersOf(schema: JsonObject, layouts: readonly Layout[]): unknown {
  const said = [
    schema.additionalProperties ?? schema.unevaluatedProperties,
    ...layouts.map((layout) => layout.others),
  ]
  const known = said.filter((one) => one !== undefined)
  return known.includes(false) ? false : known[0]
}

/** The parameters of a path, as what the schema says of them, else as texts. */
export function pathFields(template: Template, known: readonly Field[]): Field[] {
  return parametersOf(template).map((parameter) => {
    const field = known.find(({ key }) => key === parameter.name)
    return {
      part: 'path',
      key: parameter.name,
      schema: saysNothing(field?.schema) ? textOf(parameter) : field?.schema,
      required: !parameter.optional,
    }
  })
}

function saysNothing(schema: unknown): boolean {
  return !isObject(schema) || Object.keys(schema).length === 0
}

function textOf({ pattern }: Parameter): JsonObject {
  const whole = pattern === undefined ? undefined : `^(?:${pattern})$`
  return { type: 'string', ...(whole !== undefined && isPattern(whole) && { pattern: whole }) }
}

/**
 * Where names clash the body keeps the bare one, the others get their part behind it. Model providers refuse names of
 * other characters than these, or longer ones.
 */
export function nameArguments(fields: readonly Field[]): Argument[] {
  const wanted = new Map<string, number>()
  for (const field of fields) {
    // A whole part steps aside by itself.
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

/** Who is named first: the body, and names that need no change. */
function rank({ part, key }: Field): number {
  return (part === 'body' && key !== undefined ? 0 : 2) + (key !== undefined && legal.test(key) ? 0 : 1)
}

function clashName({ part, key }: Field, bare: string): string {
  if (key === undefined) return `${bare}_`
  return part === 'body' ? bare : `${bare.slice(0, longestName - 8)}__${part}`
}

const longestName = 64

const legal = /^[\w.-]+$/

/** `filter[status]` → `filter_status`, `$top` → `top`. */
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
