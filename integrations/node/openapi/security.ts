/** Where callers show who they are, as a document says it. */

import type { RouteSchema } from '../../../src/internal.js'
import { isObject, type Json } from './document.js'
import type { References } from './references.js'

/**
 * The keys of `components.securitySchemes`, whether or not an operation asks for them. Cookies and `Authorization` are
 * no arguments anyway.
 */
export function secretsOf({ components }: Json, references: References): RouteSchema['secrets'] {
  const schemes =
    isObject(components) && isObject(components.securitySchemes) ? components.securitySchemes : {}
  const keys = Object.values(schemes).flatMap((given) => {
    const { type, in: part, name } = references.schema(given) ?? {}
    const isKey = type === 'apiKey' && typeof name === 'string'
    return isKey && (part === 'header' || part === 'query') ? [{ part, name } as const] : []
  })
  return keys.length === 0 ? undefined : keys
}
