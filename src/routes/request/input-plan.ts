/**
 * Plans the arguments of a route's tool: reads the schemas of all request parts and combines them into one that fits a
 * tool.
 */

import type { CompileOptions, JsonObject } from '../../schema/compiled.js'
import { repair } from '../../schema/published/repair.js'
import type { StandardSchemaV1 } from '../../schema/types.js'
import { isObject } from '../../support/values.js'
import type { Route } from '../route.js'
import { type Budget, budgetsFor, TooLarge } from '../schema/budget.js'
import { Expansion } from '../schema/expand.js'
import {
  type Argument,
  collectFields,
  type Field,
  type Layout,
  layoutOf,
  nameArguments,
  type PartName,
  pathFields,
} from './arguments.js'
import { type HeaderOptions, isSecret, type PlannedHeaders, planHeaders } from './controlled-headers.js'
import { describeFile } from './file-arguments.js'
import { lowerCased } from './forwarded-headers.js'
import { allowsUndescribedQuery, undescribedQuery } from './free-body.js'
import {
  type Described,
  mergeDescribed,
  mergeSchema,
  type PartSource,
  type Parts,
  readParts,
} from './sources.js'

export interface InputPlan {
  /** The published schema. */
  readonly json: JsonObject
  readonly arguments: readonly Argument[]
  /** The schema of further body keys; `false` if there are none. */
  readonly others: unknown
  /** The media type of the body; `undefined` if the route takes none. */
  readonly consumes: string | undefined
  readonly bodyRequired: boolean
  /** Parts that a schema library validates. */
  readonly libraries: ReadonlyMap<PartName, StandardSchemaV1>
  /** Constant headers of every request. */
  readonly constants: PlannedHeaders['constants']
}

export interface PlanOptions extends CompileOptions {
  /** Headers forwarded from the caller. They never become arguments. */
  readonly forwardHeaders?: readonly string[] | undefined
  /** Headers that become arguments, besides those in the marker. */
  readonly headers?: readonly string[] | undefined
  /** As in `HeaderOptions`. Default: a hint at `forwardHeaders`. */
  readonly alternative?: string | undefined
}

const byForwarding = "in `forwardHeaders` to pass on the caller's"

/** Maximum size of an input schema. About 8,000 tokens. */
const mostBytes = 32_768

/**
 * Plans the input of a route.
 * @throws TypeError for a mistake in the marker; Error if the schema is too large even when cut.
 */
export function planOf(
  route: Route,
  { forwardHeaders = [], headers = [], ...options }: PlanOptions,
  note: (reason: string) => void,
): InputPlan {
  const { alternative = 'alternative' in options ? undefined : byForwarding, ...compile } = options
  const named = [...headers, ...(route.marker?.headers ?? [])].filter(
    (name) => !isSecret(route, 'header', name),
  )
  const headerOptions = { named, forwarded: new Set(lowerCased(forwardHeaders)), alternative }
  const parts = { ...readParts(route, compile, note), headerOptions }
  for (const budget of budgetsFor(mostBytes)) {
    const notes: string[] = []
    const planned = planWithin(parts, budget, (reason) => notes.push(reason))
    if (planned === undefined || JSON.stringify(planned.json).length > mostBytes) continue
    for (const reason of notes) note(reason)
    return planned
  }
  throw new Error(
    `${compile.owner}: its input schema is larger than ${mostBytes} bytes, even without its inner parts; describe what a model needs with asTool()`,
  )
}

interface Planned extends Parts {
  readonly headerOptions: HeaderOptions
}

function planWithin(parts: Planned, budget: Budget, note: (reason: string) => void): InputPlan | undefined {
  try {
    return plan(parts, new Expansion(budget, 'input', note), note)
  } catch (error) {
    if (error instanceof TooLarge) return undefined
    throw error
  }
}

function plan(
  { route, sources, libraries, headerOptions, bodyRequired }: Planned,
  expansion: Expansion,
  note: (reason: string) => void,
): InputPlan {
  const expand = (part: PartName): readonly Expanded[] =>
    (sources.get(part) ?? []).map((source) => ({ ...source, expanded: expansion.root(source) }))
  const partOf = (part: PartName): Layout | undefined => {
    const described = mergeDescribed(
      part,
      expand(part).map((source) => describedBy(part, source)),
    )
    return (
      described && { ...described, fields: described.fields.filter(({ key }) => !isSecret(route, part, key)) }
    )
  }
  const params = partOf('path')?.fields ?? []
  const path = pathFields(route.template, params)
  for (const { key } of params) {
    if (!path.some((field) => field.key === key))
      note(`its path has no parameter "${key}"; its schema is left out`)
  }
  const query = partOf('query')
  const headers = planHeaders(
    (partOf('header')?.fields ?? []).filter(({ key }) => key !== undefined),
    headerOptions,
  )
  for (const reason of headers.notes) note(reason)
  const body = bodyFields(expand('body'), bodyRequired)
  const consumes = sources.has('body') ? (route.schema?.consumes ?? 'application/json') : undefined
  const fields = [...path, ...queryFields(query, { route, libraries }), ...headers.fields, ...body.fields]
  const named = nameArguments(fields).map((argument) => describeFile(argument, consumes))
  return {
    json: repaired(publish(named, body.others, expansion.defs()), note),
    arguments: named,
    others: body.others,
    consumes,
    bodyRequired,
    libraries,
    constants: headers.constants,
  }
}

/** A source with its references expanded. */
interface Expanded extends PartSource {
  readonly expanded: JsonObject
}

/**
 * Describes a part from one source. The template decides which path parameters exist, so path schemas count as open.
 */
function describedBy(part: PartName, { expanded, open, partial }: Expanded): Described {
  const others = layoutOf(part, expanded)?.others ?? expanded.additionalProperties
  const isOpen = part === 'path' || isOpenTo(others, open)
  return { fields: collectFields(part, expanded), others, open: isOpen, partial }
}

/**
 * Returns the query fields. If a library validates single parameters, it doesn't know an argument that contains further
 * ones.
 */
function queryFields(
  query: Layout | undefined,
  { route, libraries }: Pick<Parts, 'route' | 'libraries'>,
): readonly Field[] {
  const { fields, others } = query ?? { fields: [], others: allowsUndescribedQuery(route) }
  if (!(others === true || isObject(others)) || (libraries.has('query') && fields.length > 0)) return fields
  const schema = undescribedQuery(others, fields.length > 0)
  return [...fields, { part: 'query', key: undefined, schema, required: false }]
}

/** Whether a part takes undeclared fields. `open`: the answer if its schema doesn't say. */
function isOpenTo(others: unknown, open: boolean): boolean {
  return others === undefined ? open : others === true
}

/**
 * Repairs the schema. Arguments whose default was removed become optional, because the route applies its own default.
 */
function repaired(json: JsonObject, note: (reason: string) => void): JsonObject {
  const { json: repairedJson, changes } = repair(json, { coerce: false, checks: false })
  for (const change of changes) note(change)
  const { required, ...rest } = repairedJson
  const needed = Array.isArray(required)
    ? required.filter((name) => !lostDefault(name, json, repairedJson))
    : []
  return { ...rest, ...(needed.length > 0 && { required: needed }) }
}

function lostDefault(name: string, before: JsonObject, after: JsonObject): boolean {
  const [had, has] = [before, after].map(({ properties }) => {
    const property = (properties as JsonObject)[name]
    return isObject(property) && property.default !== undefined
  })
  return had === true && has === false
}

/** Returns the body's fields. An object with arbitrary keys or alternatives stays one argument. */
function bodyFields(
  sources: readonly Expanded[],
  required: boolean,
): { fields: readonly Field[]; others: unknown } {
  const [first] = sources
  if (first === undefined) return { fields: [], others: false }
  const layouts = sources.map(({ expanded, open, partial }): Described | undefined => {
    const laidOut = layoutOf('body', expanded)
    if (laidOut === undefined || isMap(expanded, laidOut)) return undefined
    return { ...laidOut, open: isOpenTo(laidOut.others, open), partial }
  })
  if (layouts[0] === undefined) {
    const schema = sources
      .slice(1)
      .reduce<unknown>((schema, { expanded }) => mergeSchema(schema, expanded, false), first.expanded)
    return { fields: [{ part: 'body', key: undefined, schema, required }], others: false }
  }
  const merged = mergeDescribed(
    'body',
    layouts.filter((layout) => layout !== undefined),
  )
  const { fields = [], others } = merged ?? {}
  return {
    fields: required ? fields : fields.map((field) => ({ ...field, required: false })),
    others: others ?? false,
  }
}

/**
 * Whether a schema has arbitrary keys and no known ones. A schema that lists properties isn't a map, even if none are
 * left.
 */
function isMap({ properties }: JsonObject, { fields, others }: Layout): boolean {
  if (fields.length > 0 || others === false) return false
  return others !== undefined || properties === undefined
}

function publish(named: readonly Argument[], others: unknown, defs: JsonObject | undefined): JsonObject {
  const required = named.filter((argument) => argument.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: isObject(others) || others === true ? others : false,
    ...(defs !== undefined && { $defs: defs }),
  }
}
