/**
 * Accepts hand-written JSON Schema after checking its structure. Ajv checks whether its keywords fit together, at the
 * first validation.
 */

import { describe, isObject } from '../support/values.js'
import type { Direction, JsonObject } from './compiled.js'
import {
  jsonTypes,
  resolveLocal,
  type Subschema,
  type SubschemaForm,
  subschemaKeywords,
  subschemas,
} from './keywords.js'
import { isStandardSchema } from './standard.js'

export type Dialect = 'draft-2020-12' | 'draft-07'

/** The supported dialects, by `$schema` without its empty fragment. */
const dialects: ReadonlyMap<string, Dialect> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', 'draft-2020-12'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
  ['https://json-schema.org/draft-07/schema', 'draft-07'],
])

/** Returns the dialect of a schema. Without `$schema` it is 2020-12 (specification, JSON Schema usage). */
export function dialectOf({ $schema }: JsonObject): Dialect | undefined {
  if ($schema === undefined) return 'draft-2020-12'
  return typeof $schema === 'string' ? dialects.get($schema.replace(/#$/, '')) : undefined
}

/**
 * Returns a copy, so that later changes to the original have no effect.
 * @throws TypeError naming the owner and the position if the schema can't be used.
 */
export function acceptHandWritten(schema: unknown, io: Direction, owner: string): JsonObject {
  const fail = (problem: string): never => {
    throw new TypeError(`${owner}: \`${io}\` ${problem}`)
  }
  if (!isObject(schema)) {
    return fail(`must be a schema of a library or a JSON Schema object, got ${describe(schema)}`)
  }
  const mistake = describeMistake(schema)
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
      `must have type: "object" at its root, because arguments are passed by name; its type is ${describe(json.type)}`,
    )
  }
  const problem = firstProblem(json, dialect === 'draft-07')
  return problem === undefined ? json : fail(`is not valid JSON Schema: ${problem}`)
}

/** Describes common mistakes in place of a schema, with a solution. */
export function describeMistake(schema: JsonObject): string | undefined {
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
    return JSON.parse(JSON.stringify(schema)) as JsonObject // the input is an object
  } catch (error) {
    return fail(`cannot be written as JSON: ${(error as Error).message}`)
  }
}

/** Limits of a schema. Larger ones are a mistake or an attack, and would block the compiler. */
const mostSubschemas = 20_000
const deepest = 100

/** Describes the first invalid schema inside, including the root; `undefined` if all are valid. */
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

/** The expected values of keywords that a validator would reject at the first call, or ignore. */
const expectations = new Map<string, Expectation>([
  ['type', ['a JSON type or a list of distinct ones', isTypes]],
  ['required', ['a list of property names', isTextList]],
  ...counts.map((keyword): [string, Expectation] => [keyword, ['a whole number of at least 0', isCount]]),
  ...limits.map((keyword): [string, Expectation] => [keyword, ['a number', Number.isFinite]]),
  ['multipleOf', ['a number above 0', (value) => Number.isFinite(value) && (value as number) > 0]],
  ['uniqueItems', ['true or false', (value) => typeof value === 'boolean']],
  ['dependentRequired', ['an object of lists of property names', isListMap]],
  ['enum', ['a list of values', Array.isArray]],
  ['$ref', ['a string', isText]],
  ['$dynamicRef', ['a string', isText]],
  ['pattern', ['a regular expression', isText]],
])

const wantedOf: Readonly<Record<SubschemaForm, string>> = {
  schema: 'a schema',
  list: 'a list of schemas',
  map: 'an object of schemas',
  'schema or list': 'a schema; tuples are `prefixItems` since 2020-12',
}

/** Returns the expected value of a keyword if the actual value is invalid. */
function expectation(keyword: string, value: unknown, draft07: boolean): string | undefined {
  const [wanted, holds] = expectations.get(keyword) ?? []
  if (holds !== undefined) return holds(value) ? undefined : wanted
  const holding = subschemaKeywords.get(keyword)
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

/** Names in a schema that references use instead of paths: `$id` as it is, `$anchor` with a leading `#`. */
interface Names {
  readonly known: ReadonlySet<string>
  /** Schemas with an `$id`, which local paths inside them are relative to. */
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

/** Checks a reference. References are resolved within the schema only; nothing is fetched. */
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
