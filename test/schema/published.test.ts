/** Published schemas work with the validators of well-known clients, in both drafts. */
import { AjvJsonSchemaValidator as Ajv2Validator } from '@modelcontextprotocol/client/validators/ajv'
import { CfWorkerJsonSchemaValidator as Worker2Validator } from '@modelcontextprotocol/client/validators/cf-worker'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/cfworker'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type } from 'arktype'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import type { JsonObject } from '../../src/schema/index.js'
import type { Schema } from '../../src/schema/types.js'
import { input, outcome, output, warnings } from './support.js'

type Reader = (schema: JsonObject) => (value: unknown) => boolean

type Provider = { getValidator(schema: never): (value: unknown) => { readonly valid: boolean } }

/** Each one compiles the schema again, as clients do. */
function provided(make: () => unknown): Reader {
  return (schema) => {
    const validate = (make() as Provider).getValidator(schema as never)
    return (value) => validate(value).valid
  }
}

const strictly = { strict: false, validateSchema: true, logger: false } as const
const readers: Record<string, Reader> = {
  'SDK 1, Ajv (draft-07)': provided(() => new AjvJsonSchemaValidator()),
  'SDK 1, cfworker (2020-12)': provided(() => new CfWorkerJsonSchemaValidator({ draft: '2020-12' })),
  'SDK 1, cfworker (draft-07)': provided(() => new CfWorkerJsonSchemaValidator({ draft: '7' })),
  'SDK 2, Ajv': provided(() => new Ajv2Validator()),
  'SDK 2, cfworker': provided(() => new Worker2Validator()),
  'the metaschema of draft-07': ({ $schema, ...schema }) => readAs(new Ajv(strictly), schema),
  'the metaschema of 2020-12': ({ $schema, ...schema }) => readAs(new Ajv2020(strictly), schema),
}

function readAs(ajv: Ajv | Ajv2020, schema: object): (value: unknown) => boolean {
  const validate = ajv.compile(schema)
  return (value) => validate(value) === true
}

/** Allows more keywords than the type of a schema. */
const as = (schema: object): Schema => schema as Schema

const of = (properties: object, more: object = {}): Schema => ({ type: 'object', properties, ...more })

interface Case {
  readonly schema: Schema
  readonly accepts: readonly object[]
}

const cases: Record<string, Case> = {
  'a closed tuple': {
    schema: of({ t: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false } }),
    accepts: [{ t: [] }, { t: ['a'] }, { t: ['a', 1] }],
  },
  'a tuple closed by unevaluatedItems': {
    schema: of({ t: { type: 'array', prefixItems: [{ type: 'string' }], unevaluatedItems: false } }),
    accepts: [{ t: ['a'] }],
  },
  'a tuple with a rest': {
    schema: of({ t: { prefixItems: [{ type: 'string' }], items: { type: 'number' } } }),
    accepts: [{ t: ['a', 1, 2] }, { t: ['a'] }],
  },
  'an open tuple': {
    schema: of({ t: { type: 'array', prefixItems: [{ type: 'string' }] } }),
    accepts: [{ t: ['a', null] }],
  },
  'a tuple of draft-07': {
    schema: as({
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...of({ t: { type: 'array', items: [{ type: 'string' }, true], additionalItems: { type: 'null' } } }),
    }),
    accepts: [{ t: ['a', 1, null] }],
  },
  'an empty array': { schema: of({ t: { type: 'array', items: false } }), accepts: [{ t: [] }] },
  'arrays without items': {
    schema: of({ a: { type: 'array' }, b: { type: ['array', 'null'] } }),
    accepts: [{ a: [1, 'a'], b: null }],
  },
  flags: {
    schema: of({ a: true, b: false, c: { anyOf: [true, { type: 'string' }] } }),
    accepts: [{ a: 1, c: 2 }],
  },
  'a pattern of PCRE': { schema: of({ a: { pattern: '(?i)^a' } }), accepts: [{ a: 'A' }] },
  'a needless escape': { schema: of({ a: { pattern: String.raw`^\w+\_\-$` } }), accepts: [{ a: 'a_-' }] },
  'a lost patternProperties': {
    schema: of({ a: { patternProperties: { '(?i)^x': { type: 'string' } }, additionalProperties: false } }),
    accepts: [{ a: {} }],
  },
  'the anchors of another language': {
    schema: of({ a: { pattern: String.raw`\A[a-z]+\z` } }),
    accepts: [{ a: 'abc' }],
  },
  'repeated members': {
    schema: of({ a: { enum: ['a', 'b', 'a', { x: 1, y: 2 }, { y: 2, x: 1 }] } }, { required: ['a', 'a'] }),
    accepts: [{ a: 'b' }, { a: { x: 1, y: 2 } }],
  },
  'an empty enum': { schema: of({ a: { enum: [] } }), accepts: [{}] },
  nullable: {
    schema: of({
      a: { type: 'string', nullable: true },
      b: { anyOf: [{ type: 'string' }], nullable: true },
      c: { type: 'string', enum: ['x'], nullable: true },
      d: { type: 'string', enum: ['x', null], nullable: true },
    }),
    accepts: [{ a: null, b: 'x', c: 'x', d: null }],
  },
  'keywords of the wrong kind': {
    schema: of({
      a: { type: 'string', id: 'x', description: null, examples: 'e', $async: true, readOnly: 'x' },
    }),
    accepts: [{ a: 'x' }],
  },
  'names in place of paths': {
    schema: as({
      $id: 'https://example.com/task',
      ...of({ a: { $ref: '#task' }, b: { $ref: 'https://example.com/inner' }, c: { $dynamicRef: '#node' } }),
      $defs: {
        task: { $anchor: 'task', type: 'string' },
        'in/ner': {
          $id: 'https://example.com/inner',
          allOf: [{ $ref: '#/$defs/deep' }],
          $defs: { deep: { type: 'number' } },
        },
        node: { $dynamicAnchor: 'node', type: 'object', properties: { next: { $dynamicRef: '#node' } } },
      },
    }),
    accepts: [{ a: 'x', b: 1, c: { next: { next: {} } } }],
  },
  'an anchor of draft-07': {
    schema: as({
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...of({ a: { $ref: '#task' } }),
      definitions: { task: { $id: '#task', type: 'string' } },
    }),
    accepts: [{ a: 'x' }],
  },
  'Zod 4': {
    schema: z.object({
      t: z.tuple([z.string(), z.number()]),
      r: z.tuple([z.string()], z.number()),
      n: z.array(z.any()),
      slug: z.string().regex(/^[\w-.]+_$/),
      date: z.date().optional(),
      big: z.bigint().optional(),
    }),
    accepts: [{ t: ['a', 1], r: ['a', 1, 2], n: [1], slug: 'a.b_' }],
  },
  'Zod 3': {
    schema: z3.object({
      t: z3.tuple([z3.string(), z3.number()]),
      r: z3.tuple([z3.string()]).rest(z3.number()),
      n: z3.array(z3.any()),
      slug: z3.string().regex(/^[\w-.]+$/),
    }),
    accepts: [{ t: ['a', 1], r: ['a', 1, 2], n: [1], slug: 'a.b' }],
  },
  Valibot: {
    schema: v.object({
      t: v.strictTuple([v.string(), v.number()]),
      r: v.tupleWithRest([v.string()], v.number()),
      n: v.array(v.any()),
    }),
    accepts: [{ t: ['a', 1], r: ['a', 1, 2], n: [1] }],
  },
  ArkType: {
    schema: type({ t: ['string', 'number'], r: ['string', '...', 'number[]'], n: 'unknown[]' }),
    accepts: [{ t: ['a', 1], r: ['a', 1, 2], n: [1] }],
  },
  'flags of expressions': {
    schema: z.object({
      a: z.string().regex(/^a$/i),
      b: z.string().regex(/^a.b$/s).regex(/b/),
    }),
    accepts: [{ a: 'A', b: 'a\nb' }],
  },
  'flags of expressions in Zod 3': {
    schema: z3.object({ a: z3.string().regex(/^a$/i) }),
    accepts: [{ a: 'A' }],
  },
  'flags of expressions in Valibot': {
    schema: v.object({ a: v.pipe(v.string(), v.minLength(1), v.regex(/^a$/i)) }),
    accepts: [{ a: 'A' }],
  },
  'a root union': {
    schema: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), size: z.number() }),
      z.object({ kind: z.literal('b'), tags: z.array(z.string()), size: z.string().optional() }),
    ]),
    accepts: [
      { kind: 'a', size: 1 },
      { kind: 'b', tags: [], size: 'x' },
    ],
  },
}

describe.each(Object.entries(cases))('%s', (_, { schema, accepts }) => {
  it.each(Object.entries(readers))('is read by %s', (__, read) => {
    for (const { json } of [input(schema), output(schema)]) {
      const matches = read(json)
      for (const value of accepts) expect({ value, valid: matches(value) }).toEqual({ value, valid: true })
    }
  })

  it('accepts values that it describes', () => {
    for (const value of accepts) expect(outcome(input(schema), value)).toEqual(value)
  })

  it('has `items` for every array, and objects for all properties', () => {
    expect(unreadable(input(schema).json)).toEqual([])
  })
})

/** Whether there are arrays without `items`, or booleans in place of properties. */
function unreadable(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, items, properties } = schema as JsonObject
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'))
  const lacksItems = isArray && (typeof items !== 'object' || items === null)
  const flags = Object.values((properties ?? {}) as object).filter((one) => typeof one === 'boolean')
  return [...(lacksItems ? [schema] : []), ...flags, ...Object.values(schema).flatMap(unreadable)]
}

describe('a tuple', () => {
  const tuple = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }

  it('is validated as written', () => {
    const compiled = input(of({ t: tuple }))
    expect(outcome(compiled, { t: [1, 'a'] })).toMatch(/^t\[0\]: expected string/)
    expect(outcome(compiled, { t: ['a', 1, 2] })).toMatch(/^t: /)
  })

  it('in nested tuples does not double at each level', () => {
    let deep: object = { type: 'string' }
    for (let level = 0; level < 30; level++)
      deep = { type: 'array', prefixItems: [deep], items: { type: 'number' } }
    expect(JSON.stringify(input(of({ deep })).json).length).toBeLessThan(100_000)
  })
})

describe('a root union', () => {
  it('gives each merged property the types of its branches', () => {
    const { json } = input((cases['a root union'] as Case).schema)
    expect(json.properties).toEqual({
      kind: { type: 'string', enum: ['a', 'b'] },
      size: { type: ['number', 'string'] },
      tags: { type: 'array', items: { type: 'string' } },
    })
  })
})

describe('a constraint that has to be left out', () => {
  const unreadable = '(?i)^x'
  const inner = { patternProperties: { [unreadable]: { type: 'string' } } }

  it('does not remove other constraints', () => {
    for (const closed of [{ additionalProperties: false }, { unevaluatedProperties: false }]) {
      const compiled = input(of({ a: { ...inner, ...closed, properties: { known: {} } } }))
      expect(outcome(compiled, { a: { known: 1 } })).toEqual({ a: { known: 1 } })
      expect(outcome(compiled, { a: { other: 1 } })).toMatch(/^a\.?.*unknown key/)
      expect(outcome(compiled, { a: { x1: 'text' } })).toMatch(/^a\.?.*unknown key/) // in doubt refused
    }
    const typed = input(of({ a: { ...inner, additionalProperties: { type: 'number' } } }))
    expect(outcome(typed, { a: { other: 'text' } })).toMatch(/^a\.other: expected number/)
    expect(outcome(input(of({ a: inner })), { a: { other: 1 } })).toEqual({ a: { other: 1 } })
  })

  it('is published without `additionalProperties` for a library', () => {
    const converts = {
      vendor: 'own',
      toJsonSchema: () => of({ a: { ...inner, additionalProperties: false } }),
    }
    const schema = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } }
    const compiled = input(schema as never, { support: [converts] })
    expect(compiled.json.properties).toEqual({ a: {} })
    expect(outcome(compiled, { a: { X1: 'text' } })).toEqual({ a: { X1: 'text' } })
  })

  it('is kept if only its anchors differ from ECMAScript', () => {
    const compiled = input(
      of({
        a: { pattern: String.raw`\A[a-z]+\z` },
        b: { patternProperties: { '\\Ax\\Z': { type: 'string' } } },
      }),
    )
    expect(outcome(compiled, { a: '1abc' })).toMatch(/^a: /)
    expect(outcome(compiled, { a: 'abc', b: { x: 1 } })).toMatch(/^b\.x: /)
    expect(outcome(input(of({ a: { pattern: String.raw`^a\\z` } })), { a: 'az' })).toMatch(/^a: /)
  })

  it('is not an `enum` without null', () => {
    const compiled = input(of({ a: { type: 'string', enum: ['x'], nullable: true } }))
    expect(outcome(compiled, { a: null })).toMatch(/^a: /)
    expect(compiled.json.properties).toEqual({ a: { type: ['string', 'null'], enum: ['x'] } })
  })
})

describe('changes of a hand-written schema', () => {
  it('cause one warning for the tool', () => {
    warnings.length = 0
    input(of({ a: { type: 'array' }, b: { enum: [1, 1] }, c: { pattern: '(?i)a' } }))
    expect(warnings).toEqual([
      expect.stringMatching(
        /^tool "t": in its `input` schema, repeated members of `enum` are left out; the pattern "\(\?i\)a" is left out: .*; arrays without `items`/,
      ),
    ])
  })

  it('are not needed if every client can read it', () => {
    warnings.length = 0
    input(of({ a: { type: 'array', items: { type: 'string' } }, b: { enum: [1, 2], default: 2 } }))
    expect(warnings).toEqual([])
  })
})

describe('a default that does not match its schema', () => {
  const refused: readonly [name: string, property: JsonObject][] = [
    ['another type', { type: 'integer', default: '10' }],
    ['no member', { type: 'string', enum: ['asc', 'desc'], default: '' }],
    ['null', { type: 'string', format: 'date-time', default: null }],
    ['another constant', { const: 'a', default: 'b' }],
    ['out of range', { type: 'number', maximum: 100, default: 1000 }],
    ['too short', { type: 'string', minLength: 1, default: '' }],
    ['no match', { type: 'string', pattern: '^a', default: 'b' }],
    ['a bad item', { type: 'array', items: { type: 'string' }, default: [1] }],
    ['too few items', { type: 'array', items: {}, minItems: 1, default: [] }],
    ['a bad member', { type: 'object', properties: { a: { type: 'string' } }, default: { a: 1 } }],
    ['a lacking member', { type: 'object', properties: { a: {} }, required: ['a'], default: {} }],
    ['no alternative', { anyOf: [{ type: 'string' }, { type: 'number' }], default: true }],
    ['a reference', { $ref: '#/$defs/size', default: 'xl' }],
    ['a part', { allOf: [{ type: 'string' }], default: 1 }],
  ]
  const $defs = { size: { enum: ['s', 'm'] } }

  it.each(refused)('is left out with a warning: %s', (_, property) => {
    warnings.length = 0
    const { default: __, ...without } = property
    const compiled = input(of({ x: property, y: {} }, { $defs }))
    expect(compiled.json.properties).toEqual({ x: without, y: {} })
    expect(warnings).toEqual([
      expect.stringContaining("defaults that don't match their own schema are left out: x"),
    ])
    expect(outcome(compiled, { y: 1 })).toEqual({ y: 1 })
    expect(outcome(output(of({ x: property }, { $defs })), {})).toEqual({})
  })

  it('stays if it matches, also with defaults of its members', () => {
    const property = { type: 'object', properties: { a: { default: 1 } }, required: ['a'], default: {} }
    expect(outcome(input(of({ x: property })), {})).toEqual({ x: { a: 1 } })
  })

  it('is converted to the type of the schema if all values are strings', () => {
    const schema = of({ limit: { type: 'integer', default: '10' }, sort: { enum: ['a'], default: '' } })
    expect(outcome(input(schema, { coerceStrings: true }), {})).toEqual({ limit: 10 })
  })

  it('is not published for a library that applies it after a conversion', () => {
    const schema = z.object({
      length: z.string().transform(Number).default(3),
      plain: z.string().default('x'),
    })
    expect(input(schema).json.properties).toEqual({
      length: { type: 'string' },
      plain: { type: 'string', default: 'x' },
    })
    expect(outcome(input(schema), {})).toEqual({ length: 3, plain: 'x' })
  })
})

describe('any schema of these keywords', () => {
  const scalar = fc.constantFrom<unknown>('a', 1, 1.5, null, true, '', 'b')
  const pattern = fc.constantFrom('^a', '(?i)a', String.raw`\_`, '[', 'a*')
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      fc.record(
        {
          type: fc.constantFrom<unknown>('string', 'array', 'object', 'integer', ['array', 'null']),
          enum: fc.array(scalar, { maxLength: 3 }),
          default: scalar,
          pattern,
          nullable: fc.boolean(),
          title: fc.constantFrom<unknown>('t', null),
          properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
          patternProperties: fc.dictionary(pattern, tie('schema')),
          additionalProperties: tie('schema'),
          required: fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
          prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          items: tie('schema'),
          anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          not: tie('schema'),
        },
        { requiredKeys: [] },
      ),
    ),
  }))
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }))),
  )

  it('compiles everywhere, and accepts at least the values that we accept', () => {
    const holds = fc.property(schema, fc.array(value, { maxLength: 10 }), (inner, values) => {
      const compiled = output(of({ x: inner }))
      const matches = Object.entries(readers).map(([name, read]) => ({ name, match: read(compiled.json) }))
      const accepted = values
        .map((one) => outcome(compiled, { x: one }))
        .filter((one) => typeof one === 'object')
      for (const one of accepted) {
        expect(matches.filter(({ match }) => !match(one)).map(({ name }) => name)).toEqual([])
      }
    })
    fc.assert(holds, { numRuns: 50 })
  }, 60_000)
})
