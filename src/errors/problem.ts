/** Extracts the message and the invalid fields from an HTTP error response, whichever library wrote it. */

import { parseJson, stringifyJson } from '../support/long-numbers.js'
import { isObject } from '../support/values.js'
import { guessText, type HttpMessage, isPage, mediaTypeOf, pageText, textOf } from './body-text.js'

export interface Problem {
  readonly message: string | undefined
  /** `title: is required` */
  readonly fields: readonly string[]
}

const mostFields = 30
const mostSentences = 100
const longestMessage = 1_000
const nothing: Problem = { message: undefined, fields: [] }

/** Reads JSON, text and pages. Never a stack, never markup. */
export function problemIn(response: Pick<HttpMessage, 'headers' | 'body'>): Problem {
  if (response.body.length === 0) return nothing
  const type = mediaTypeOf(response)
  const text = (type === '' ? guessText(response.body) : textOf(response))?.trim() ?? ''
  if (isPage(type) || text.startsWith('<')) return { message: firstLine(pageText(text)), fields: [] }
  try {
    return ofJson(parseJson(text))
  } catch {
    return { message: said(text), fields: [] }
  }
}

function ofJson(body: unknown): Problem {
  if (typeof body === 'string') return { message: said(body), fields: [] }
  if (Array.isArray(body)) return { message: undefined, fields: fieldsIn(body) }
  if (!isObject(body)) return nothing
  const nested = isObject(body.error) ? body.error : undefined
  const message = messageIn(nested) ?? messageIn(body)
  const fields = fieldsOf(body).concat(nested === undefined ? [] : fieldsOf(nested))
  if (message === undefined && fields.length === 0) return { message: rest(body), fields }
  return withoutRepeats(message, fields)
}

/** Removes field texts that the message repeats: many libraries put the first field's text, or all of them, into it. */
function withoutRepeats(message: string | undefined, given: readonly string[]): Problem {
  // Every field is compared with every sentence, so both are bounded.
  const fields = [...new Set(given)].slice(0, 4 * mostFields)
  const only = fields.length === 1 ? fields[0] : undefined
  // The field's text has more: its name comes first.
  if (message !== undefined && only?.endsWith(`: ${message}`)) return { message: only, fields: [] }
  const said = message === undefined ? [] : sentencesOf(message)
  const more = fields.filter((field) => !says(said, field))
  return { message, fields: more.slice(0, mostFields) }
}

/** Splits a message into sentences at likely boundaries. */
function sentencesOf(message: string): readonly string[] {
  return [message, ...message.split(/\n|[;,.]\s+|:\s+/, mostSentences)].map(bare)
}

function says(said: readonly string[], field: string): boolean {
  const whole = bare(field)
  const colon = field.indexOf(': ')
  if (colon < 0) return said.some((one) => one === whole || one.endsWith(` ${whole}`))
  // `title: must be string` is in `body/title must be string` as well.
  const [place, inner] = [bare(field.slice(0, colon)), bare(field.slice(colon + 1))]
  return said.some((one) => one === whole || (one.endsWith(inner) && one.includes(place)))
}

/** Lower-cases a text and removes surrounding spaces and the full stop. */
function bare(text: string): string {
  return text.trim().replace(/\.$/, '').toLowerCase()
}

/** Keys of the message, most specific first: Fastify and celebrate have "Bad Request" in `error`, problem+json in `title`. */
const messageKeys = ['message', 'detail', 'error_description', 'msg', 'reason', 'error', 'title'] as const

function messageIn(body: Record<string, unknown> | undefined): string | undefined {
  if (body === undefined) return undefined
  for (const key of messageKeys) {
    const value = body[key]
    if (typeof value === 'string' && value.trim() !== '') return said(value)
  }
  return undefined
}

/** Keys of the lists of field errors: express-validator, Zod, Joi, JSON:API, RFC 9457, Rails, Fastify, celebrate, Zod's `flatten()`. */
const listKeys = [
  'errors',
  'issues',
  'details',
  'invalid-params',
  'invalidParams',
  'violations',
  'validation',
  'fieldErrors',
  'formErrors',
] as const

/** Keys that hold a text in some apps and a list in others, such as Nest and FastAPI. */
const textOrList = ['message', 'detail', 'error'] as const

function fieldsOf(body: Record<string, unknown>): string[] {
  const lists = textOrList.map((key) => body[key]).filter(Array.isArray)
  return [...listKeys.map((key) => body[key]), ...lists].flatMap((list) => fieldsIn(list))
}

/** Deeper levels are ignored. */
const deepest = 3

function fieldsIn(list: unknown, depth = 0): string[] {
  if (Array.isArray(list)) return list.slice(0, mostFields).flatMap((item) => fieldIn(item))
  if (!isObject(list) || depth > deepest) return []
  return Object.entries(list)
    .slice(0, mostFields)
    .flatMap((entry) => ofEntry(entry, depth + 1))
}

/** `{ title: 'is required' }`, `{ title: ['is required'] }`, `{ body: { keys, message } }`, `{ fieldErrors: { title: […] } }` */
function ofEntry([name, value]: [string, unknown], depth: number): string[] {
  if (isStackName(name)) return []
  if (typeof value === 'string') return [`${name}: ${said(value)}`]
  if (Array.isArray(value)) {
    const texts = value.filter((part): part is string => typeof part === 'string')
    return texts.length === value.length ? [`${name}: ${texts.map(said).join(', ')}`] : fieldsIn(value)
  }
  const message = isObject(value) ? messageIn(value) : undefined
  return message === undefined ? fieldsIn(value, depth) : [`${name}: ${message}`]
}

function fieldIn(item: unknown): string[] {
  if (typeof item === 'string') return [said(item)]
  if (!isObject(item)) return []
  const message = messageIn(item) ?? constraintsIn(item)
  if (message === undefined) return [rest(item)].filter((whole) => whole !== undefined)
  const place = placeOf(item)
  return [place === '' || message.split(/[^\w.-]+/).includes(place) ? message : `${place}: ${message}`]
}

/** Joins class-validator's messages, which it keys by rule. */
function constraintsIn({ constraints }: Record<string, unknown>): string | undefined {
  if (!isObject(constraints)) return undefined
  const texts = Object.values(constraints).filter((value): value is string => typeof value === 'string')
  return texts.length === 0 ? undefined : texts.map(said).join(', ')
}

const placeKeys = ['path', 'param', 'field', 'name', 'property', 'instancePath', 'pointer', 'loc'] as const

function placeOf(item: Record<string, unknown>): string {
  const source = isObject(item.source) ? item.source : {}
  for (const value of [...placeKeys.map((key) => item[key]), source.pointer, source.parameter]) {
    if (Array.isArray(value) && value.length > 0) return value.map(step).join('.')
    if (typeof value === 'string' && value !== '') return value.replace(/^#?\//, '').replaceAll('/', '.')
  }
  return ''
}

/** Returns a step of a path. Valibot's steps are objects. */
function step(part: unknown): string {
  return isObject(part) && 'key' in part ? String(part.key) : String(part)
}

/** Returns a body of unknown shape as JSON, without stacks. */
function rest(body: Record<string, unknown>): string | undefined {
  const text = stripStacks(body)
  return text === '{}' ? undefined : shorten(text)
}

function said(text: string): string {
  return shorten(stripStack(text))
}

function firstLine(text: string): string | undefined {
  // Error pages have the title "Error".
  const lines = text.split('\n').filter((line) => !/^(?:error|at .+)$/i.test(line.trim()))
  return lines[0] === undefined ? undefined : said(lines[0])
}

function shorten(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text
}

/** Longer texts are truncated before they're searched. Characters. */
const longestRead = 20_000
/** File, line and column, `(<anonymous>)` and the like. */
const place = String.raw`(?:[^\s()]{0,500}[/\\.][^\s()]{0,500}|node:[^\s()]{1,500}):\d+(?::\d+)?`
const inParentheses = String.raw`\((?:<anonymous>|native\)|eval at |index \d+\)|${place}\))`

/** Patterns of the start of a stack, on its own line or within a joined one. */
const beginnings: readonly RegExp[] = [
  /^[ \t\u00a0]+at [^\n]+[:(]/m,
  // Also after an escaped line break, as in JSON within a text.
  new RegExp(String.raw`(?:^|\s|\\[nrt])at [^\n()]{1,200}${inParentheses}`, 'm'),
  new RegExp(String.raw`(?:^|\s|\\[nrt])at (?:async )?${place.replace('(?::\\d+)?', ':\\d+')}`, 'm'),
  // The form of Safari and Firefox, partly also of Bun.
  /(?:^|\s|\\[nrt])[\w$.<>/]{0,100}@(?:file|node|https?):[^\s]{1,500}:\d+:\d+/m,
  /^Require stack:/m,
]

/** Returns the text before the first stack, or all of it. Long texts are truncated. */
export function stripStack(text: string): string {
  const read = text.slice(0, longestRead)
  const found = beginnings.map((beginning) => read.search(beginning)).filter((at) => at >= 0)
  return read.slice(0, Math.min(...found, read.length)).trim()
}

/** Whether a property of this name holds a stack. */
export function isStackName(name: string): boolean {
  return /stack|trace$/i.test(name)
}

/** Returns a JSON value as text without stack properties and without stacks in its strings. */
export function stripStacks(body: object): string {
  return stringifyJson(body, (key, value) => {
    if (isStackName(key)) return undefined
    return typeof value === 'string' ? stripStack(value) : value
  })
}
