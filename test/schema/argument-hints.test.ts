/** Arguments as JSON text, and null for what may be left out: the message says which. */

import { type } from 'arktype'
import { McpRouter } from 'mcp-router'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'

const json = {
  type: 'object',
  properties: {
    tags: { type: 'array', items: { $ref: '#/$defs/tag' } },
    o: {
      anyOf: [
        { type: 'object', properties: { deep: { type: 'object' } }, required: ['a'] },
        { type: 'number' },
      ],
    },
    s: { type: 'string', maxLength: 5 },
    both: { type: ['string', 'array'], maxLength: 3 },
    must: { type: 'string' },
  },
  required: ['must'],
  $defs: { tag: { type: 'object' } },
}
const zod = (lib: typeof z) =>
  lib.object({
    tags: lib.array(lib.object({})).optional(),
    o: lib.union([lib.object({ a: lib.number(), deep: lib.object({}).optional() }), lib.number()]).optional(),
    s: lib.string().max(5).optional(),
    both: lib.union([lib.string().max(3), lib.array(lib.string())]).optional(),
    must: lib.string(),
  })
const schemas: [string, object][] = [
  ['JSON Schema', json],
  ['Zod 4', zod(z)],
  ['Zod 3', zod(z3 as never)],
  [
    'Valibot',
    v.object({
      tags: v.optional(v.array(v.object({}))),
      o: v.optional(v.union([v.object({ a: v.number(), deep: v.optional(v.object({})) }), v.number()])),
      s: v.optional(v.pipe(v.string(), v.maxLength(5))),
      both: v.optional(v.union([v.pipe(v.string(), v.maxLength(3)), v.array(v.string())])),
      must: v.string(),
    }),
  ],
  [
    'ArkType',
    type({
      'tags?': 'object[]',
      'o?': type({ a: 'number', 'deep?': 'object' }).or('number'),
      's?': 'string <= 5',
      'both?': 'string <= 3 | string[]',
      must: 'string',
    }),
  ],
]

describe.each(schemas)('arguments of %s', (_, input) => {
  const refusal = async (args: object) => {
    const router = new McpRouter({ name: 'x', version: '1', logger: false })
    router.tool('t', { description: 'd', input: input as never, handler: () => 'ran' })
    const { isError, content } = await router.call('t', { must: 'x', ...args })
    expect(isError).toBe(true)
    return (content[0] as { text: string }).text
  }

  it('that are JSON text are told to be sent as what they hold', async () => {
    expect(await refusal({ tags: '[{}]' })).toMatch(
      /tags.*; it is JSON text: send the array itself, not a string/,
    )
    expect(await refusal({ o: ' {"a":1}' })).toMatch(
      /o.*; it is JSON text: send the object itself, not a string/,
    )
  })

  it('that are null although they may be left out are told to be', async () => {
    for (const name of ['tags', 's'])
      expect(await refusal({ [name]: null })).toMatch(new RegExp(`${name}.*; leave it out instead of null`))
  })

  it.each([
    { must: null },
    { tags: 'a, b' },
    { tags: '[1' },
    { tags: '{"a":1}' },
    { s: '{"a":1}' },
    { both: '["abc"]' },
    { tags: 5 },
  ])('that are wrong otherwise are not: %j', async (args) => {
    expect(await refusal(args)).not.toMatch(/JSON text|instead of null/)
  })
})

it('says the same of all arguments together', async () => {
  const router = new McpRouter({ name: 'x', version: '1', logger: false })
  router.tool('t', { description: 'd', handler: () => 'ran' })
  const say = async (args: unknown) => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', arguments: args } }
    return JSON.stringify(await router.handle(request as never, { protocolVersion: '2025-11-25' } as never))
  }
  expect(await say('{"s":"x"}')).toContain('send the object itself, not its JSON text')
  expect(await say(null)).toContain('leave it out instead of null')
  expect(await say([])).not.toMatch(/JSON text|instead of null/)
})
