/** Tool arguments are an object, and the wire demands that the root of an input schema says so. */

import { isObject } from '../support/values.js'
import type { JsonObject } from './compiled.js'
import { resolveLocal } from './keywords.js'

/** The schema with `type: 'object'` at its root, as a union does not say by itself. Throws when it can be no object. */
export function asObjectRoot(json: JsonObject, owner: string): JsonObject {
  if (json.type === 'object') return json
  if (!mayBeObject(json, json)) {
    const got = JSON.stringify(json).slice(0, 80)
    throw new TypeError(
      `${owner}: expected \`input\` to describe an object, since arguments go by name; got ${got}. Make it a property of an object`,
    )
  }
  const { type, ...rest } = json
  return { type: 'object', ...rest }
}

/** False when no object can match, as far as types and constants tell. */
export function mayBeObject(schema: unknown, root: JsonObject, followed: Set<string> = new Set()): boolean {
  if (!isObject(schema)) return schema !== false
  const { $ref, type, not, anyOf, oneOf, allOf } = schema
  const may = (inner: unknown) => mayBeObject(inner, root, followed)
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).includes('object')) return false
  if ('const' in schema && !isObject(schema.const)) return false
  if (Array.isArray(schema.enum) && !schema.enum.some(isObject)) return false
  if (not === true || (isObject(not) && Object.keys(not).length === 0)) return false
  if ([anyOf, oneOf].some((branches) => Array.isArray(branches) && !branches.some(may))) return false
  if (Array.isArray(allOf) && !allOf.every(may)) return false
  if (typeof $ref !== 'string' || followed.has($ref)) return true
  followed.add($ref)
  return mayBeObject(resolveLocal(root, $ref), root, followed)
}
