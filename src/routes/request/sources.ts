/**
 * Reads and merges the sources that describe the parts of a request: the route's marker, its schema, and the schema's
 * fallbacks.
 */

import type { CompileOptions, JsonObject } from '../../schema/compiled.js'
import { isStandardSchema } from '../../schema/standard.js'
import type { Schema, StandardSchemaV1 } from '../../schema/types.js'
import { isObject, listOf } from '../../support/values.js'
import type { DescribedParts, Route } from '../route.js'
import { sourceOf } from '../schema/part-schema.js'
import type { Source } from '../schema/refs.js'
import type { Field, Layout, PartName } from './arguments.js'
import { undescribedBody } from './free-body.js'

export interface Parts {
  readonly route: Route
  /** The sources of each part, strongest first. */
  readonly sources: ReadonlyMap<PartName, readonly PartSource[]>
  readonly libraries: ReadonlyMap<PartName, StandardSchemaV1>
  readonly bodyRequired: boolean
}

const partNames = { path: 'params', query: 'query', header: 'headers', body: 'body' } as const
const markerNames = { path: 'params', query: 'query', header: undefined, body: 'body' } as const

/** One source that describes a part. */
export interface PartSource extends Source {
  /** Whether undeclared fields are allowed if its schema doesn't say. */
  readonly open: boolean
  readonly partial: boolean
}

export function readParts(route: Route, compile: CompileOptions, note: (reason: string) => void): Parts {
  const sources = new Map<PartName, readonly PartSource[]>()
  const libraries = new Map<PartName, StandardSchemaV1>()
  for (const part of ['path', 'query', 'header', 'body'] as const) {
    const marked = markerSchema(route, part)
    if (part === 'body' && methodsWithoutBody.has(route.method)) {
      if ((marked ?? route.schema?.body) !== undefined)
        note(`a ${route.method} request has no body; its schema is left out`)
      continue
    }
    const found: PartSource[] = []
    if (marked !== undefined) {
      const owner = `${compile.owner}: \`${partNames[part]}\``
      const source = sourceOf(marked, 'input', { ...compile, owner })
      if (part !== 'body') assertObject(source, owner)
      found.push({ ...source, open: false, partial: false })
      if (isStandardSchema(marked)) libraries.set(part, marked)
    }
    for (const schema of [route.schema, ...(route.schema?.fallbacks ?? [])]) {
      const source = schema && readPart(schema, part, compile, note)
      if (source !== undefined) found.push({ ...source, open: true, partial: schema?.partial === true })
    }
    if (found.length > 0) sources.set(part, found)
  }
  const free = sources.has('body') ? undefined : undescribedBody(route)
  if (free !== undefined)
    sources.set('body', [{ ...sourceOf(free, 'input', compile), open: false, partial: false }])
  return { route, sources, libraries, bodyRequired: free === undefined && isBodyRequired(route) }
}

function isBodyRequired({ marker, schema }: Route): boolean {
  return marker?.body !== undefined || schema?.bodyRequired !== false
}

/** Checks that a schema describes an object, whose members become arguments. */
function assertObject({ schema: { type } }: Source, owner: string): void {
  if (typeof type === 'string' && type !== 'object')
    throw new TypeError(
      `${owner}: expected a schema of an object with a member for each parameter, got one of type "${type}"`,
    )
}

const methodsWithoutBody = new Set(['GET', 'HEAD'])

function markerSchema({ marker }: Route, part: PartName): Schema | undefined {
  const name = markerNames[part]
  return name === undefined ? undefined : marker?.[name]
}

function readPart(
  schema: DescribedParts,
  part: PartName,
  compile: CompileOptions,
  note: (reason: string) => void,
): Source | undefined {
  const given = schema[partNames[part]]
  if (given === undefined) return undefined
  try {
    return sourceOf(given, 'input', { ...compile, follow: schema.follow })
  } catch (error) {
    note(`the schema of its ${partNames[part]} is left out: ${(error as Error).message}`)
    return undefined
  }
}

/** The description of a part by one source. */
export interface Described extends Layout {
  /** Whether later sources may add fields. */
  readonly open: boolean
  /** Whether it describes only some fields, so that the others may still be required. */
  readonly partial: boolean
}

/**
 * Merges the descriptions of a part. The first source that describes a field decides; later ones add missing texts.
 * Later sources add fields only if the earlier ones are open.
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

/** Annotations: keywords that don't restrict a value. */
const words = ['title', 'description', 'examples', 'deprecated'] as const
const isWord = (keyword: string): boolean => (words as readonly string[]).includes(keyword)

/** Merges two schemas: `schema` takes precedence, `other` describes members that `schema` doesn't declare. */
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
