/** Reads the input and response schemas of a Fastify 4 or 5 route. */

import { localRefs, type RouteSchema } from '../../src/internal.js'

type Json = Readonly<Record<string, unknown>>
type Part = NonNullable<RouteSchema['body']>

/**
 * Reads a schema in the raw form that `onRoute` reports: JSON Schema, TypeBox, Zod objects of a type provider,
 * content maps. `shared`: the result of `getSchemas()` of the route's own scope. `undefined`: the route has no
 * schema. Never throws.
 */
export function readSchema(schema: unknown, shared: Json = {}): RouteSchema | undefined {
  if (!isObject(schema)) return undefined
  const text = (key: string): string | undefined =>
    typeof schema[key] === 'string' ? (schema[key] as string) : undefined
  const body = contentOf(schema.body)
  const response = contentOf(successOf(schema.response))
  const documents = Object.entries(shared).filter((entry): entry is [string, Record<string, unknown>] =>
    isObject(entry[1]),
  )
  return {
    source: 'fastify',
    params: part(schema.params),
    query: part(schema.querystring ?? schema.query),
    body: part(body.schema),
    headers: part(schema.headers),
    response: isJsonType(response.type) ? part(response.schema) : undefined,
    consumes: body.type ?? firstText(schema.consumes),
    operationId: text('operationId'),
    summary: text('summary'),
    description: text('description'),
    deprecated: schema.deprecated === true,
    hidden: schema.hide === true,
    follow: localRefs(new Map(documents.map(([id, document]) => [id.replace(/#$/, ''), document]))),
  }
}

interface Content {
  readonly type?: string | undefined
  readonly schema: unknown
}

/** Reads `{ content: { 'application/json': { schema } } }`, or the schema itself. Prefers JSON to other types. */
function contentOf(given: unknown): Content {
  const types = isObject(given) && isObject(given.content) ? Object.entries(given.content) : undefined
  if (types === undefined) return { schema: given }
  const [type, media] = types.find(([name]) => isJsonType(name)) ?? types[0] ?? []
  return { type, schema: isObject(media) ? media.schema : undefined }
}

/** Returns the first 2xx response that may have content. Fastify also accepts `2xx` and `2XX`. */
function successOf(response: unknown): unknown {
  if (!isObject(response)) return undefined
  const statuses = Object.keys(response).sort()
  // Skip 204 and 205, which have no content.
  const status =
    statuses.find((name) => /^2(?!0[45])\d\d$/.test(name)) ?? statuses.find((name) => /^2xx$/i.test(name))
  return status === undefined ? undefined : response[status]
}

/**
 * Converts a part. Fluent schemas need `valueOf()`, and Fastify 4 accepts properties without the object schema around
 * them.
 */
function part(given: unknown): Part | undefined {
  const schema = isFluent(given) ? given.valueOf() : given
  if (!isObject(schema)) return undefined
  return (isShorthand(schema) ? { type: 'object', properties: schema } : schema) as Part
}

const rootKeywords = [
  ...[
    'type',
    '$ref',
    '$id',
    '$schema',
    '$defs',
    'definitions',
    'properties',
    'additionalProperties',
    'required',
  ],
  ...[
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'enum',
    'const',
    'if',
    '$merge',
    '$patch',
    '~standard',
    '_zod',
    '_def',
  ],
]

function isShorthand(schema: Json): boolean {
  const inner = Object.values(schema)
  return inner.length > 0 && inner.every(isObject) && !rootKeywords.some((keyword) => keyword in schema)
}

function isFluent(value: unknown): value is object {
  return isObject(value) && (value.isFluentSchema === true || value.isFluentJSONSchema === true)
}

/** Whether the type is JSON. It's the default for `undefined`. */
function isJsonType(type: string | undefined): boolean {
  return type === undefined || /[/+]json\b|^\*\/\*$/i.test(type)
}

function firstText(value: unknown): string | undefined {
  const [first] = Array.isArray(value) ? value : [value]
  return typeof first === 'string' ? first : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
