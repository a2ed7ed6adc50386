/** Verdicts of schema libraries that bring promises of their own. */

import { expect, it } from 'vitest'
import type { z } from 'zod'
import { masked } from '../support/failures.js'
import { later } from '../support/later.js'
import { routers } from '../support/routers.js'

const { make } = routers({ exposeErrors: false })

function schemaOf(validate: (value: unknown) => unknown): z.ZodType {
  const json = () => ({ type: 'object', properties: {} })
  const standard = { version: 1, vendor: 'own', validate, jsonSchema: { input: json, output: json } }
  return { '~standard': standard } as unknown as z.ZodType
}

/** A promise that calls back before `then` returns, as native ones never do. */
function atOnce(verdict: unknown): unknown {
  // biome-ignore lint/suspicious/noThenProperty: being awaitable is all that it is for
  return { then: (done: (verdict: unknown) => void) => done(verdict) }
}

const refusal = { issues: [{ message: 'not on a Sunday' }] }

it.each([
  ['at once', atOnce],
  ['later', later],
])('answers with an issue that has no path and comes %s', async (_, coming) => {
  const ran: unknown[] = []
  const router = make()
  const input = schemaOf(() => coming(refusal))
  router.tool('t', { description: 'd', input, handler: (value) => ran.push(value) })
  router.prompt('p', { description: 'd', input, handler: (value) => `${ran.push(value)}` })
  expect(await router.call('t', {})).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('not on a Sunday') }],
  })
  await expect(router.getPrompt('p')).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('not on a Sunday'),
  })
  expect(ran).toEqual([])
})

it.each([
  ['at once', atOnce],
  ['later', later],
])('runs the handler with a value that comes %s', async (_, coming) => {
  const router = make()
  const input = schemaOf(() => coming({ value: { day: 'Monday' } }))
  router.tool('t', { description: 'd', input, handler: (value) => value as object })
  expect(JSON.stringify(await router.call('t', {}))).toContain('Monday')
})

it('masks what handlers return and such a schema refuses', async () => {
  const router = make()
  const output = schemaOf(() => atOnce(refusal))
  router.tool('t', { description: 'd', output, handler: () => ({}) })
  expect(await router.call('t')).toEqual({ content: [{ type: 'text', text: masked }], isError: true })
})
