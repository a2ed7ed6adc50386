/** The query and the body of a route that nobody described: a tool that could carry neither would be of no use. */

import type { JsonObject } from '../../schema/compiled.js'
import type { Route } from '../route.js'

/** Methods whose requests usually have one. */
const methods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY'])

/** What the model may put there; `undefined`: the route takes none. It may be left out: nobody knows of a need. */
export function freeBody({ method, marker, schema }: Route): JsonObject | undefined {
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
  // Without a type: any JSON value.
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

/** Parts of a request that nothing describes, so that a model has to guess. */
export function undescribedParts(route: Route): readonly ('query' | 'body')[] {
  const { marker, schema } = route
  const query = schema?.query === undefined && isQueryFree(route)
  const body = (marker?.body ?? schema?.body) === undefined && freeBody(route) !== undefined
  return [...(query ? (['query'] as const) : []), ...(body ? (['body'] as const) : [])]
}

/**
 * Whether a route without a schema of its query may take one. Who describes another part of the input and no query has
 * said that there is none; validators that check single fields have not.
 */
export function isQueryFree({ marker, schema }: Route): boolean {
  if ((marker?.params ?? marker?.query ?? marker?.body) !== undefined) return false
  if (schema?.takesBody !== undefined) return false
  return schema?.partial === true || (schema?.params ?? schema?.body ?? schema?.headers) === undefined
}

/** The argument for query parameters that have none of their own; `values`: the schema of each, or `true`. */
export function freeQuery(values: unknown, areOthersKnown: boolean): JsonObject {
  const description = areOthersKnown
    ? 'Further query parameters, by name; they are not described.'
    : 'Query parameters, by name; they are not described. Leave it out where the route needs none.'
  return { type: 'object', description, ...(values !== true && { additionalProperties: values }) }
}
