/** Reads the request body and the response of an operation. */

import type { RouteSchema } from '../../../src/internal.js'
import { isObject, type Json } from './document.js'
import type { References } from './references.js'

type Schema = NonNullable<RouteSchema['body']>

/** Media types in order of preference: the earlier ones are easier for a model to write. */
const mediaTypePreference = [
  /^application\/json\b/i,
  /^application\/[\w.+-]*\+json\b/i,
  /^multipart\/form-data\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^(\*|application)\/\*$/,
  /^text\//i,
]

export function readBody(
  given: unknown,
  references: References,
): Pick<RouteSchema, 'body' | 'bodyRequired' | 'consumes'> {
  const body = references.object(given)
  if (body === undefined || !isObject(body.content)) return {}
  const found = preferredMedia(body.content)
  if (found === undefined) return {}
  const [type, media] = found
  return {
    body: bodySchema(type, media.schema, references),
    consumes: type.includes('*') ? 'application/json' : type,
    // OpenAPI's default is false, but most documents that omit `required` need a body: rely on the schema then.
    ...(body.required === false && { bodyRequired: false }),
  }
}

/** Returns the JSON schema of the first 2xx status. */
export function readResponse(responses: unknown, references: References): Schema | undefined {
  if (!isObject(responses)) return undefined
  const statuses = Object.keys(responses).sort()
  const status = statuses.find((name) => /^2\d\d$/.test(name)) ?? statuses.find((name) => /^2xx$/i.test(name))
  const response = status === undefined ? undefined : references.object(responses[status])
  if (!isObject(response?.content)) return undefined
  const json = Object.entries(response.content).find(([type]) => /[/+]json\b|^\*\/\*$/i.test(type))
  const media = json?.[1]
  return isObject(media) && isObject(media.schema) ? (media.schema as Schema) : undefined
}

function preferredMedia(content: Json): [type: string, media: Json] | undefined {
  const all = Object.entries(content).filter((entry): entry is [string, Json] => isObject(entry[1]))
  for (const kind of mediaTypePreference) {
    const found = all.find(([type]) => kind.test(type))
    if (found !== undefined) return found
  }
  return all[0]
}

function bodySchema(type: string, schema: unknown, references: References): Schema {
  const isStructured =
    /json\b|\*/i.test(type) || /^(multipart\/form-data|application\/x-www-form-)/i.test(type)
  if (!isStructured) return plainBody(type, schema, references)
  if (!isObject(schema)) return {}
  return (/^multipart\//i.test(type) ? withFiles(schema, references) : schema) as Schema
}

/** Returns the schema of an unstructured body: text, or binary data as the model passes it. */
function plainBody(type: string, schema: unknown, references: References): Schema {
  const given = references.schema(schema)
  const { description } = given ?? {}
  const about = typeof description === 'string' ? { description } : {}
  const isText = /^text\/|[/+]xml\b|yaml\b/i.test(type) && given?.format !== 'binary'
  return { type: 'string', ...about, ...(!isText && { format: 'binary' }) } as Schema
}

/** Marks files of a form: OpenAPI 3.1 describes them only by `contentMediaType`. */
function withFiles(schema: Json, references: References): Json {
  const form = references.schema(schema) ?? schema
  if (!isObject(form.properties)) return schema
  const properties = Object.entries(form.properties).map(([name, part]) => [
    name,
    isFile(part) ? { ...(part as Json), type: 'string', format: 'binary' } : part,
  ])
  return { ...form, properties: Object.fromEntries(properties) }
}

function isFile(part: unknown): boolean {
  return (
    isObject(part) &&
    part.contentMediaType !== undefined &&
    part.contentEncoding === undefined &&
    part.$ref === undefined
  )
}
