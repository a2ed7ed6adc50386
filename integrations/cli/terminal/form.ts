/** Reads one field of a form at the terminal (specification, Elicitation, Requested schema). */

import { isObject } from '../../../src/internal.js'
import { sanitize, type Terminal } from './terminal.js'

/** Returned if the input ends within a form. */
export const endOfInput: unique symbol = Symbol('endOfInput')

type FieldSchema = Readonly<Record<string, unknown>>

export interface Field {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: FieldSchema
}

/** Asks until the value is valid. Returns `undefined` if the field is left out, and `endOfInput` at the end. */
export async function readField(
  field: Field,
  terminal: Terminal & { readonly ask: NonNullable<Terminal['ask']> },
  signal: AbortSignal,
): Promise<unknown> {
  const choices = choicesOf(field.schema)
  if (choices !== undefined) terminal.error(listOf(choices))
  for (;;) {
    const typed = await terminal.ask(promptFor(field), signal)
    if (typed === undefined) return endOfInput
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
    type === 'array' && 'one or more, separated by commas',
    preset !== undefined && `default ${JSON.stringify(preset)}`,
    !isRequired && preset === undefined && 'optional',
  ].filter((note) => typeof note === 'string')
  return sanitize(`${label}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}: `)
}

interface Choice {
  readonly value: string
  readonly title: string
}

/** Returns the choices of an `enum` with or without names, of `oneOf`, or of an array's items. */
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
    .map((option) => ({ value: String(option.const), title: String(option.title ?? option.const) }))
}

function listOf(choices: readonly Choice[]): string {
  return sanitize(choices.map(({ title }, index) => `  ${index + 1}. ${title}`).join('\n'))
}

interface ReadResult {
  readonly value?: unknown
  /** Why the text isn't valid. */
  readonly problem?: string | undefined
}

function read(text: string, schema: FieldSchema, choices: readonly Choice[] | undefined): ReadResult {
  if (schema.type === 'array') return readSeveral(text, schema, choices ?? [])
  if (choices !== undefined) return readChoice(text, choices)
  const kind =
    typeof schema.type === 'string' && Object.hasOwn(kinds, schema.type) ? kinds[schema.type] : undefined
  return kind?.(text, schema) ?? { value: text, problem: lengthProblem(text, schema) }
}

const kinds: Readonly<Record<string, (text: string, schema: FieldSchema) => ReadResult>> = {
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
): ReadResult {
  const value = Number(text)
  if (!fits(value)) return { problem: `Expected ${words}.` }
  if (typeof minimum === 'number' && value < minimum) return { problem: `Expected ${minimum} or more.` }
  if (typeof maximum === 'number' && value > maximum) return { problem: `Expected ${maximum} or less.` }
  return { value }
}

function lengthProblem(text: string, { minLength, maxLength }: FieldSchema): string | undefined {
  if (typeof minLength === 'number' && text.length < minLength)
    return `Expected ${minLength} characters or more.`
  return typeof maxLength === 'number' && text.length > maxLength
    ? `Expected ${maxLength} characters or fewer.`
    : undefined
}

/** Finds a choice by its number, value or title. */
function readChoice(text: string, choices: readonly Choice[]): ReadResult {
  const chosen =
    choices.find(({ value, title }) => [value, title].includes(text)) ??
    (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined)
  return chosen === undefined
    ? { problem: `Expected one of 1 to ${choices.length}.` }
    : { value: chosen.value }
}

function readSeveral(
  text: string,
  { minItems, maxItems }: FieldSchema,
  choices: readonly Choice[],
): ReadResult {
  const all = text.split(',').map((part) => readChoice(part.trim(), choices))
  const problem = all.find((result) => result.problem !== undefined)?.problem
  if (problem !== undefined) return { problem }
  if (typeof minItems === 'number' && all.length < minItems)
    return { problem: `Expected ${minItems} or more.` }
  if (typeof maxItems === 'number' && all.length > maxItems)
    return { problem: `Expected ${maxItems} or fewer.` }
  return { value: all.map(({ value }) => value) }
}
