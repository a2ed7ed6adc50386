/** Prepares schemas for the form library, and its form data for the server. */

import type { RJSFSchema } from '@rjsf/utils'
import { isObject } from '../src/support/values.js'

type Json = Readonly<Record<string, unknown>>

/** Removes the title and description of the root, which the page already shows above the form. */
export function toFormSchema(schema: Json): RJSFSchema {
  const { $schema: _s, title: _t, description: _d, ...rest } = schema
  return { type: 'object', ...(nameMembers(rest) as Json) } as RJSFSchema
}

/** Gives the members of unions titles to choose them by. */
function nameMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nameMembers)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const inner = nameMembers(member)
      if ((key !== 'anyOf' && key !== 'oneOf') || !Array.isArray(inner)) return [key, inner]
      return [key, inner.map((option) => (isObject(option) ? { title: nameOf(option), ...option } : option))]
    }),
  )
}

function nameOf({ const: only, enum: values, type, format, $ref, properties }: Json): string {
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if (isObject(properties)) return `object: ${Object.keys(properties).join(', ')}`
  return [type ?? 'any', format].filter((part) => part !== undefined).join(', ')
}

/** Removes empty objects, which the form creates for optional objects that weren't filled in. */
export function prune(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = isObject(schema) ? schema.items : undefined
    return value.map((item) => prune(items, item))
  }
  if (!isObject(value)) return value
  const { properties, required } = isObject(schema) ? schema : {}
  const kept = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    if (member === undefined) return []
    const inner = prune(isObject(properties) ? properties[key] : undefined, member)
    const isNeeded = Array.isArray(required) && required.includes(key)
    return !isNeeded && isObject(inner) && Object.keys(inner).length === 0 ? [] : [[key, inner]]
  })
  return Object.fromEntries(kept)
}
