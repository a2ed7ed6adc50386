/**
 * Converts a schema to a form schema (specification, Elicitation, Requested schema): a flat object of strings, numbers,
 * booleans and choices. Rules that a form can't express are left out, and checked in the answer.
 */

import { ErrorCode, refusal } from '../errors/errors.js'
import type { Revision } from '../protocol/revisions.js'
import type { JsonObject } from '../schema/index.js'
import { describe, isObject } from '../support/values.js'

const formats: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time'])
const described = ['title', 'description', 'default'] as const
const keysOf: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems'],
}

/** Converts an object schema to a form. @throws TypeError naming the field that a form can't have, and the possible types. */
export function toFormSchema(schema: JsonObject): JsonObject {
  if (schema.type !== 'object')
    throw new TypeError('elicit(): expected the schema of an object, such as z.object({ … })')
  const fields = Object.entries(isObject(schema.properties) ? schema.properties : {})
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, toField(name, field)]))
  const { required } = schema
  return { type: 'object', properties, ...(Array.isArray(required) && required.length > 0 && { required }) }
}

/** Converts a form to a revision. Before 2025-11-25, choices have `enumNames`, there are no lists, and only booleans have defaults. */
export function toRevisionFormSchema(form: JsonObject, revision: Revision): JsonObject {
  if (revision.elicitation === 'full') return form
  const fields = Object.entries(form.properties as Record<string, JsonObject>)
  const properties = Object.fromEntries(
    fields.map(([name, field]) => [name, projectField(name, field, revision)]),
  )
  return { ...form, properties }
}

function toField(name: string, value: unknown): JsonObject {
  if (!isObject(value)) throw unfit(name, value)
  const field = value as JsonObject
  const choices = choicesOf(field)
  const kept = pick(field, described)
  if (choices !== undefined) return { type: 'string', ...kept, ...choices }
  const { type } = field
  if (type === 'array')
    return { type, ...kept, ...pick(field, keysOf.array ?? []), items: toItems(name, field.items) }
  const keys = typeof type === 'string' && Object.hasOwn(keysOf, type) ? keysOf[type] : undefined
  if (keys === undefined) throw unfit(name, field)
  const { format, ...rest } = pick(field, keys)
  return { type, ...kept, ...rest, ...(formats.has(format) && { format }) }
}

function toItems(name: string, items: unknown): JsonObject {
  const choices = isObject(items) ? choicesOf(items) : undefined
  if (choices === undefined) throw unfit(name, { type: 'array' })
  // A list of titled choices is `anyOf`, one choice of them is `oneOf`.
  return choices.oneOf === undefined ? { type: 'string', ...choices } : { anyOf: choices.oneOf }
}

/** Reads the choices of a string: an `enum`, a constant, or constants with titles. */
function choicesOf({
  enum: values,
  enumNames,
  const: only,
  oneOf,
  anyOf,
}: JsonObject): JsonObject | undefined {
  if (Array.isArray(values) && values.every(isText))
    return { enum: values, ...(enumNames !== undefined && { enumNames }) }
  if (isText(only)) return { enum: [only] }
  const branches = oneOf ?? anyOf
  if (!Array.isArray(branches) || branches.length === 0) return undefined
  if (!branches.every((branch) => isObject(branch) && isText(branch.const))) return undefined
  if (branches.some(({ title }) => title === undefined))
    return { enum: branches.map((branch) => branch.const) }
  return { oneOf: branches.map((branch) => ({ const: branch.const, title: branch.title })) }
}

function projectField(name: string, field: JsonObject, revision: Revision): JsonObject {
  if (field.type === 'array') {
    throw refusal(
      ErrorCode.InvalidRequest,
      `elicitation/create: the field ${describe(name)} is a list, which clients of ${revision.version} cannot show`,
    )
  }
  const { default: preset, oneOf, ...rest } = field
  const kept = field.type === 'boolean' && preset !== undefined ? { ...rest, default: preset } : rest
  if (!Array.isArray(oneOf)) return kept
  return {
    ...kept,
    enum: oneOf.map((choice) => choice.const),
    enumNames: oneOf.map((choice) => choice.title),
  }
}

function pick(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function unfit(name: string, field: unknown): TypeError {
  const type = isObject(field) && typeof field.type === 'string' ? `type ${field.type}` : 'another shape'
  return new TypeError(
    `elicit(): the field ${describe(name)} has ${type}; a form has strings, numbers, booleans, one of several strings, or a list of such choices`,
  )
}
