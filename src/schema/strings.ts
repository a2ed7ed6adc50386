/**
 * Checks that a prompt's schema accepts strings, since prompt arguments are sent as strings. Tests it with sample
 * values.
 */

import { isObject } from '../support/values.js'
import { describeIssues } from './ajv-issues.js'
import type { Checked, CompiledSchema, JsonObject } from './compiled.js'
import { rootKeys } from './root-keys.js'

/**
 * Checks that each argument accepts a string. An argument fails if its published type isn't a string, all sample
 * strings are rejected, and values of its type give another result than their texts. The last condition avoids errors
 * because of unsuitable samples. Asynchronous schemas aren't tested.
 * @throws TypeError naming the argument.
 */
export function assertAcceptsStrings({ json, check }: CompiledSchema, owner: string): void {
  for (const name of rootKeys(json).names) {
    const { properties } = json
    const published = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!isObject(published) || !excludesStrings(published)) continue
    if (!refusesStrings(published, (value) => problemWith(name, value, check))) continue
    const wanted = JSON.stringify(published.type ?? published)
    throw new TypeError(
      `${owner}: its argument "${name}" does not accept strings, but prompt arguments are sent as strings; its type is ${wanted}. Convert it in the schema, as z.coerce does`,
    )
  }
}

/** Returns the problem with a value: empty if there is none, `undefined` if unknown. */
type ProblemFinder = (value: unknown) => string | undefined

function refusesStrings(published: JsonObject, complaint: ProblemFinder): boolean {
  const refusesAll = texts(published).every((text) => complaint(text))
  if (!refusesAll) return false
  return sampleValues(published).some((native) => {
    const found = complaint(native)
    return found !== undefined && found !== complaint(textOf(native))
  })
}

/** Whether the published type excludes strings, or is the type that dates are published with. */
function excludesStrings(schema: unknown): boolean {
  if (!isObject(schema)) return false
  const { type, anyOf, oneOf, enum: values } = schema
  if (type === 'string') return schema.format === 'date-time' && schema.pattern === undefined
  if (type !== undefined) return !(Array.isArray(type) && type.includes('string'))
  if ('const' in schema) return typeof schema.const !== 'string'
  if (Array.isArray(values)) return values.every((value) => typeof value !== 'string')
  return [anyOf, oneOf].some(
    (branches) => Array.isArray(branches) && branches.length > 0 && branches.every(excludesStrings),
  )
}

function problemWith(name: string, value: unknown, check: CompiledSchema['check']): string | undefined {
  const checked = tryCheck(() => check(Object.fromEntries([[name, value]])))
  if (checked instanceof Promise) checked.catch(() => {}) // the result isn't needed
  if (checked === undefined || checked instanceof Promise) return undefined
  return describeIssues((checked.issues ?? []).filter(({ path }) => String(path[0]) === name))
}

function tryCheck(check: () => Checked | Promise<Checked>): Checked | Promise<Checked> | undefined {
  try {
    return check()
  } catch {
    return undefined // the schema's code doesn't expect sample values
  }
}

/** Returns sample values of the published type, including those in its keywords. */
function sampleValues(schema: JsonObject): unknown[] {
  const { type, anyOf, oneOf, enum: values, format } = schema
  const branches = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []))
  const named = [
    ...(Array.isArray(values) ? values : []),
    ...('const' in schema ? [schema.const] : []),
    schema.default,
  ]
  const ofType = (Array.isArray(type) ? type : [type]).flatMap((one) => samples(one, schema))
  const dates = format === 'date-time' ? [new Date(0), new Date()] : []
  return [
    ...named.filter((value) => value !== undefined),
    ...ofType,
    ...dates,
    ...branches.flatMap(sampleValues),
  ]
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

/** Returns sample texts: for the published type, then common ones. */
function texts(schema: JsonObject): string[] {
  const examples = Array.isArray(schema.examples) ? schema.examples : []
  return [...new Set([...sampleValues(schema), ...examples].map(textOf)), ...commonTexts]
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
