/** One field of a form at the terminal (specification, Elicitation, Requested schema). */

import { isObject } from '../../../src/internal.js'
import { harmless, type Terminal } from './terminal.js'

/** The input ended within a form. */
export const ended: unique symbol = Symbol('ended')

type FieldSchema = Readonly<Record<string, unknown>>

export interface Field {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: FieldSchema
}

/** `undefined`: left out; `ended`. Asks again until it fits. */
export async function readField(
  field: Field,
  terminal: Terminal & { readonly ask: NonNullable<Terminal['ask']> },
  signal: AbortSignal,
): Promise<unknown> {
  const choices = choicesOf(field.schema)
  if (choices !== undefined) terminal.error(listOf(choices))
  for (;;) {
    const typed = await terminal.ask(promptFor(field), signal)
    if (typed === undefined) return ended
    const text = typed.trim()
    if (text === '') {
      if (field.schema.default !== undefined) return field.schema.default
      if (!field.isRequired) return undefined
      terminal.error('It is required.')
      continue
    }
    const { value, problem } = read(text, field.schema, choices)
    if (problem === undefined) return value
    terminal.error(problem)
  }
}

function promptFor({ name, isRequired, schema }: Field): string {
  const { title, description, default: preset, type } = schema
  const label = typeof title === 'string' ? title : name
  const notes = [
    description,
    type === 'boolean' && 'yes or no',
    type === 'array' && 'several with commas between them',
    preset !== undefined && `default ${JSON.stringify(preset)}`,
    !isRequired && preset === undefined && 'optional',
  ].filter((note) => typeof note === 'string')
  return harmless(`${label}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}: `)
}

interface Choice {
  readonly value: string
  readonly title: string
}

/** `enum` with or without names, `oneOf`, and those of a list's items. */
function choicesOf(schema: FieldSchema): Choice[] | undefined {
  if (schema.type === 'array') return isObject(schema.items) ? choicesOf(schema.items) : undefined
  const { enum: values, enumNames: names, oneOf = schema.anyOf } = schema
  if (Array.isArray(values)) {
    return values.map((value, index) => {
      const title = Array.isArray(names) ? names[index] : undefined
      return { value: String(value), title: String(title ?? value) }
    })
  }
  if (!Array.isArray(oneOf)) return undefined
  return oneOf
    .filter(isObject)
    .map((one) => ({ value: String(one.const), title: String(one.title ?? one.const) }))
}

function listOf(choices: readonly Choice[]): string {
  return harmless(choices.map(({ title }, index) => `  ${index + 1}. ${title}`).join('\n'))
}

interface Read {
  readonly value?: unknown
  /** What did not fit. */
  readonly problem?: string | undefined
}

function read(text: string, schema: FieldSchema, choices: readonly Choice[] | undefined): Read {
  if (schema.type === 'array') return readSeveral(text, schema, choices ?? [])
  if (choices !== undefined) return readChoice(text, choices)
  const kind =
    typeof schema.type === 'string' && Object.hasOwn(kinds, schema.type) ? kinds[schema.type] : undefined
  return kind?.(text, schema) ?? { value: text, problem: lengthProblem(text, schema) }
}

const kinds: Readonly<Record<string, (text: string, schema: FieldSchema) => Read>> = {
  boolean: (text) => {
    if (/^(y|yes|true)$/i.test(text)) return { value: true }
    return /^(n|no|false)$/i.test(text) ? { value: false } : { problem: 'Expected yes or no.' }
  },
  number: (text, schema) => readNumber(text, schema, Number.isFinite, 'a number'),
  integer: (text, schema) => readNumber(text, schema, Number.isSafeInteger, 'a whole number'),
}

function readNumber(
  text: string,
  { minimum, maximum }: FieldSchema,
  fits: (value: number) => boolean,
  words: string,
): Read {
  const value = Number(text)
  if (!fits(value)) return { problem: `Expected ${words}.` }
  if (typeof minimum === 'number' && value < minimum) return { problem: `Expected ${minimum} or more.` }
  if (typeof maximum === 'number' && value > maximum) return { problem: `Expected ${maximum} or less.` }
  return { value }
}

function lengthProblem(text: string, { minLength, maxLength }: FieldSchema): string | undefined {
  if (typeof minLength === 'number' && text.length < minLength)
    return `Expected ${minLength} letters or more.`
  return typeof maxLength === 'number' && text.length > maxLength
    ? `Expected ${maxLength} letters or less.`
    : undefined
}

/** By its number, its value or its title. */
function readChoice(text: string, choices: readonly Choice[]): Read {
  const chosen =
    choices.find(({ value, title }) => [value, title].includes(text)) ??
    (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined)
  return chosen === undefined
    ? { problem: `Expected one of 1 to ${choices.length}.` }
    : { value: chosen.value }
}

function readSeveral(text: string, { minItems, maxItems }: FieldSchema, choices: readonly Choice[]): Read {
  const all = text.split(',').map((part) => readChoice(part.trim(), choices))
  const problem = all.find((one) => one.problem !== undefined)?.problem
  if (problem !== undefined) return { problem }
  if (typeof minItems === 'number' && all.length < minItems)
    return { problem: `Expected ${minItems} or more.` }
  if (typeof maxItems === 'number' && all.length > maxItems)
    return { problem: `Expected ${maxItems} or less.` }
  return { value: all.map(({ value }) => value) }
}
