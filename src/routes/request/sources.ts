/** The sources that describe the parts of a route's request: its marker, its own schema, and weaker ones behind it. */

import type { CompileOptions } from '../../schema/compiled.js'
import { isStandardSchema } from '../../schema/standard.js'
import type { Schema, StandardSchemaV1 } from '../../schema/types.js'
import type { DescribedParts, Route } from '../route.js'
import { sourceOf } from '../schema/part-schema.js'
import type { Source } from '../schema/refs.js'
import type { PartName } from './arguments.js'
import { freeBody } from './free-body.js'

export interface Parts {
  readonly route: Route
  /** Of each part, the strongest first. */
  readonly sources: ReadonlyMap<PartName, readonly PartSource[]>
  readonly libraries: ReadonlyMap<PartName, StandardSchemaV1>
  readonly bodyRequired: boolean
}

const partNames = { path: 'params', query: 'query', header: 'headers', body: 'body' } as const
const markerNames = { path: 'params', query: 'query', header: undefined, body: 'body' } as const

/** One source that describes a part. */
export interface PartSource extends Source {
  /** It leaves room for fields that it doesn't name, unless its schema says more. */
  readonly open: boolean
  readonly partial: boolean
}

export function readParts(route: Route, compile: CompileOptions, note: (reason: string) => void): Parts {
  const sources = new Map<PartName, readonly PartSource[]>()
  const libraries = new Map<PartName, StandardSchemaV1>()
  for (const part of ['path', 'query', 'header', 'body'] as const) {
    const marked = markerSchema(route, part)
    if (part === 'body' && bodiless.has(route.method)) {
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
  const free = sources.has('body') ? undefined : freeBody(route)
  if (free !== undefined)
    sources.set('body', [{ ...sourceOf(free, 'input', compile), open: false, partial: false }])
  return { route, sources, libraries, bodyRequired: free === undefined && isBodyRequired(route) }
}

function isBodyRequired({ marker, schema }: Route): boolean {
  return marker?.body !== undefined || schema?.bodyRequired !== false
}

/** What can have no members makes no arguments. */
function assertObject({ schema: { type } }: Source, owner: string): void {
  if (typeof type === 'string' && type !== 'object')
    throw new TypeError(
      `${owner}: expected a schema of an object with a member for each parameter, got one of type "${type}"`,
    )
}

const bodiless = new Set(['GET', 'HEAD'])

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
