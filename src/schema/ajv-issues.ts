/** Turns the errors of Ajv and of the evaluator into messages that name the field and the expected value. */

import { describe } from '../support/values.js'
import type { Issue, JsonObject } from './compiled.js'
import { rootKeys } from './root-keys.js'
import { unknownKeyMessage } from './unknown-keys.js'
import { unsafeInteger } from './values/safe-integers.js'

/** A keyword that a value violates. */
export interface KeywordError {
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
  /** The schema that contains the keyword, and the validated value. */
  readonly parentSchema?: JsonObject
  readonly data?: unknown
}

export interface AjvError extends KeywordError {
  readonly instancePath: string
}

/** Limits the issues, because a list may contain a hundred thousand bad items. */
const mostErrors = 50
const mostValues = 20

export function issuesOf(errors: readonly AjvError[], root: unknown): Issue[] {
  return errors.slice(0, mostErrors).map((error) => {
    const { path, value } = resolvePointer(error.instancePath, root)
    return issueOf('data' in error ? error : { ...error, data: value }, path) // Ajv provides the value only with `verbose`
  })
}

/** Converts a keyword error. `path`: the path of the validated value. */
export function issueOf(error: KeywordError, path: readonly PropertyKey[]): Issue {
  const { key, message } = wording.get(error.keyword)?.(error) ?? { message: error.message ?? 'is invalid' }
  return { path: key === undefined ? path : [...path, key], message }
}

interface Wording {
  /** The key that the issue is about, if it isn't the value itself. */
  readonly key?: string
  readonly message: string
}

const wording = new Map<string, (error: KeywordError) => Wording>([
  [
    'type',
    ({ params, data }) => ({ message: `expected ${joinNames(params.type, ' or ')}, got ${describe(data)}` }),
  ],
  [
    'enum',
    ({ params, data }) => ({
      message: `expected one of ${quoted(params.allowedValues)}, got ${describe(data)}`,
    }),
  ],
  [
    'const',
    ({ params, data }) => ({
      message: `expected ${JSON.stringify(params.allowedValue)}, got ${describe(data)}`,
    }),
  ],
  ['required', ({ params }) => ({ key: String(params.missingProperty), message: 'required, but missing' })],
  [
    'dependentRequired',
    ({ params }) => ({
      key: String(params.missingProperty),
      message: `required together with ${params.property}, but missing`,
    }),
  ],
  ['additionalProperties', ({ params, parentSchema }) => unknownKey(params.additionalProperty, parentSchema)],
  [
    'unevaluatedProperties',
    ({ params, parentSchema }) => unknownKey(params.unevaluatedProperty, parentSchema),
  ],
  [
    'propertyNames',
    ({ params }) => ({ key: String(params.propertyName), message: 'this name is not allowed here' }),
  ],
  ['minimum', outOfBounds],
  ['maximum', outOfBounds],
  ['anyOf', () => ({ message: 'matches none of the alternatives' })],
  ['oneOf', () => ({ message: 'must match exactly one of the alternatives' })],
])

/** Describes a violated bound. The bounds added for safe integers have their own message. */
function outOfBounds({ keyword, parentSchema = {}, message = 'is out of bounds' }: KeywordError): Wording {
  const isOurs =
    Math.abs(Number(parentSchema[keyword])) === Number.MAX_SAFE_INTEGER && parentSchema.type !== 'number'
  return { message: isOurs ? unsafeInteger : message }
}

function unknownKey(key: unknown, schema: JsonObject | undefined): Wording {
  if (schema === undefined) return { key: String(key), message: 'unknown key' }
  return { key: String(key), message: unknownKeyMessage(String(key), rootKeys(schema).names) }
}

function joinNames(names: unknown, between: string): string {
  return Array.isArray(names) ? names.join(between) : String(names)
}

function quoted(given: unknown): string {
  const values = given as readonly unknown[] // guaranteed by `enum`
  const shown = values.slice(0, mostValues).map((value) => JSON.stringify(value))
  return [...shown, ...(values.length > mostValues ? ['…'] : [])].join(', ')
}

/** Converts Ajv's JSON pointer to keys, and returns the value it points to. List items have numeric keys. */
function resolvePointer(pointer: string, root: unknown): { path: PropertyKey[]; value: unknown } {
  let value = root
  const path = pointer
    .split('/')
    .slice(1)
    .map((step) => {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      const inList = Array.isArray(value)
      const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      value = isThere ? (value as JsonObject)[key] : undefined
      return inList ? Number(key) : key
    })
  return { path, value }
}

/** Maximum number of issues in a message; further ones are only counted. */
export const mostDescribed = 20

/** Maximum length of a key in a message. Clients may send keys of any size. */
const longestKey = 80

/** Describes issues with their fields: `limit: Too big: expected number to be <=100; tags[0]: …`. */
export function describeIssues(issues: readonly Issue[]): string {
  const lines = issues.slice(0, mostDescribed).map(describeIssue)
  if (issues.length > mostDescribed) lines.push(`and ${issues.length - mostDescribed} more`)
  return lines.join('; ')
}

function describeIssue({ path, message }: Issue): string {
  const field = path.map(step).join('').replace(/^\./, '')
  // ArkType's messages start with the field.
  return field === '' || message.startsWith(`${field} `) ? message : `${field}: ${message}`
}

function step(key: PropertyKey): string {
  return typeof key === 'number' ? `[${key}]` : `.${clip(String(key))}`
}

/** Shortens a text from a client for a message. */
function clip(text: string): string {
  return text.length > longestKey ? `${text.slice(0, longestKey)}…` : text
}
