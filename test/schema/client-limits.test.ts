/** Warnings about definitions that well-known clients can't use. They name the client. */

import { expect, it } from 'vitest'
import { z } from 'zod'
import { routers } from '../support/routers.js'
import { connect } from '../wire/client.js'

const { log, make } = routers()

const warnings = (input: object): string[] => {
  make().tool('t', { description: 'd', input: input as never, handler: () => 'x' })
  return log.at('warn').map(({ message }) => message)
}
const props = (properties: object) => ({ type: 'object', properties })
const pattern = (source: string) =>
  props({ list: { type: 'array', items: { type: 'string', pattern: source } } })

it.each<[string, object, RegExp]>([
  [
    'a root union',
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    /Claude and OpenAI.*`anyOf`/,
  ],
  [
    'a root oneOf',
    { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    /Claude and OpenAI.*`oneOf`/,
  ],
  ['a root allOf', { type: 'object', allOf: [{ required: ['a'] }] }, /Claude and OpenAI.*`allOf`/],
  ['a key with brackets', props({ 'ids[]': { type: 'string' } }), /Claude refuses argument names.*"ids\[\]"/],
  ['a key in another script', z.object({ größe: z.string() }), /Claude refuses argument names.*"größe"/],
  ['a long key', props({ ['a'.repeat(65)]: { type: 'string' } }), /Claude refuses argument names/],
  ['look-ahead', pattern('^(?!x).+'), /OpenAI.*Codex.*llama\.cpp.*Ollama/],
  ['look-behind', pattern('(?<=a)b'), /OpenAI.*look-around/],
  ['look-ahead of a library', z.object({ to: z.string().regex(/^(?=x)/) }), /OpenAI.*look-around/],
  [
    'look-ahead in patternProperties',
    { type: 'object', patternProperties: { '^(?=a)': {} } },
    /OpenAI.*look-around/,
  ],
])('warns about %s', (_, input, message) => {
  expect(warnings(input)).toEqual([expect.stringMatching(message)])
  expect(warnings(input)[0]).toMatch(/^tool "t": /)
})

it.each<[string, object]>([
  ['a union inside', z.object({ a: z.union([z.string(), z.number()]) })],
  ['64 characters, dots and dashes', props({ ['a'.repeat(64)]: {}, 'a.b-c_1': {} })],
  ['odd keys inside', props({ a: props({ 'x[]': {} }) })],
  ['groups, named and not', pattern('^(?:a)(?<name>b)(c)$')],
  ['escaped parentheses', pattern('\\(?=[(?=]')],
])('does not warn about %s', (_, input) => {
  expect(warnings(input)).toEqual([])
})

it('warns once about tools on several pages', async () => {
  const router = make({ pageSize: 2 })
  for (const name of ['a', 'b']) router.tool(name, { description: 'd', handler: () => 'x' })
  await connect(router).result('tools/list')
  expect(log.at('warn')).toEqual([])
  router.tool('c', { description: 'd', handler: () => 'x' })
  for (const version of ['2025-06-18', undefined]) await connect(router, version).result('tools/list')
  expect(log.at('warn').map(({ message }) => message)).toEqual([
    expect.stringMatching(/3 tools.*`pageSize` 2.*AI SDK, Copilot CLI, Kiro and Factory.*raise/),
  ])
})
