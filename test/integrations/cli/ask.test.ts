/** Questions of a server at the terminal. */

import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { asker } from '../../../integrations/cli/terminal/ask.js'
import type { Terminal } from '../../../integrations/cli/terminal/terminal.js'

/** Somebody who types these lines, and then ends the input. */
function somebody(lines: readonly string[] | undefined) {
  const shown: string[] = []
  const left = [...(lines ?? [])]
  const terminal: Terminal = {
    out: () => {},
    error: (text) => shown.push(text),
    width: undefined,
    colour: false,
    input: Readable.from([]),
    ask:
      lines &&
      (async (question) => {
        shown.push(question)
        return left.shift()
      }),
  }
  return { shown, ask: asker(terminal, new AbortController().signal) }
}

const form = (properties: object, required: string[] = []) => ({
  method: 'elicitation/create',
  params: { message: 'Which one?', requestedSchema: { type: 'object', properties, required } },
})

describe('a question', () => {
  it('is declined where nobody is there', async () => {
    const { ask, shown } = somebody(undefined)
    expect(await ask(form({}))).toEqual({ action: 'decline' })
    expect(shown).toEqual(['Declined, because there is no terminal to ask at: Which one?'])
  })

  it.each([
    ['n', 'decline'],
    ['c', 'cancel'],
  ])('%s', async (typed, action) => {
    expect(await somebody(['what', typed]).ask(form({ a: { type: 'string' } }))).toEqual({ action })
  })

  it('is cancelled where the input ends', async () => {
    expect(await somebody([]).ask(form({}))).toEqual({ action: 'cancel' })
    expect(await somebody(['y']).ask(form({ a: { type: 'string' } }))).toEqual({ action: 'cancel' })
  })

  it('shows a page and asks whether it is fine', async () => {
    const { ask, shown } = somebody(['y'])
    const params = { mode: 'url', message: 'Sign in', url: 'https://example.com/login' }
    expect(await ask({ method: 'elicitation/create', params })).toEqual({ action: 'accept' })
    expect(shown[0]).toBe('Sign in\nhttps://example.com/login')
  })

  it('comes one after the other', async () => {
    const { ask } = somebody(['y', 'first', 'y', 'second'])
    const answers = await Promise.all([ask(form({ a: {} })), ask(form({ b: {} }))])
    expect(answers.map(({ content }) => content)).toEqual([{ a: 'first' }, { b: 'second' }])
  })

  it('of another kind is refused', async () => {
    await expect(somebody(['y']).ask({ method: 'sampling/createMessage' })).rejects.toThrow('sampling')
  })
})

describe('a field', () => {
  const choices = {
    type: 'string',
    oneOf: [
      { const: 'r', title: 'Red' },
      { const: 'g', title: 'Green' },
    ],
  }
  it.each<[object, string[], unknown]>([
    [{ type: 'string' }, ['text'], 'text'],
    [{ type: 'string', minLength: 3 }, ['ab', 'abc'], 'abc'],
    [{ type: 'integer', minimum: 2 }, ['x', '1.5', '1', '2'], 2],
    [{ type: 'number', maximum: 1 }, ['2', '0.5'], 0.5],
    [{ type: 'boolean' }, ['maybe', 'yes'], true],
    [{ type: 'boolean', default: false }, [''], false],
    [{ type: 'string', enum: ['a', 'b'] }, ['3', '2'], 'b'],
    [{ type: 'string', enum: ['a', 'b'], enumNames: ['An A', 'A B'] }, ['An A'], 'a'],
    [choices, ['1'], 'r'],
    [choices, ['Green'], 'g'],
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 2 }, ['1', 'a, 3'], ['a', 'c']],
    [{ type: 'array', items: { anyOf: choices.oneOf } }, ['Red,2'], ['r', 'g']],
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] }, maxItems: 1 }, ['a,b', '9', 'b'], ['b']],
    [{ type: 'string', maxLength: 2 }, ['abc', 'ab'], 'ab'],
    [{ type: 'boolean' }, ['no'], false],
    [{ type: 'string' }, [''], undefined],
  ])('%j', async (schema, typed, value) => {
    const { content } = await somebody(['y', ...typed]).ask(form({ field: schema }))
    expect(content).toEqual(value === undefined ? {} : { field: value })
  })

  it('that is required is asked for again', async () => {
    const { ask, shown } = somebody(['y', '', 'x'])
    expect((await ask(form({ name: { type: 'string', title: 'Your name' } }, ['name']))).content).toEqual({
      name: 'x',
    })
    expect(shown).toContain('It is required.')
    expect(shown).toContain('Your name: ')
  })
})
