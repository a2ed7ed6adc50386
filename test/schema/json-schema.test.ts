import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import type { Schema } from '../../src/schema/types.js'
import { stopwatch } from '../support/time.js'
import { input, outcome, output } from './support.js'

// biome-ignore-start lint/suspicious/noThenProperty: `then` is a keyword
const everything = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    id: { $ref: '#/$defs/id' },
    parent: { $ref: '#/$defs/task' },
    when: { type: 'string', format: 'date-time' },
    pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: {}, maxItems: 2 },
  },
  required: ['id'],
  allOf: [{ if: { required: ['when'] }, then: { required: ['pair'] }, else: true }],
  $defs: { id: { type: 'integer', minimum: 1 }, task: { type: 'object' } },
  'x-anything': { kept: true },
} as const
// biome-ignore-end lint/suspicious/noThenProperty: `then` is a keyword

describe('a hand-written schema', () => {
  it('is published unchanged', () => {
    expect(input(everything).json).toEqual(everything)
    expect(JSON.stringify(input(everything).json)).toBe(JSON.stringify(everything))
  })

  it('does not change with the original', () => {
    const mine = { type: 'object', properties: { a: { type: 'string' } } }
    const compiled = input(mine)
    mine.properties.a.type = 'number'
    expect(compiled.json).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
    expect(outcome(compiled, { a: 'x' })).toEqual({ a: 'x' })
  })

  it('is validated completely', () => {
    const compiled = input(everything)
    expect(outcome(compiled, { id: 1 })).toEqual({ id: 1 })
    expect(outcome(compiled, { id: 0 })).toBe('id: must be >= 1')
    expect(outcome(compiled, { id: 1, parent: 3 })).toBe('parent: expected object, got 3')
    expect(outcome(compiled, { id: 1, when: 'x' })).toMatch(/^pair: required, but missing/)
    expect(outcome(compiled, { id: 1, pair: ['a', 'b'] })).toBe('pair[1]: expected number, got "b"')
  })

  it('applies defaults to a copy', () => {
    const compiled = input({
      type: 'object',
      properties: {
        page: { type: 'object', default: {}, properties: { size: { type: 'integer', default: 20 } } },
      },
    } as Schema)
    const mine = { page: {} }
    expect(outcome(compiled, mine)).toEqual({ page: { size: 20 } })
    expect(mine).toEqual({ page: {} })
    expect(outcome(compiled, {})).toEqual({ page: { size: 20 } })
  })

  it('reports all errors, up to a limit', () => {
    const compiled = input({
      type: 'object',
      properties: {
        n: { type: ['integer', 'null'], maximum: 100 },
        s: { enum: ['open', 'done'] },
        k: { const: 'x' },
        'a/b': { type: 'array', items: { type: 'string' } },
        inner: { type: 'object', properties: { title: {} }, additionalProperties: false },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        one: { oneOf: [{ type: 'number' }, { type: 'integer' }] },
        whole: { type: 'object', properties: { title: {} }, unevaluatedProperties: false },
        many: { enum: Array.from({ length: 30 }, (_, value) => value) },
      },
      dependentRequired: { cash: ['change'] },
      required: ['n'],
    } as Schema)
    expect(outcome(compiled, {})).toBe('n: required, but missing')
    expect(outcome(compiled, { n: 'a', s: 'opne', k: 1 })).toBe(
      'n: expected integer or null, got "a"; s: expected one of "open", "done", got "opne"; k: expected "x", got 1',
    )
    expect(outcome(compiled, { n: 1, 'a/b': ['x', 2] })).toBe('a/b[1]: expected string, got 2')
    expect(outcome(compiled, { n: 1, inner: { titel: 1 } })).toBe(
      'inner.titel: unknown key; did you mean "title"?',
    )
    expect(outcome(compiled, { n: 1, either: true })).toMatch(/matches none of the alternatives/)
    expect(outcome(compiled, { n: 1, one: 5 })).toBe('one: must match exactly one of the alternatives')
    expect(outcome(compiled, { n: 1, s: 'open', either: 'x', cash: 1 })).toBe(
      'change: required together with cash, but missing',
    )
    expect(outcome(compiled, { n: 1, whole: { titel: 1 } })).toBe(
      'whole.titel: unknown key; did you mean "title"?',
    )
    const many = outcome(compiled, { n: 1, many: 'x' }) as string
    expect(many).toMatch(/^many: expected one of 0, 1, .*18, 19, …, got "x"$/)
    const flood = outcome(compiled, { n: 1, 'a/b': Array.from({ length: 10_000 }, () => 1) }) as string
    expect(flood.length).toBeLessThan(2_000)
  })

  it('of draft-07 is validated as draft-07', () => {
    const compiled = input({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        pair: {
          type: 'array',
          items: [{ type: 'string' }, { $ref: '#/definitions/n' }],
          additionalItems: false,
        },
      },
      dependencies: { pair: ['other'] },
      definitions: { n: { type: 'number' } },
    } as Schema)
    expect(compiled.json.$schema).toBe('http://json-schema.org/draft-07/schema#')
    expect(outcome(compiled, { pair: ['a', 1], other: 1 })).toEqual({ pair: ['a', 1], other: 1 })
    expect(outcome(compiled, { pair: ['a', 'b'], other: 1 })).toBe('pair[1]: expected number, got "b"')
  })

  it('may be recursive', () => {
    const compiled = input({
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    } as Schema)
    expect(outcome(compiled, { name: 'a', children: [{ name: 1 }] })).toBe(
      'children[0].name: expected string, got 1',
    )
  })

  it('may have the same $id as another', () => {
    const named = (type: string): Schema =>
      ({
        $id: 'https://example.com/same',
        type: 'object',
        properties: {
          a: { $ref: 'https://example.com/inner' },
          self: { $ref: '#' },
          there: { $ref: '#there' },
        },
        $defs: { inner: { $id: 'https://example.com/inner', type }, there: { $anchor: 'there', type } },
      }) as Schema
    const one = input(named('string'))
    const two = input(named('number'))
    for (const value of [{ a: 'x' }, { there: 'x' }, { self: { self: { a: 'x' } } }]) {
      expect(outcome(one, value)).toEqual(value)
      expect(outcome(two, value)).toMatch(/expected number, got "x"/)
    }
  })

  it('treats names in Object.prototype as ordinary keys', () => {
    const compiled = input({
      type: 'object',
      properties: { a: {} },
      additionalProperties: { type: 'object' },
    } as Schema)
    const value = outcome(
      compiled,
      JSON.parse('{"__proto__":{"polluted":true},"constructor":{"x":1}}'),
    ) as object
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('changes only if the definition says so', () => {
    const schema = { type: 'object', properties: { limit: { type: 'number' } } } as const
    expect(outcome(input(schema), { limitt: 1 })).toEqual({ limitt: 1 })
    const rejecting = input(schema, { unknownArguments: 'reject' })
    expect(rejecting.json).toEqual({ ...schema, additionalProperties: false })
    expect(outcome(rejecting, { limitt: 1 })).toBe('limitt: unknown key; did you mean "limit"?')
    expect(outcome(input(schema, { unknownArguments: 'strip' }), { limitt: 1 })).toEqual({})
    const conditional = {
      type: 'object',
      properties: { a: {}, b: {} },
      anyOf: [{ required: ['a'] }, { required: ['b'], properties: { c: {} } }],
    } as Schema
    const closed = input(conditional, { unknownArguments: 'reject' })
    expect(closed.json).toMatchObject({ properties: { a: {}, b: {}, c: {} }, additionalProperties: false })
    expect(outcome(closed, { b: 1, c: 1 })).toEqual({ b: 1, c: 1 })
    expect(outcome(closed, { b: 1, d: 1 })).toMatch(/^d: unknown key/)
  })

  it('converts values that are sent as strings', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'integer' }, all: { type: 'boolean' } },
    } as const
    expect(outcome(input(schema, { coerceStrings: true }), { id: '3', all: 'true' })).toEqual({
      id: 3,
      all: true,
    })
    expect(outcome(input(schema, { coerceStrings: true }), { id: 'x' })).toBe('id: expected integer, got "x"')
    expect(outcome(input(schema), { id: '3' })).toBe('id: expected integer, got "3"')
  })
})

describe('an output', () => {
  it('is validated as its JSON', () => {
    const compiled = output({
      type: 'object',
      properties: { at: { type: 'string' }, note: { type: 'string' } },
      required: ['at'],
    } as Schema)
    const row = { at: new Date(0), note: undefined, toString: () => 'x' }
    expect(outcome(compiled, row)).toEqual({ at: '1970-01-01T00:00:00.000Z' })
    expect(outcome(compiled, { toJSON: () => ({ at: 'now' }) })).toEqual({ at: 'now' })
  })

  it('that refers to itself is an issue rather than a crash', () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    expect(outcome(output({ type: 'object' }), cycle)).toMatch(/cannot be written as JSON: .*itself/)
    expect(outcome(output({ type: 'array', items: { type: 'integer' } }), [1n])).toBe(
      '[0]: expected integer, got 1',
    )
  })

  it('may have any root', () => {
    expect(outcome(output({ type: 'array', items: { type: 'string' } }), ['a'])).toEqual(['a'])
    expect(outcome(output({ enum: [1, 2] }), 3)).toBe('expected one of 1, 2, got 3')
  })
})

describe('rejected with its name when it is added', () => {
  const cases: [string, unknown, RegExp][] = [
    ['nothing', undefined, /must be a schema of a library or a JSON Schema object, got nothing/],
    ['a boolean', true, /got true/],
    ['an array', [], /got an array/],
    ['no root type', { properties: {} }, /must say type: "object" at its root.* got|its type is nothing/],
    ['another root type', { type: 'string' }, /type is "string"/],
    [
      'a wrong type',
      { type: 'object', properties: { a: { type: 'strin' } } },
      /expected type to be a JSON type .* got "strin", at properties\.a/,
    ],
    [
      'properties as a list',
      { type: 'object', properties: [] },
      /expected properties to be an object of schemas, got an array/,
    ],
    [
      'a property that is none',
      { type: 'object', properties: { a: 'string' } },
      /expected a schema .* got "string", at properties\.a/,
    ],
    [
      'required as a boolean',
      { type: 'object', properties: { a: { required: true } } },
      /expected required to be a list of property names, got true/,
    ],
    ['anyOf as an object', { type: 'object', anyOf: {} }, /expected anyOf to be a list of schemas/],
    ['old tuples', { type: 'object', properties: { a: { items: [{}] } } }, /prefixItems/],
    [
      'a pattern that is no text',
      { type: 'object', properties: { a: { pattern: 1 } } },
      /regular expression/,
    ],
    ['a length that is no number', { type: 'object', properties: { a: { minLength: '3' } } }, /whole number/],
    ['an old bound', { type: 'object', properties: { a: { exclusiveMinimum: true } } }, /a number, got true/],
    ['no type at all', { type: 'object', properties: { a: { type: [] } } }, /list of distinct ones/],
    [
      'an unknown dialect',
      { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' },
      /has the \$schema .*supported are/,
    ],
    [
      'a remote reference',
      { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
      /leads outside; only local ones/,
    ],
    ['a file reference', { type: 'object', $defs: { a: { $ref: 'other.json#/x' } } }, /leads outside/],
    [
      'a lost reference',
      { type: 'object', properties: { a: { $ref: '#/$defs/none' } } },
      /"#\/\$defs\/none" leads nowhere/,
    ],
    ['a lost anchor', { type: 'object', properties: { a: { $ref: '#none' } } }, /"#none" leads nowhere/],
    ['a BigInt', { type: 'object', default: 1n }, /cannot be written as JSON/],
    [
      'a plain object of Zod schemas',
      { id: z.string() },
      /plain object with the schema "id" in it; wrap it, as in z\.object/,
    ],
    ['a Zod without ~standard', withoutStandard(z3.object({})), /schema of a Zod before 3\.24; update Zod/],
    ['another library', { validate: () => true, type: 'object' }, /Standard Schema/],
  ]

  it.each(cases)('%s', (_, schema, message) => {
    expect(() => input(schema as Schema)).toThrow(message)
    expect(() => input(schema as Schema)).toThrow(/^tool "t": `input` /)
  })

  it('a cycle, and excessive nesting or repetition', () => {
    const cycle: Record<string, unknown> = { type: 'object' }
    cycle.properties = { a: cycle }
    expect(() => input(cycle as Schema)).toThrow(/cannot be written as JSON/)
    let deep: object = {}
    for (let i = 0; i < 500; i++) deep = { not: deep }
    expect(() => input({ type: 'object', properties: { deep } })).toThrow(/nested deeper than/)
    const wide = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`p${i}`, {}]))
    expect(() => input({ type: 'object', properties: wide })).toThrow(/more than 20000 schemas/)
  })

  it('keyword names are allowed as property names', () => {
    const schema = {
      type: 'object',
      properties: { $ref: { type: 'string' }, required: {}, type: {}, items: {} },
      default: { $ref: 'x' },
    }
    expect(input(schema).json).toEqual(schema)
  })
})

describe('a schema that Ajv rejects', () => {
  it('fails with its name when it is used, without affecting others', () => {
    const broken = input({ type: 'object', properties: { a: { $anchor: 'no name!' } } })
    expect(() => broken.check({})).toThrow(/^tool "t": its JSON Schema cannot be compiled: .*invalid anchor/)
    expect(outcome(input({ type: 'object' }), {})).toEqual({})
  })

  it('or that never terminates', () => {
    const endless = input({ type: 'object', allOf: [{ $ref: '#' }] } as Schema)
    expect(() => endless.check({})).toThrow()
  })
})

function withoutStandard(schema: object): object {
  return { _def: (schema as { _def: unknown })._def, parse: () => {}, safeParse: () => {} }
}

describe('keys that hand-written schemas reject', () => {
  const cases: [string, object, object, boolean][] = [
    [
      'additionalProperties sees its siblings only',
      { properties: { a: {} }, additionalProperties: false, allOf: [{ properties: { b: {} } }] },
      { b: 1 },
      false,
    ],
    [
      'conditions do not open it',
      { properties: { a: {} }, additionalProperties: false, anyOf: [{ required: ['a'] }, {}] },
      { b: 1 },
      false,
    ],
    [
      'unevaluatedProperties sees branches',
      { unevaluatedProperties: false, anyOf: [{ properties: { b: {} } }] },
      { b: 1 },
      true,
    ],
    [
      '… and patterns in them',
      { unevaluatedProperties: false, allOf: [{ patternProperties: { '^x': {} } }] },
      { x1: 1 },
      true,
    ],
    [
      '… and anchors',
      {
        unevaluatedProperties: false,
        $ref: '#base',
        $defs: { base: { $anchor: 'base', properties: { b: {} } } },
      },
      { b: 1 },
      true,
    ],
    [
      '… and paths',
      { unevaluatedProperties: false, $ref: '#/$defs/base', $defs: { base: { properties: { b: {} } } } },
      { b: 1 },
      true,
    ],
    [
      '… and nothing else',
      { unevaluatedProperties: false, $ref: '#/$defs/base', $defs: { base: { properties: { b: {} } } } },
      { c: 1 },
      false,
    ],
    [
      'a reference to itself',
      { properties: { a: {} }, additionalProperties: false, anyOf: [{ $ref: '#' }, { required: ['a'] }] },
      { b: 1 },
      false,
    ],
  ]

  it.each(cases)('%s', (_, schema, value, taken) => {
    const result = outcome(input({ type: 'object', ...schema } as Schema), value)
    expect(result).toEqual(taken ? value : expect.stringMatching(/unknown key/))
  })

  it('are found quickly if all schemas refer to each other', () => {
    const names = Array.from({ length: 30 }, (_, i) => `d${i}`)
    const anyOf = names.map((name) => ({ $ref: `#/$defs/${name}` }))
    const $defs = Object.fromEntries(names.map((name) => [name, { properties: { [name]: {} }, anyOf }]))
    const worked = stopwatch()
    input({ type: 'object', anyOf, $defs } as Schema)
    expect(worked()).toBeLessThan(2_000)
  })
})
