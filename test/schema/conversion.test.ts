import Ajv from 'ajv/dist/2020.js'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as zm from 'zod/mini'
import { z as z3in4 } from 'zod/v3'
import { z as z3 } from 'zod3'
import type { Schema } from '../../src/schema/types.js'
import { input, outcome, output, warnings } from './support.js'

const dateTime = { type: 'string', format: 'date-time' }

/** The same tool in each library: a string, an optional number with a default, a date. */
const libraries: Record<string, Schema> = {
  'zod 4': z.object({ title: z.string(), limit: z.number().default(20), due: z.date().optional() }),
  'zod mini': zm.object({
    title: zm.string(),
    limit: zm._default(zm.number(), 20),
    due: zm.optional(zm.date()),
  }),
  'zod 3': z3.object({ title: z3.string(), limit: z3.number().default(20), due: z3.date().optional() }),
  'zod/v3': z3in4.object({
    title: z3in4.string(),
    limit: z3in4.number().default(20),
    due: z3in4.date().optional(),
  }),
  valibot: v.object({ title: v.string(), limit: v.optional(v.number(), 20), due: v.optional(v.date()) }),
  arktype: type({ title: 'string', limit: 'number = 20', 'due?': 'Date' }),
}

describe.each(Object.entries(libraries))('%s', (_, schema) => {
  it('is published without $schema, closed, with dates as text', () => {
    const { json } = input(schema)
    expect(json).toMatchObject({
      type: 'object',
      properties: { title: { type: 'string' }, limit: { type: 'number' }, due: dateTime },
      required: ['title'],
      additionalProperties: false,
    })
    expect(json).not.toHaveProperty('$schema')
  })

  it('is validated by the library, with defaults and messages', () => {
    const compiled = input(schema)
    expect(outcome(compiled, { title: 'a' })).toEqual({ title: 'a', limit: 20 })
    expect(outcome(compiled, { title: 1 })).toMatch(/^title/)
    expect(outcome(compiled, 'text')).toEqual(expect.any(String))
  })

  it('returns a new schema each time, not shared with the library', () => {
    const first = input(schema).json
    ;(first.properties as Record<string, unknown>).title = 'changed'
    expect(input(schema).json.properties).toMatchObject({ title: { type: 'string' } })
  })
})

describe('a schema that JSON Schema cannot express', () => {
  it('becomes {} in Zod 4', () => {
    const { json } = input(
      z.object({
        big: z.bigint(),
        map: z.map(z.string(), z.number()),
        set: z.set(z.string()),
        own: z.custom(() => true),
        symbol: z.symbol(),
        nan: z.nan(),
        withDefault: z.bigint().default(3n),
      }),
    )
    expect(Object.values(json.properties as object)).toEqual([{}, {}, {}, {}, {}, {}, {}])
  })

  it('becomes {} in Zod 3, with its description', () => {
    const { json } = input(
      z3.object({
        big: z3.bigint().min(2n),
        map: z3.map(z3.string(), z3.number()),
        set: z3.set(z3.string()).describe('distinct'),
        nan: z3.nan(),
        fn: z3.function(),
        own: z3.instanceof(URL),
        withDefault: z3.bigint().default(3n),
      }),
    )
    expect(Object.values(json.properties as object)).toEqual([
      {},
      {},
      { description: 'distinct' },
      {},
      {},
      {},
      {},
    ])
  })

  it('becomes {} in Valibot', () => {
    const { json } = input(
      v.object({
        big: v.bigint(),
        map: v.map(v.string(), v.number()),
        own: v.instance(URL),
        withDefault: v.optional(v.bigint(), 3n),
        bounded: v.pipe(v.date(), v.minValue(new Date(0))),
      }),
    )
    expect(json.properties).toEqual({ big: {}, map: {}, own: {}, withDefault: {}, bounded: dateTime })
  })

  it('becomes {} in ArkType', () => {
    const { json } = input(type({ big: 'bigint', map: 'Map', bounded: "Date > d'2020-01-01'" }))
    expect(json.properties).toEqual({ big: {}, map: {}, bounded: dateTime })
  })
})

describe('dates', () => {
  it('are published at any depth, with defaults', () => {
    const { json } = input(
      z.object({
        nullable: z.date().nullable(),
        list: z.array(z.date()),
        coerced: z.coerce.date(),
        bounded: z.date().min(new Date(0)),
        withDefault: z.date().default(new Date(0)),
      }),
    )
    expect(json.properties).toEqual({
      nullable: { anyOf: [dateTime, { type: 'null' }] },
      list: { type: 'array', items: dateTime },
      coerced: dateTime,
      bounded: dateTime,
      withDefault: { ...dateTime, default: '1970-01-01T00:00:00.000Z' },
    })
  })

  it('arrive as text, so only a schema that converts them accepts them', () => {
    const when = '2020-01-01T00:00:00Z'
    expect(outcome(input(z.object({ when: z.coerce.date() })), { when })).toEqual({ when: new Date(when) })
    expect(outcome(input(z.object({ when: z.date() })), { when })).toMatch(/^when: .*expected date/)
  })
})

describe('input and output', () => {
  const sides: Record<string, Schema> = {
    'zod 4': z.object({
      n: z.string().transform(Number),
      d: z.number().default(1),
      p: z.string().pipe(z.coerce.number()),
    }),
    'zod 3': z3.object({
      n: z3.string().transform(Number),
      d: z3.number().default(1),
      p: z3.string().pipe(z3.coerce.number()),
    }),
    valibot: v.object({
      n: v.pipe(v.string(), v.transform(Number)),
      d: v.optional(v.number(), 1),
      p: v.pipe(v.string(), v.toNumber()),
    }),
  }

  it.each(Object.entries(sides))('%s: accepted and returned types', (_, schema) => {
    expect(input(schema).json.properties).toMatchObject({
      n: { type: 'string' },
      d: { type: 'number' },
      p: { type: 'string' },
    })
    expect(output(schema).json.properties).toMatchObject({
      n: {},
      d: { type: 'number' },
      p: { type: 'number' },
    })
    expect((output(schema).json.properties as { n: object }).n).toEqual({})
    expect(outcome(input(schema), { n: '2', p: '3' })).toEqual({ n: 2, d: 1, p: 3 })
  })

  it('an output may have any root', () => {
    expect(output(z.array(z.string())).json).toEqual({ type: 'array', items: { type: 'string' } })
    expect(output(z.date()).json).toEqual(dateTime)
    expect(output(v.string()).json).toEqual({ type: 'string' })
    expect(output(z.union([z.object({ a: z.string() }), z.null()])).json).toHaveProperty('anyOf')
    expect(output(z.object({ a: z.string() }).optional()).json).toMatchObject({ type: 'object' })
  })

  it('an output drops undeclared keys', () => {
    expect(outcome(output(z.object({ a: z.string() })), { a: 'x', secret: 1 })).toEqual({ a: 'x' })
  })

  it('an output that drops them does not forbid them, so that intersections and new fields work', () => {
    const described = z
      .object({ a: z.string() })
      .describe('one')
      .and(z.object({ b: z.string() }))
    const validate = new Ajv.default({ strict: false }).compile(output(described).json)
    expect(validate({ a: 'x', b: 'y' })).toBe(true)
    expect(output(z.object({})).json).toEqual({ type: 'object', properties: {} })
    expect(output(z3.object({})).json).toEqual({ type: 'object', properties: {} })
    expect(output(z.strictObject({})).json).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
  })

  it('an asynchronous schema returns a promise', async () => {
    const schema = input(z.object({ a: z.string().refine(async (text) => text === 'x', 'must be x') }))
    await expect(schema.check({ a: 'x' })).resolves.toEqual({ value: { a: 'x' } })
    await expect(schema.check({ a: 'y' })).resolves.toMatchObject({
      issues: [{ path: ['a'], message: 'must be x' }],
    })
  })
})

describe('the root of an input', () => {
  const unions: Record<string, Schema> = {
    'z.union': z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]),
    'z.discriminatedUnion': z.discriminatedUnion('k', [
      z.object({ k: z.literal('a'), x: z.string() }),
      z.object({ k: z.literal('b') }),
    ]),
    'zod 3 union': z3.union([z3.object({ a: z3.string() }), z3.object({ b: z3.number() })]),
    'v.variant': v.variant('k', [v.object({ k: v.literal('a') }), v.object({ k: v.literal('b') })]),
    arktype: type({ a: 'string' }).or({ b: 'number' }),
    nullable: z.object({ a: z.string() }).nullable(),
    'z.intersection': z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
    'v.intersect': v.intersect([v.object({ a: v.string() }), v.object({ b: v.string() })]),
    'a transform': z.object({ a: z.string() }).transform(({ a }) => a),
    'z.preprocess': z.preprocess((value) => value, z.object({ a: z.string() })),
    'z.record': z.record(z.string(), z.number()),
    'z.any': z.any(),
    'ark object': type('object'),
  }

  it.each(Object.entries(unions))('is an object: %s', (_, schema) => {
    expect(input(schema).json.type).toBe('object')
  })

  const impossible: Record<string, Schema> = {
    'z.string': z.string(),
    'z.array': z.array(z.string()),
    'z.never': z.never(),
    'z.literal': z.literal('a'),
    'z.union': z.union([z.string(), z.number()]),
    'v.picklist': v.picklist(['a', 'b']),
    'z.union of what has a type each': z.union([z.string().min(1), z.array(z.string())]),
    'z.intersection': z.intersection(z.string(), z.string()),
    'ark number': type('number'),
    'ark literal': type("'a'"),
    'ark literals': type("'a' | 'b' | 5"),
    'zod 3 enum': z3.enum(['a']),
  }

  it.each(Object.entries(impossible))(
    'is rejected with the name of the definition if it cannot be an object: %s',
    (_, schema) => {
      expect(() => input(schema)).toThrow(/^tool "t": expected `input` to describe an object/)
    },
  )
})

describe('references', () => {
  const Thing = z.object({ a: z.string() }).meta({ id: 'Thing', description: 'a thing' })

  it('are inlined with their sibling keywords', () => {
    const { json } = input(
      z.object({ x: Thing, y: Thing.optional().describe('another'), list: z.array(Thing) }),
    )
    const thing = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      description: 'a thing',
    }
    expect(json).toEqual({
      type: 'object',
      properties: {
        x: thing,
        y: { ...thing, description: 'another' },
        list: { type: 'array', items: thing },
      },
      required: ['x', 'list'],
      additionalProperties: false,
    })
  })

  it('are inlined at the root', () => {
    expect(input(Thing).json).toMatchObject({ type: 'object', properties: { a: { type: 'string' } } })
  })

  it('are inlined if Zod 3 refers from one property to another', () => {
    const shared = z3.object({ q: z3.string() })
    const { a, b } = input(z3.object({ a: shared, b: z3.array(shared) })).json.properties as Record<
      string,
      object
    >
    expect(b).toEqual({ type: 'array', items: a })
  })

  const Node = z.object({
    name: z.string(),
    get children() {
      return z.array(Node)
    },
  })
  type Tree = { name: string; children: Tree[] }
  const Node3: z3.ZodType<Tree> = z3.object({ name: z3.string(), children: z3.lazy(() => z3.array(Node3)) })
  const NodeV: v.GenericSchema<Tree> = v.object({ name: v.string(), children: v.array(v.lazy(() => NodeV)) })
  const recursive: Record<string, Schema> = {
    'zod 4': Node,
    'zod 4 with an id': z.object({ ...Node.shape }).meta({ id: 'Node' }),
    'zod 3': Node3,
    valibot: NodeV,
    arktype: type.module({ node: { name: 'string', children: 'node[]' } }).node,
  }

  it.each(Object.entries(recursive))('stay once in a recursive schema: %s', (_, schema) => {
    const { json, check } = input(schema)
    const text = JSON.stringify(json)
    expect(json).toMatchObject({
      type: 'object',
      properties: { name: { type: 'string' } },
      additionalProperties: false,
    })
    expect(Object.keys(json.$defs as object)).toHaveLength(1)
    expect(text).toMatch(/"\$ref":"#\/\$defs\/[\w.-]+"/)
    expect(check({ name: 'a', children: [{ name: 'b', children: [] }] })).toMatchObject({
      value: { name: 'a' },
    })
    // Only the root is closed: the nodes below are checked by the library.
    expect(JSON.stringify(json.$defs)).not.toContain('additionalProperties')
  })

  it('stay below the root too', () => {
    const { json } = input(z.object({ first: Node, second: Node.optional() }))
    const [name] = Object.keys(json.$defs as object)
    expect(json.properties).toEqual({
      first: { $ref: `#/$defs/${name}` },
      second: { $ref: `#/$defs/${name}` },
    })
  })

  it('are not inlined further if they would multiply', () => {
    let level: z.ZodType = z.object({ end: z.string() }).meta({ id: 'level0' })
    for (let i = 1; i <= 40; i++) level = z.object({ l: level, r: level }).meta({ id: `level${i}` })
    const text = JSON.stringify(input(z.object({ top: level })).json)
    expect(text.length).toBeLessThan(1_000_000)
  })

  it('must have a target, or the definition is rejected', () => {
    const support = [
      {
        vendor: 'zod',
        toJsonSchema: () => ({ type: 'object', properties: { a: { $ref: '#/$defs/none' } } }),
      },
    ]
    expect(() => input(z.object({}), { support })).toThrow(/tool "t": .*"#\/\$defs\/none" leads to no schema/)
    const loop = [
      { vendor: 'zod', toJsonSchema: () => ({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }) },
    ]
    expect(() => input(z.object({}), { support: loop })).toThrow(/refer only to each other/)
  })

  const again = { $ref: '#/$defs/a' }
  const node = (next: object) => ({ type: 'object', properties: { next } })
  const shapes: Record<string, object> = {
    allOf: { allOf: [node(again), { required: [] }] },
    oneOf: { oneOf: [{ type: 'string' }, node(again)] },
    'a map': { type: 'object', additionalProperties: again },
    'a tuple': node({ type: 'array', prefixItems: [again] }),
    'another definition': { $ref: '#/$defs/b' },
    'a reference with more beside it': node({ ...again, maxProperties: 3 }),
    'a path into itself': node(node({ $ref: '#/$defs/a/properties/next' })),
  }

  it.each(Object.entries(shapes))('in cycles are kept unchanged: %s', (_, a) => {
    const mine = {
      type: 'object',
      properties: { start: again },
      $defs: { a, b: node({ anyOf: [again, again] }) },
    }
    const before = JSON.stringify(mine)
    const support = [{ vendor: 'zod', toJsonSchema: () => mine }]
    const { json } = input(z.object({ start: z.any() }), { support })
    expect(JSON.stringify(mine)).toBe(before)
    const [ours, theirs] = [json, mine].map((schema) => new Ajv.default({ strict: false }).compile(schema))
    for (const start of [
      {},
      'x',
      { next: {} },
      { next: { next: 1 } },
      { next: [{ next: [] }] },
      { next: [1] },
    ]) {
      expect(ours?.({ start })).toBe(theirs?.({ start }))
    }
    expect(warnings).toContainEqual(
      expect.stringMatching(/^tool "t": its input schema is published with \$ref/),
    )
  })

  it('as cyclic objects throw with the name of the definition', () => {
    const circle: Record<string, unknown> = { type: 'object' }
    circle.properties = { circle }
    const support = [{ vendor: 'zod', toJsonSchema: () => circle }]
    expect(() => input(z.object({}), { support })).toThrow(/^tool "t": .*circular/i)
  })

  it('are ignored in data', () => {
    const { json } = input(z.object({ a: z.any().default({ $ref: '#/nowhere' }) }))
    expect(json.properties).toEqual({ a: { default: { $ref: '#/nowhere' } } })
  })
})

describe('draft-07 from a converter', () => {
  it('is published as 2020-12', () => {
    const { json } = input(z3.object({ pair: z3.tuple([z3.string(), z3.number()]).rest(z3.boolean()) }))
    expect(json.properties).toEqual({
      pair: {
        type: 'array',
        minItems: 2,
        prefixItems: [{ type: 'string' }, { type: 'number' }],
        // For readers of draft-07, who don't know `prefixItems`.
        items: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
      },
    })
  })
})

describe('problems', () => {
  it('of unions are those of the closest branch', () => {
    const union = z.union([
      z.object({ kind: z.literal('a'), size: z.number() }),
      z.object({ name: z.string() }),
    ])
    expect(outcome(input(z.object({ x: union })), { x: { kind: 'a', size: 'big' } })).toMatch(
      /^x\.\w+: .*expected/,
    )
    const union3 = z3.union([
      z3.object({ kind: z3.literal('a'), size: z3.number() }),
      z3.object({ name: z3.string() }),
    ])
    expect(outcome(input(z3.object({ x: union3 })), { x: { kind: 'a', size: 'big' } })).toMatch(/^x\.\w+: /)
  })

  it('of unions of scalars name all expected types', () => {
    const text = outcome(input(z.object({ x: z.union([z.number(), z.boolean()]) })), { x: 'a' })
    expect(text).toMatch(/^x: .*number.*, or .*boolean/)
  })

  it('name list items, and the field once', () => {
    expect(outcome(input(z.object({ tags: z.array(z.string()) })), { tags: ['a', 1] })).toMatch(
      /^tags\[1\]: /,
    )
    expect(outcome(input(type({ limit: 'number<=100' })), { limit: 500 })).toBe(
      'limit must be at most 100 (was 500)',
    )
    expect(outcome(input(v.object({ a: v.object({ b: v.string() }) })), { a: { b: 1 } })).toMatch(/^a\.b: /)
  })
})

it('names the field if a library throws in its own message, as ArkType does for such a key', () => {
  const compiled = input(type({ constructor: 'boolean' } as never) as never)
  expect(outcome(compiled, { constructor: 1 })).toBe('constructor: is not what the schema expects')
})
