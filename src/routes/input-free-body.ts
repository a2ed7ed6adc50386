/** The body of a route that nobody described: a tool that could carry none would be of no use. */

import type { JsonObject } from '../schema/compiled.js'
import type { Route } from './route.js'

/** Methods whose requests usually have one. */
const methods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

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
  [/[/+]json\b/i, { type: 'object', description: `The body of the request, a JSON object; ${unknown}` }],
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
