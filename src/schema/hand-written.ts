/**
 * Takes a hand-written JSON Schema as it is, once its shape shows that it can be served. Whether its keywords make sense
 * together is Ajv's to say, at the first call.
 */

import { describe, isObject } from '../support/values.js'
import type { Direction, JsonObject } from './compiled.js'
import { firstProblem } from './shape.js'
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
