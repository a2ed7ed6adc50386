/** Arguments for the query and body of routes without a schema. A tool without them would be useless. */

import type { JsonObject } from '../../schema/compiled.js'
import type { Route } from '../route.js'

/** Methods whose requests usually have a body. */
const methods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY'])

/**
 * Returns the schema of an undescribed body, or `undefined` if the route takes none. The body is optional, since it
 * isn't known whether the route needs one.
 */
export function undescribedBody({ method, marker, schema }: Route): JsonObject | undefined {
  if (!methods.has(method) || schema?.takesBody === false) return undefined
  const consumes = marker?.consumes ?? schema?.consumes ?? 'application/json'
  const [, free = bytes] = kinds.find(([type]) => type.test(consumes)) ?? []
  return free
}

const unknown = 'its fields are not described. Leave it out where the route needs none.'
const bytes: JsonObject = {
  type: 'string',
  format: 'binary',
  description: 'The body of the request. Leave it out where the route needs none.',
}

const kinds: readonly (readonly [type: RegExp, free: JsonObject])[] = [
  // No `type`: any JSON value.
  [/[/+]json\b/i, { description: `The body of the request, mostly a JSON object; ${unknown}` }],
  [
    /^multipart\/form-data\b/i,
    {
      type: 'object',
      description: `The form that the request sends, by field, a file as a data URI (data:text/plain;base64,…); ${unknown}`,
    },
  ],
  [
    /^application\/x-www-form-urlencoded\b/i,
    { type: 'object', description: `The form that the request sends, by field; ${unknown}` },
  ],
  [/^text\/|[/+](?:xml|yaml)\b/i, { type: 'string', description: bytes.description }],
]

/** Returns the parts of a request without any schema, which the model has to guess. */
export function undescribedParts(route: Route): readonly ('query' | 'body')[] {
  const { marker, schema } = route
  const query = schema?.query === undefined && allowsUndescribedQuery(route)
  const body = (marker?.body ?? schema?.body) === undefined && undescribedBody(route) !== undefined
  return [...(query ? (['query'] as const) : []), ...(body ? (['body'] as const) : [])]
}

/**
 * Whether a route without a query schema may take query parameters. A source that describes another part of the input
 * but no query implies that there is none, unless it validates only single fields.
 */
export function allowsUndescribedQuery({ marker, schema }: Route): boolean {
  if ((marker?.params ?? marker?.query ?? marker?.body) !== undefined) return false
  if (schema?.takesBody !== undefined) return false
  return schema?.partial === true || (schema?.params ?? schema?.body ?? schema?.headers) === undefined
}

/**
 * Returns the schema of the argument for query parameters without their own argument. `values`: the schema of each, or
 * `true`.
 */
export function undescribedQuery(values: unknown, areOthersKnown: boolean): JsonObject {
  const description = areOthersKnown
    ? 'Further query parameters, by name; they are not described.'
    : 'Query parameters, by name; they are not described. Leave it out where the route needs none.'
  return { type: 'object', description, ...(values !== true && { additionalProperties: values }) }
}
