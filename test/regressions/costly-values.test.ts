/** Values that are made to be expensive: an author's bound beside a costly keyword counts before it. */

import { expect, it } from 'vitest'
import { routers } from '../support/routers.js'
import { stopwatch } from '../support/time.js'
import { connect } from '../wire/client.js'

const { make } = routers()

const items = { type: 'array', maxItems: 10, uniqueItems: true, items: { type: 'object' } }
const text = { type: 'string', maxLength: 20, pattern: '^(a+)+$' }
const input = (properties: object) => ({ type: 'object', properties }) as const
const manyItems = Array.from({ length: 20_000 }, (_, index) => ({ index }))
const tangled = `${'a'.repeat(30)}!`

/** What `run` resolves to, which it must do at once. */
async function atOnce<T>(run: () => Promise<T>): Promise<T> {
  const worked = stopwatch()
  const answer = await run()
  expect(worked()).toBeLessThan(1_000)
  return answer
}

it.each([
  ['maxItems before uniqueItems', { value: items }, { value: manyItems }],
  ['maxLength before pattern', { value: text }, { value: tangled }],
  [
    'maxLength before pattern inside of items',
    { value: { type: 'array', items: text } },
    { value: [tangled] },
  ],
  [
    'maxItems before uniqueItems behind a $ref and in an alternative',
    { value: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/items' }] } },
    { value: manyItems },
  ],
])('asks %s of arguments, and says what was wrong', async (_, properties, args) => {
  const router = make()
  const schema = { ...input(properties), $defs: { items } } as const
  router.tool('t', { description: 'd', input: schema, handler: () => 'ran' })
  const { isError, content } = await atOnce(() => router.call('t', args))
  expect({ isError, content }).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/value/) }],
  })
})

it('asks maxLength before pattern of the arguments of prompts', async () => {
  const router = make()
  router.prompt('p', { description: 'd', input: input({ value: text }), handler: () => 'ran' })
  const failed = await atOnce(() => router.getPrompt('p', { value: tangled }).catch((error) => error))
  expect(failed).toMatchObject({ code: -32602, message: expect.stringMatching(/value/) })
})

it('asks maxItems before uniqueItems of what handlers return', async () => {
  const router = make()
  const handler = () => ({ value: manyItems })
  router.tool('t', { description: 'd', output: input({ value: items }), handler: handler as never })
  const failed = await atOnce(() => router.call('t').catch((error) => error))
  expect(failed).toMatchObject({ isError: true })
})

it('takes what stays within the bounds', async () => {
  const router = make()
  const schema = input({ items, text })
  router.tool('t', { description: 'd', input: schema, handler: () => 'ran' })
  const args = { items: manyItems.slice(0, 10), text: 'aaaa' }
  expect(await router.call('t', args)).toMatchObject({ content: [{ text: 'ran' }] })
  expect(await router.call('t', { items: [{ a: 1 }, { a: 1 }] })).toMatchObject({ isError: true })
})

it.each([
  ['resources/read', { uri: `a://${'x'.repeat(4_000_000)}` }],
  ['tools/call', { name: 'x'.repeat(4_000_000) }],
  ['prompts/get', { name: 'x'.repeat(4_000_000) }],
])('refuses names of 4 MB in %s of 2026-07-28 at once, in a short answer', async (method, params) => {
  const router = make()
  router.tool('t', { description: 'd', handler: () => 'x' })
  router.prompt('p', { description: 'd', handler: () => 'x' })
  for (let version = 0; version < 20; version++) {
    router.resource(`a://{b}/v${version}/{c}`, { handler: () => 'x' })
  }
  const error = await atOnce(() => connect(router).error(method, params))
  expect(error.code).toBe(-32602)
  expect(JSON.stringify(error).length).toBeLessThan(1_000)
})
