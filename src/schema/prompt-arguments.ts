/** The `arguments` list of a prompt, read from its published schema. */

import { isObject } from '../support/values.js'
import type { JsonObject } from './compiled.js'
import { subschemas } from './keywords.js'
import { rootKeys } from './root-keys.js'

export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
}

/** One entry per top-level key. `required` is there only when it is true. */
export function promptArguments(json: JsonObject): PromptArgument[] {
  return [...rootKeys(json).names].map((name) => ({
    name,
    ...textsOf(json, name),
    ...(requires(json, name) && { required: true }),
  }))
}

/** The first title and description that the root, or one of the schemas it is put together from, gives a key. */
function textsOf(json: JsonObject, name: string): { title?: string; description?: string } {
  const { properties } = json
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  const { title, description } = isObject(own) ? own : {}
  const inner = subschemas(json).filter(({ steps }) => composing.has(steps[0] ?? ''))
  return {
    ...Object.assign({}, ...inner.map(({ schema }) => (isObject(schema) ? textsOf(schema, name) : {}))),
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  }
}

const composing = new Set(['allOf', 'anyOf', 'oneOf'])

function requires(schema: unknown, name: string): boolean {
  if (!isObject(schema)) return false
  const { required, allOf, anyOf, oneOf } = schema
  if (Array.isArray(required) && required.includes(name)) return true
  if (Array.isArray(allOf) && allOf.some((part) => requires(part, name))) return true
  return [anyOf, oneOf].some(
    (branches) => Array.isArray(branches) && branches.every((branch) => requires(branch, name)),
  )
}
