/** A library must accept exactly the values that its published schema accepts. */
import Ajv from 'ajv/dist/2020.js'
import { type } from 'arktype'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import type { Schema } from '../../src/schema/types.js'
import { input, outcome } from './support.js'

const schemas: Record<string, Schema> = {
  'zod 4': z.object({
    title: z.string().min(2),
    limit: z.number().int().min(0).max(10).default(5),
    tags: z.array(z.enum(['a', 'b'])).optional(),
    note: z.string().nullable(),
  }),
  'zod 3': z3.object({
    title: z3.string().min(2),
    limit: z3.number().int().min(0).max(10).default(5),
    tags: z3.array(z3.enum(['a', 'b'])).optional(),
    note: z3.string().nullable(),
  }),
  valibot: v.object({
    title: v.pipe(v.string(), v.minLength(2)),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10)), 5),
    tags: v.optional(v.array(v.picklist(['a', 'b']))),
    note: v.nullable(v.string()),
  }),
  arktype: type({
    title: 'string >= 2',
    limit: '0 <= number.integer <= 10 = 5',
    'tags?': "('a' | 'b')[]",
    note: 'string | null',
  }),
  'a union': z.union([
    z.object({ title: z.string(), note: z.string().optional() }),
    z.object({ limit: z.number(), tags: z.array(z.string()) }),
  ]),
  'a discriminated union': z.discriminatedUnion('note', [
    z.object({ note: z.literal('a'), title: z.string() }),
    z.strictObject({ note: z.literal('b'), limit: z.number() }),
  ]),
  loose: z.looseObject({ title: z.string() }),
  strict: z.strictObject({ title: z.string(), limit: z.number().optional() }),
  catchall: z.object({ title: z.string() }).catchall(z.number()),
  record: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
}

const scalar = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', 'xyz'),
  fc.integer({ min: -2, max: 12 }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
)
const value = fc.oneof(
  scalar,
  fc.array(fc.constantFrom('a', 'b', 'c', 1), { maxLength: 3 }),
  fc.record({ a: scalar }),
)
// Without `__proto__`: the loose schemas of Zod drop that key instead of judging it.
const key = fc.constantFrom('title', 'limit', 'tags', 'note', 'titel', 'other', 'constructor', 'toString')
const likely = fc.record(
  {
    title: fc.constantFrom('ab', 'xyz', 'a'),
    limit: fc.integer({ min: -1, max: 11 }),
    tags: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
    note: fc.constantFrom('a', 'b', null),
  },
  { requiredKeys: ['title'] },
)
const given = fc
  .oneof(
    likely,
    fc.dictionary(key, value),
    fc.tuple(likely, fc.dictionary(key, value, { maxKeys: 2 })).map(([a, b]) => ({ ...a, ...b })),
  )
  .map((object) => JSON.parse(JSON.stringify(object)) as object)

describe.each(Object.entries(schemas))('%s', (name, schema) => {
  const isUnion = name.includes('union')
  const compiled = input(schema)
  const published = new Ajv.default({ strict: false }).compile(compiled.json)
  const accepts = (args: object) => typeof outcome(compiled, args) === 'object'

  it('accepts exactly the values that its published schema accepts', () => {
    const agree = fc.property(given, (args) => {
      // A union publishes the types of all its keys, while the branch that matches drops keys of the others unread.
      const isPublished = published(args) || (isUnion && accepts(args) && published(outcome(compiled, args)))
      expect(accepts(args)).toBe(isPublished)
    })
    fc.assert(agree, { numRuns: 1_000 })
  })

  it('covers both kinds of values', () => {
    const verdicts = new Set(fc.sample(given, 1_000).map(accepts))
    expect(verdicts).toEqual(new Set([true, false]))
  })
})

describe('a hand-written schema', () => {
  it('with any keys returns a result, never throws, and does not modify the arguments', () => {
    const compiled = input({
      type: 'object',
      properties: {
        title: { type: 'string', default: 'x' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      additionalProperties: { type: ['string', 'number'] },
    } as Schema)
    const unharmed = fc.property(fc.dictionary(fc.oneof(key, fc.string()), fc.jsonValue()), (args) => {
      const before = JSON.stringify(args)
      outcome(compiled, args)
      expect(JSON.stringify(args)).toBe(before)
    })
    fc.assert(unharmed)
  })
})
