/** Integers that JavaScript rounded never reach a handler whose schema requires an integer. */
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import type { Schema } from '../../src/schema/types.js'
import { contradictsByShape } from '../../src/schema/values/contradicts.js'
import { input, outcome, output } from './support.js'

const large = JSON.parse('1917043659912705297') as number
const refusal =
  /id: (?:expected an integer from -9007199254740991 to 9007199254740991: a larger one loses digits|Too big)/

const schemas: Record<string, Schema> = {
  'JSON Schema': { type: 'object', properties: { id: { type: 'integer' } } },
  'JSON Schema with larger bounds': {
    type: 'object',
    properties: { id: { type: 'integer', minimum: 0, maximum: 2 ** 63 } },
  } as Schema,
  'JSON Schema with a union': { type: 'object', properties: { id: { type: ['integer', 'null'] } } },
  'Zod 4': z.object({ id: z.number().int() }),
  'Zod 3': z3.object({ id: z3.number().int() }),
  'Zod 3, nullable': z3.object({ id: z3.number().int().nullable() }),
  Valibot: v.object({ id: v.pipe(v.number(), v.integer()) }),
  ArkType: type({ id: 'number.integer' }),
}

describe.each(Object.entries(schemas))('%s', (name, schema) => {
  const compiled = input(schema)

  it.each([large, -large, 2 ** 53, 1e300])('rejects %d if it requires an integer', (id) => {
    expect(outcome(compiled, { id })).toMatch(id < 0 ? /^id: / : refusal)
  })

  it('accepts every safe integer', () => {
    for (const id of [0, 2 ** 53 - 1]) expect(outcome(compiled, { id })).toEqual({ id })
  })

  it('does not check results', () => {
    if (name !== 'Zod 4') expect(outcome(output(schema), { id: 2 ** 53 })).toEqual({ id: 2 ** 53 })
  })
})

describe('a large integer', () => {
  it('is found inside lists, records, tuples, parts, references and unions', () => {
    const node: z3.ZodType = z3.lazy(() => z3.object({ id: z3.number().int(), next: node.optional() }))
    const places: readonly [Schema, object][] = [
      [z3.object({ a: z3.array(z3.object({ id: z3.number().int() })) }), { a: [{ id: 1 }, { id: large }] }],
      [z3.object({ a: z3.record(z3.number().int()) }), { a: { x: large } }],
      [z3.object({ a: z3.tuple([z3.string(), z3.number().int()]) }), { a: ['x', large] }],
      [
        z3.object({ a: z3.object({ x: z3.number().int() }).and(z3.object({ y: z3.string() })) }),
        { a: { x: large, y: '' } },
      ],
      [z3.object({ node }), { node: { id: 1, next: { id: 2, next: { id: large } } } }],
      [
        z3.object({
          a: z3.discriminatedUnion('kind', [
            z3.object({ kind: z3.literal('id'), id: z3.number().int() }),
            z3.object({ kind: z3.literal('name'), name: z3.string() }),
          ]),
        }),
        { a: { kind: 'id', id: large } },
      ],
      [
        { type: 'object', properties: { a: { oneOf: [{ type: 'integer' }, { type: 'string' }] } } },
        { a: large },
      ],
      [
        {
          type: 'object',
          properties: { a: { $ref: '#/$defs/id' } },
          $defs: { id: { type: 'integer' } },
        } as Schema,
        { a: large },
      ],
    ]
    for (const [schema, args] of places) {
      expect(outcome(input(schema), args)).toMatch(/loses digits|fits none|exactly one/)
      expect(outcome(input(schema), JSON.parse(JSON.stringify(args).replace(String(large), '7')))).toBeTypeOf(
        'object',
      )
    }
  })

  it('is found through patterns, and in branches that differ several levels down', () => {
    const places: readonly [Schema, object][] = [
      [type({ '[/^id_/]': 'number.integer' }), { id_a: large }],
      [
        z3.object({
          '@': z3.union([
            z3.object({ data: z3.object({ id: z3.number().int() }) }),
            z3.object({ data: z3.object({ id: z3.string() }) }),
          ]),
        }),
        { '@': { data: { id: large } } },
      ],
    ]
    for (const [schema, args] of places) {
      expect(outcome(input(schema), args)).toMatch(/loses digits/)
      const fine = JSON.parse(JSON.stringify(args).replace(String(large), '7'))
      expect(outcome(input(schema), fine)).toEqual(fine)
    }
    const text = { '@': { data: { id: 'large' }, n: large } }
    expect(outcome(input(places[1]?.[0] as Schema), text)).toEqual({ '@': { data: { id: 'large' } } })
  })

  it('passes if any number is allowed, or if a branch accepts it', () => {
    const open: readonly [Schema, object][] = [
      [{ type: 'object', properties: { a: { type: 'number' } } }, { a: large }],
      [{ type: 'object', properties: { a: {} } }, { a: large }],
      [z3.object({ a: z3.number() }), { a: large }],
      [
        z3.object({ a: z3.union([z3.number().int(), z3.number()]), b: z3.number().int().optional() }),
        { a: large },
      ],
      [z3.object({ a: z3.string(), b: z3.number().int().optional() }), { a: '1917043659912705297' }],
      [{ type: 'object', properties: { a: { not: { type: 'integer' } } } } as Schema, { a: 1.5 }],
    ]
    for (const [schema, args] of open) expect(outcome(input(schema), args)).toEqual(args)
  })

  it('is found in a text that is read as a number', () => {
    const id = '9007199254740993'
    expect(outcome(input(z3.object({ id: z3.coerce.number().int() })), { id })).toMatch(/loses digits/)
    expect(outcome(input(z3.object({ id: z3.coerce.number().int().nullable() })), { id })).toMatch(
      /loses digits/,
    )
    const json = { type: 'object', properties: { id: { type: 'integer' } } } as const
    expect(outcome(input(json, { coerceStrings: true }), { id })).toMatch(/loses digits/)
    expect(outcome(input(json, { coerceStrings: true }), { id: '7' })).toEqual({ id: 7 })
  })

  it('is searched without serializing the value for each member of an enum', () => {
    const unread = { amount: 1 }
    Object.defineProperty(unread, 'list', {
      enumerable: true,
      get: () => expect.fail('the search read a member that no constant has'),
    })
    const currencies = Array.from({ length: 50 }, (_, index) => `C${index}`)
    expect(contradictsByShape(unread, { enum: [...currencies, { amount: 1 }, { amount: 2 }] })).toBe(true)
    expect(contradictsByShape({ b: [2], a: 1 }, { enum: [{ a: 1, b: [2] }] })).toBe(false)
    expect(contradictsByShape({ a: 1, b: [2, 3] }, { const: { a: 1, b: [2] } })).toBe(true)
  })

  it('is searched once in each value, however unions lead there', () => {
    type Tree = { children?: Tree[]; id?: number }
    const tree: z3.ZodType = z3.lazy(() =>
      z3.union([
        z3.object({ children: z3.array(tree), a: z3.string().optional(), id: z3.number().int().optional() }),
        z3.object({ children: z3.array(tree), b: z3.string().optional(), id: z3.number().int().optional() }),
        z3.object({ id: z3.number().int() }),
      ]),
    )
    let value: Tree = { id: 1 }
    for (let depth = 0; depth < 12; depth++) value = { children: [value], id: depth === 0 ? large : 1 }
    expect(outcome(input(z3.object({ tree })), { tree: value })).toMatch(/loses digits/)
  })
})

describe('bounds on the integers of a schema', () => {
  it.each<[string, object]>([
    ['not', { not: { $ref: '#/$defs/integer' } }],
    ['if', { if: { not: { $ref: '#/$defs/integer' } }, else: false }],
    ['contains', { type: 'array', not: { contains: { $ref: '#/$defs/integer' } } }],
    ['oneOf', { oneOf: [{ type: 'integer' }, { type: 'number' }] }],
  ])('accept no value that its `%s` rejects', (keyword, id) => {
    const integer = { type: 'integer' }
    const schema = { type: 'object', properties: { id, n: integer }, $defs: { integer } }
    const compiled = input(schema as Schema)
    const refused = keyword === 'contains' ? [2 ** 60] : 2 ** 60
    const taken = keyword === 'contains' ? ['a'] : keyword === 'oneOf' ? 1.5 : 'a'
    expect(outcome(compiled, { id: refused })).toMatch(/^id: /)
    expect(outcome(compiled, { id: taken, n: 1 })).toEqual({ id: taken, n: 1 })
    expect(outcome(compiled, { n: 2 ** 60 })).toMatch(/^n: /)
  })
})
