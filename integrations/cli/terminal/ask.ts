/** Answers elicitation requests: asks the user at the terminal, or declines if there's none. */

import { isObject } from '../../../src/internal.js'
import type { ServerRequest } from '../client/client.js'
import { endOfInput, readField } from './form.js'
import { bold, sanitize, type Terminal } from './terminal.js'

type Ask = NonNullable<Terminal['ask']>

interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>>
}

/** Returns a handler that asks one request at a time, even if calls overlap. */
export function asker(terminal: Terminal, signal: AbortSignal): (request: ServerRequest) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve()
  return ({ method, params = {} }) => {
    if (method !== 'elicitation/create')
      return Promise.reject(new Error(`this client does not support ${method}`))
    const answer = last.then(() => elicit(params, terminal, signal))
    last = answer.catch(() => {})
    return answer
  }
}

async function elicit(
  { message, url, requestedSchema }: Readonly<Record<string, unknown>>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Answer> {
  const text = sanitize([message, url].filter((part) => typeof part === 'string').join('\n'))
  if (terminal.ask === undefined) {
    terminal.error(`Declined, because there is no terminal to ask at: ${text}`)
    return { action: 'decline' }
  }
  terminal.error(bold(text, terminal))
  const action = await choose(
    terminal.ask,
    signal,
    typeof url === 'string' ? 'Open this page in a browser' : 'Answer',
  )
  if (action !== 'accept') return { action }
  const content = await fillIn(requestedSchema, { ...terminal, ask: terminal.ask }, signal)
  return content === undefined ? { action: 'cancel' } : { action, ...(url === undefined && { content }) }
}

const actions: Readonly<Record<string, Answer['action']>> = { y: 'accept', n: 'decline', c: 'cancel' }

async function choose(ask: Ask, signal: AbortSignal, what: string): Promise<Answer['action']> {
  for (;;) {
    const typed = await ask(`${what}? [y]es, [n]o, [c]ancel: `, signal)
    if (typed === undefined) return 'cancel'
    const action = actions[typed.trim().slice(0, 1).toLowerCase()]
    if (action !== undefined) return action
  }
}

/** Asks for each field of the form. Returns `undefined` if the input ends. */
async function fillIn(
  schema: unknown,
  terminal: Terminal & { readonly ask: Ask },
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  const { properties, required } = isObject(schema) ? schema : {}
  const content: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(isObject(properties) ? properties : {})) {
    const isRequired = Array.isArray(required) && required.includes(name)
    const described = { name, isRequired, schema: isObject(field) ? field : {} }
    const value = await readField(described, terminal, signal)
    if (value === endOfInput) return undefined
    if (value !== undefined) content[name] = value
  }
  return content
}
