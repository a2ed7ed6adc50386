/** Which properties each side sees: what is read-only is no argument, and what is write-only no answer. */

import type { Direction, JsonObject } from '../../schema/compiled.js'
import { isObject } from '../../support/values.js'
import { baseOf, type Source } from './refs.js'

interface Seen {
  /** The schema as it was written. */
  readonly original: JsonObject
  readonly source: Source
  readonly direction: Direction
}

/** Read-only properties are not for those who write, write-only ones not for those who read. */
export function withoutHidden(schema: JsonObject, { original, source, direction }: Seen): JsonObject {
  if (!isObject(schema.properties) || !isObject(original.properties)) return schema
  const flag = direction === 'input' ? 'readOnly' : 'writeOnly'
  const given = original.properties
  const hidden = new Set(Object.keys(given).filter((name) => isFlagged(given[name], flag, source)))
  if (hidden.size === 0) return schema
  const shown = Object.entries(schema.properties).filter(([name]) => !hidden.has(name))
  const { required, ...rest } = { ...schema, properties: Object.fromEntries(shown) } as JsonObject
  const needed = Array.isArray(required) ? required.filter((name) => !hidden.has(name)) : []
  return needed.length > 0 ? { ...rest, required: needed } : rest
}

/** Says it of itself, by its reference, or in a part of `allOf`. */
function isFlagged(schema: unknown, flag: 'readOnly' | 'writeOnly', source: Source, depth = 0): boolean {
  if (!isObject(schema) || depth > 5) return false
  if (typeof schema[flag] === 'boolean') return schema[flag] === true
  const base = baseOf(schema, source.base)
  const parts = Array.isArray(schema.allOf) ? schema.allOf : []
  if (parts.some((part) => isFlagged(part, flag, { ...source, base }, depth + 1))) return true
  if (typeof schema.$ref !== 'string') return false
  const target = source.follow(schema.$ref, base)
  return target !== undefined && isFlagged(target.schema, flag, { ...source, base: target.base }, depth + 1)
}
