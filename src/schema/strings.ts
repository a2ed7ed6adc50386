/** Prompt arguments travel as strings, so a prompt's schema must take strings. It is tried, not guessed. */

import { isObject } from '../support/values.js'
import { describeIssues } from './ajv-issues.js'
import type { Checked, CompiledSchema, JsonObject } from './compiled.js'
import { rootKeys } from './root-keys.js'

/**
 * Throws, naming the argument, when an argument takes no string: its published type is another one, every text that
 * was tried is refused, and a value of that type fares differently, so that not just the texts were badly chosen.
 * A schema that only answers later is not tried.
 */
export function assertAcceptsStrings({ json, check }: CompiledSchema, owner: string): void {
  for (const name of rootKeys(json).names) {
    const { properties } = json
    const published = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!isObject(published) || !asksForNoString(published)) continue
    if (!refusesStrings(published, (value) => complaintAbout(name, value, check))) continue
    const wanted = JSON.stringify(published.type ?? published)
    throw new TypeError(
      `${owner}: its argument "${name}" takes no string, and prompt arguments travel as strings; it wants ${wanted}. Let the schema convert it, as z.coerce does`,
    )
  }
}

/** What is wrong with a value: nothing is empty, `undefined` is not known right now. */
type Complaint = (value: unknown) => string | undefined

function refusesStrings(published: JsonObject, complaint: Complaint): boolean {
  const refusesAll = texts(published).every((text) => complaint(text))
  if (!refusesAll) return false
  return natives(published).some((native) => {
    const found = complaint(native)
    return found !== undefined && found !== complaint(textOf(native))
  })
}

/** True when the published type leaves no room for strings, or only the room that a date is published with. */
function asksForNoString(schema: unknown): boolean {
  if (!isObject(schema)) return false
  const { type, anyOf, oneOf, enum: values } = schema
  if (type === 'string') return schema.format === 'date-time' && schema.pattern === undefined
  if (type !== undefined) return !(Array.isArray(type) && type.includes('string'))
  if ('const' in schema) return typeof schema.const !== 'string'
  if (Array.isArray(values)) return values.every((value) => typeof value !== 'string')
  return [anyOf, oneOf].some(
    (branches) => Array.isArray(branches) && branches.length > 0 && branches.every(asksForNoString),
  )
}

function complaintAbout(name: string, value: unknown, check: CompiledSchema['check']): string | undefined {
  const checked = tried(() => check(Object.fromEntries([[name, value]])))
  if (checked instanceof Promise) checked.catch(() => {}) // nobody waits for it
  if (checked === undefined || checked instanceof Promise) return undefined
  return describeIssues((checked.issues ?? []).filter(({ path }) => String(path[0]) === name))
}

function tried(check: () => Checked | Promise<Checked>): Checked | Promise<Checked> | undefined {
  try {
    return check()
  } catch {
    return undefined // the schema's own code does not expect our values
  }
}

/** Values of the published type, those its keywords name among them. */
function natives(schema: JsonObject): unknown[] {
  const { type, anyOf, oneOf, enum: values, format } = schema
  const branches = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []))
  const named = [
    ...(Array.isArray(values) ? values : []),
    ...('const' in schema ? [schema.const] : []),
    schema.default,
  ]
  const ofType = (Array.isArray(type) ? type : [type]).flatMap((one) => samples(one, schema))
  const dates = format === 'date-time' ? [new Date(0), new Date()] : []
  return [...named.filter((value) => value !== undefined), ...ofType, ...dates, ...branches.flatMap(natives)]
}

function samples(type: unknown, { minimum, maximum, exclusiveMinimum, multipleOf }: JsonObject): unknown[] {
  if (type === 'number' || type === 'integer') {
    const low = numberOf(minimum) ?? (numberOf(exclusiveMinimum) ?? -1) + 1
    const step = numberOf(multipleOf) ?? 1
    return [low, low + 1, Math.ceil(low / step) * step, numberOf(maximum) ?? 1, 0, 1, 1.5]
  }
  return samplesOf.get(String(type)) ?? []
}

const samplesOf = new Map<string, unknown[]>([
  ['boolean', [true, false]],
  ['null', [null]],
  ['array', [[], ['a'], [1]]],
  ['object', [{}, { a: 1 }]],
])

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** Texts for the published type, then some of every kind. */
function texts(schema: JsonObject): string[] {
  const examples = Array.isArray(schema.examples) ? schema.examples : []
  return [...new Set([...natives(schema), ...examples].map(textOf)), ...commonTexts]
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

const commonTexts = [
  ...['', 'a', 'text', '1', '10', '1.5', '-1', 'yes', 'no', 'on', 'off', 'null', 'a,b', '["a"]', '[1]', '{}'],
  ...[
    '2020-01-01',
    '2020-01-01T00:00',
    '2020-01-01T00:00:00Z',
    '2020-01-01T00:00:00.000Z',
    '2020-01-01T00:00:00+01:00',
  ],
  ...['12:00', '12:00:00', 'a@example.com', 'https://example.com/', '00000000-0000-4000-8000-000000000000'],
]
