/** Schemas as the form library likes them, and its data as servers do. */

import type { RJSFSchema } from '@rjsf/utils'
import { isObject } from '../src/support/values.js'

type Json = Readonly<Record<string, unknown>>

/** Titles and descriptions are the fields' own; the whole has its heading already. */
export function toFormSchema(schema: Json): RJSFSchema {
  const { $schema: _s, title: _t, description: _d, ...rest } = schema
  return { type: 'object', ...(named(rest) as Json) } as RJSFSchema
}

/** The members of unions get names to choose them by. */
function named(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(named)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const inner = named(member)
      if ((key !== 'anyOf' && key !== 'oneOf') || !Array.isArray(inner)) return [key, inner]
      return [key, inner.map((one) => (isObject(one) ? { title: nameOf(one), ...one } : one))]
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

/** Without the empty objects that the form makes of optional ones that nobody filled in. */
export function pruned(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = isObject(schema) ? schema.items : undefined
    return value.map((item) => pruned(items, item))
  }
  if (!isObject(value)) return value
  const { properties, required } = isObject(schema) ? schema : {}
  const kept = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    if (member === undefined) return []
    const inner = pruned(isObject(properties) ? properties[key] : undefined, member)
    const isNeeded = Array.isArray(required) && required.includes(key)
    return !isNeeded && isObject(inner) && Object.keys(inner).length === 0 ? [] : [[key, inner]]
  })
  return Object.fromEntries(kept)
}
