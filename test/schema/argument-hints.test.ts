/** Hints for arguments sent as JSON text, and for null in optional arguments. */

import { type } from 'arktype'
import { McpRouter } from 'mcp-router'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { withHints } from '../../src/schema/index.js'

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

  it('that are JSON text cause a hint to send the value itself', async () => {
    expect(await refusal({ tags: '[{}]' })).toMatch(
      /tags.*; it is JSON text: send the array itself, not a string/,
    )
    expect(await refusal({ o: ' {"a":1}' })).toMatch(
      /o.*; it is JSON text: send the object itself, not a string/,
    )
  })

  it('that are null although they are optional cause a hint to leave them out', async () => {
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
  ])('with other errors cause no hint: %j', async (args) => {
    expect(await refusal(args)).not.toMatch(/JSON text|instead of null/)
  })
})

describe('the place of an argument', () => {
  interface Filter {
    kind: string
    children?: Filter[]
  }
  const filter: z.ZodType<Filter> = z.lazy(() =>
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('and'), children: z.array(filter) }),
      z.object({ kind: z.literal('or'), children: z.array(filter) }),
    ]),
  )
  const branch = (kind: string) => ({
    type: 'object',
    properties: { kind: { const: kind }, children: { type: 'array', items: { $ref: '#/$defs/filter' } } },
    required: ['kind'],
  })
  const handWritten = {
    type: 'object',
    properties: { filter: { $ref: '#/$defs/filter' } },
    $defs: { filter: { anyOf: ['and', 'or', 'not'].map(branch) } },
  }

  it.each([
    ['hand-written', handWritten],
    ['Zod', z.object({ filter })],
  ])('is found at any depth of a recursive union: %s', async (_, input) => {
    const router = new McpRouter({ name: 'x', version: '1', logger: false })
    router.tool('search', { description: 'd', input: input as never, handler: () => 'ran' })
    for (const [leaf, hint] of [
      [null, 'expected'],
      ['{"kind":"and"}', 'it is JSON text: send the object itself'],
    ]) {
      let nested: unknown = leaf
      for (let level = 0; level < 30; level++) nested = { kind: 'and', children: [nested] }
      const { isError, content } = await router.call('search', { filter: nested as never })
      expect(isError).toBe(true)
      expect((content[0] as { text: string }).text).toContain(hint)
    }
  })

  it('is searched only for issues that a message shows', () => {
    const issues = Array.from({ length: 30 }, (_, index) => ({ path: ['tags', index], message: 'wrong' }))
    const args = { tags: issues.map(() => '{}') }
    const hinted = withHints(issues, json, args)
    expect(hinted).toHaveLength(30)
    expect(hinted.filter(({ message }) => message.includes('it is JSON text'))).toHaveLength(20)
  })
})

it('gives the same hints for all arguments together', async () => {
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
