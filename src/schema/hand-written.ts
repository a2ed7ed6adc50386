/**
 * Takes a hand-written JSON Schema as it is, once its shape shows that it can be served. Whether its keywords make sense
 * together is Ajv's to say, at the first call.
 */

import { describe, isObject } from '../support/values.js'
import type { Direction, JsonObject } from './compiled.js'
import { type Holding, holdings, jsonTypes, resolveLocal, type Subschema, subschemas } from './keywords.js'
import { isStandardSchema } from './standard.js'

export type Dialect = 'draft-2020-12' | 'draft-07'

/** The dialects that can be checked, by `$schema` without its empty fragment. */
const dialects: ReadonlyMap<string, Dialect> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', 'draft-2020-12'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
  ['https://json-schema.org/draft-07/schema', 'draft-07'],
])

/** The dialect of a schema; without `$schema` it is 2020-12, as MCP says. */
export function dialectOf({ $schema }: JsonObject): Dialect | undefined {
  if ($schema === undefined) return 'draft-2020-12'
  return typeof $schema === 'string' ? dialects.get($schema.replace(/#$/, '')) : undefined
}

/** A copy that later changes of the original do not reach. Throws, naming the owner and the place, for what cannot be served. */
export function takeHandWritten(schema: unknown, io: Direction, owner: string): JsonObject {
  const fail = (problem: string): never => {
    throw new TypeError(`${owner}: \`${io}\` ${problem}`)
  }
  if (!isObject(schema)) {
    return fail(`must be a schema of a library or a JSON Schema object, got ${describe(schema)}`)
  }
  const mistake = mistakenFor(schema)
  if (mistake !== undefined) return fail(mistake)

  const json = copy(schema, fail)
  const dialect = dialectOf(json)
  if (dialect === undefined) {
    return fail(
      `has the $schema ${JSON.stringify(json.$schema)}; supported are ${[...dialects.keys()].join(', ')}`,
    )
  }
  if (io === 'input' && json.type !== 'object') {
    return fail(
      `must say type: "object" at its root, since arguments go by name; its type is ${describe(json.type)}`,
    )
  }
  const problem = firstProblem(json, dialect === 'draft-07')
  return problem === undefined ? json : fail(`is not valid JSON Schema: ${problem}`)
}

/** What people pass by mistake, with the way out. */
export function mistakenFor(schema: JsonObject): string | undefined {
  if ('_def' in schema) return 'is a schema of a Zod before 3.24; update Zod'
  const field = Object.entries(schema).find(([, value]) => isStandardSchema(value))
  if (field !== undefined) {
    return `is a plain object with the schema ${JSON.stringify(field[0])} in it; wrap it, as in z.object({ … })`
  }
  const works = [...Object.values(schema), schema.validate, schema.parse].some(
    (part) => typeof part === 'function',
  )
  if (!works) return undefined
  return 'is neither JSON Schema nor of a library that implements Standard Schema (https://standardschema.dev); update the library'
}

function copy(schema: JsonObject, fail: (problem: string) => never): JsonObject {
  try {
    return JSON.parse(JSON.stringify(schema)) as JsonObject // an object went in
  } catch (error) {
    return fail(`cannot be written as JSON: ${(error as Error).message}`)
  }
}

/** A schema beyond these bounds is a mistake or an attack, and would hold up the compiler. */
const mostSubschemas = 20_000
const deepest = 100

/** What is wrong with the first schema inside, itself included, that cannot be served; `undefined` when all can. */
export function firstProblem(root: JsonObject, draft07: boolean): string | undefined {
  const names = namesIn(root)
  const places: Subschema[] = [{ schema: root, steps: [] }]
  for (const { schema, steps } of places) {
    if (places.length > mostSubschemas) return `it holds more than ${mostSubschemas} schemas`
    if (steps.length > 2 * deepest) return `it is nested deeper than ${deepest} levels`
    const problem = problemOf(schema, names, draft07)
    if (problem !== undefined) return steps.length > 0 ? `${problem}, at ${steps.join('.')}` : problem
    if (!isObject(schema)) continue
    for (const inner of subschemas(schema)) places.push({ ...inner, steps: [...steps, ...inner.steps] })
  }
  return undefined
}

function problemOf(schema: unknown, names: Names, draft07: boolean): string | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isObject(schema)) return `expected a schema (an object or a boolean), got ${describe(schema)}`
  for (const [keyword, value] of Object.entries(schema)) {
    const wanted = expectation(keyword, value, draft07)
    if (wanted !== undefined) return `expected ${keyword} to be ${wanted}, got ${describe(value)}`
  }
  const refs = [schema.$ref, schema.$dynamicRef].filter((ref) => typeof ref === 'string')
  return refs.map((ref) => refProblem(ref, names)).find((problem) => problem !== undefined)
}

type Expectation = readonly [wanted: string, holds: (value: unknown) => boolean]

const counts = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'],
  ...['minProperties', 'maxProperties'],
]
const limits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']

/** Keywords that a validator would choke on at the first call, or ignore. */
const expectations = new Map<string, Expectation>([
  ['type', ['a JSON type or a list of distinct ones', isTypes]],
  ['required', ['a list of property names', isTextList]],
  ...counts.map((keyword): [string, Expectation] => [keyword, ['a whole number from 0 on', isCount]]),
  ...limits.map((keyword): [string, Expectation] => [keyword, ['a number', Number.isFinite]]),
  ['multipleOf', ['a number above 0', (value) => Number.isFinite(value) && (value as number) > 0]],
  ['uniqueItems', ['true or false', (value) => typeof value === 'boolean']],
  ['dependentRequired', ['an object of lists of property names', isListMap]],
  ['enum', ['a list of values', Array.isArray]],
  ['$ref', ['a string', isText]],
  ['$dynamicRef', ['a string', isText]],
  ['pattern', ['a regular expression', isText]],
])

const wantedOf: Readonly<Record<Holding, string>> = {
  schema: 'a schema',
  list: 'a list of schemas',
  map: 'an object of schemas',
  'schema or list': 'a schema; tuples are `prefixItems` since 2020-12',
}

/** What a keyword should hold, when it holds something else. */
function expectation(keyword: string, value: unknown, draft07: boolean): string | undefined {
  const [wanted, holds] = expectations.get(keyword) ?? []
  if (holds !== undefined) return holds(value) ? undefined : wanted
  const holding = holdings.get(keyword)
  if (holding === undefined || keyword === 'dependencies') return undefined
  const isSchema = isObject(value) || typeof value === 'boolean'
  const fits = {
    schema: isSchema,
    list: Array.isArray(value),
    map: isObject(value),
    'schema or list': isSchema || (draft07 && Array.isArray(value)),
  }
  return fits[holding] ? undefined : wantedOf[holding]
}

function isTypes(value: unknown): boolean {
  if (!Array.isArray(value)) return jsonTypes.has(value)
  return value.length > 0 && new Set(value).size === value.length && value.every((one) => jsonTypes.has(one))
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isListMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isTextList)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

/** What a schema calls itself, for references that use no path: `$id` as it is, `$anchor` after a `#`. */
interface Names {
  readonly known: ReadonlySet<string>
  /** Schemas with an `$id`: local paths inside them start there. */
  readonly bases: readonly JsonObject[]
}

function namesIn(root: JsonObject): Names {
  const known = new Set<string>()
  const bases = [root]
  const pending: unknown[] = [root]
  for (const schema of pending) {
    if (!isObject(schema)) continue
    const { $id, $anchor, $dynamicAnchor } = schema
    if (typeof $id === 'string') bases.push(schema)
    if (typeof $id === 'string') known.add($id.replace(/#$/, ''))
    for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === 'string') known.add(`#${anchor}`)
    for (const inner of subschemas(schema)) pending.push(inner.schema)
  }
  return { known, bases }
}

/** References are followed inside the schema only: nothing is ever fetched. */
function refProblem(ref: string, { known, bases }: Names): string | undefined {
  const [base = '', fragment = ''] = ref.split('#')
  if (base !== '') {
    return known.has(base)
      ? undefined
      : `the reference "${ref}" leads outside; only local ones ("#/$defs/…") are followed`
  }
  const byPath = fragment === '' || fragment.startsWith('/')
  const found = byPath ? bases.some((root) => resolveLocal(root, ref) !== undefined) : known.has(ref)
  return found ? undefined : `the reference "${ref}" leads nowhere`
}
