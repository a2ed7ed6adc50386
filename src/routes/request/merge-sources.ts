/** Merges what several sources say of one part of a request, argument by argument. */

import type { JsonObject } from '../../schema/compiled.js'
import { isObject } from '../../support/values.js'
import type { Field, Layout, PartName } from './arguments.js'

/** One source's description of a part. */
export interface Described extends Layout {
  /** Later sources may name further fields. */
  readonly open: boolean
  /** Says something of some fields, and so doesn't say that the others may be missing. */
  readonly partial: boolean
}

/**
 * A field is described by the first source that says anything of it; later ones add the words that are missing. Fields
 * that the first source doesn't name come from the next one, where the first is open.
 */
export function mergeDescribed(
  part: PartName,
  [first, ...later]: readonly Described[],
): Described | undefined {
  return later.reduce<Described | undefined>(
    (before, next) => (before === undefined ? next : mergeTwo(part, before, next)),
    first,
  )
}

function mergeTwo(part: PartName, before: Described, next: Described): Described {
  const idOf = ({ key }: Field): string | undefined => (part === 'header' ? key?.toLowerCase() : key)
  const known = new Set(before.fields.map(idOf))
  const nextById = new Map(next.fields.map((field) => [idOf(field), field]))
  const merged = before.fields.map((field) => {
    const other = nextById.get(idOf(field))
    return other === undefined ? field : mergeField(field, other, before.partial)
  })
  if (!before.open) return { ...before, fields: merged }
  const added = next.fields.filter((field) => !known.has(idOf(field)))
  return { fields: [...merged, ...added], others: next.others, open: next.open, partial: before.partial }
}

function mergeField(field: Field, other: Field, partial: boolean): Field {
  return {
    ...field,
    schema: mergeSchema(field.schema, other.schema, partial),
    required: field.required || (partial && other.required),
  }
}

/** Keywords that describe a value to people and restrict nothing. */
const words = ['title', 'description', 'examples', 'deprecated'] as const
const isWord = (keyword: string): boolean => (words as readonly string[]).includes(keyword)

/** What `schema` says, completed by what `other` says of members that it doesn't name. */
export function mergeSchema(schema: unknown, other: unknown, partial: boolean): unknown {
  if (!isObject(other)) return schema
  if (!isObject(schema)) return schema === undefined || schema === true ? other : schema
  if (Object.keys(schema).every(isWord)) return { ...other, ...schema }
  const missing = words.filter((word) => schema[word] === undefined && other[word] !== undefined)
  const described = { ...schema, ...Object.fromEntries(missing.map((word) => [word, other[word]])) }
  return { ...described, ...mergeMembers(schema, other, partial), ...mergeItems(schema, other, partial) }
}

function mergeMembers(schema: JsonObject, other: JsonObject, partial: boolean): JsonObject | undefined {
  const { properties, required, additionalProperties = true } = schema
  if (!isObject(properties) || !isObject(other.properties)) return undefined
  const others = other.properties
  const own = Object.entries(properties).map(([name, member]) => [
    name,
    Object.hasOwn(others, name) ? mergeSchema(member, others[name], partial) : member,
  ])
  const added =
    additionalProperties === true
      ? Object.entries(others).filter(([name]) => !Object.hasOwn(properties, name))
      : []
  const names = new Set(added.map(([name]) => name))
  const needed = listOf(other.required).filter((name) => names.has(name as string) || partial)
  const all = [...new Set([...listOf(required), ...needed])]
  return {
    properties: Object.fromEntries([...own, ...added]),
    ...(all.length > 0 && { required: all }),
  }
}

function mergeItems({ items }: JsonObject, other: JsonObject, partial: boolean): JsonObject | undefined {
  return isObject(items) && isObject(other.items)
    ? { items: mergeSchema(items, other.items, partial) }
    : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
