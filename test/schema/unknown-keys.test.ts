import { type } from 'arktype'
import * as v from 'valibot'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as zm from 'zod/mini'
import { z as z3 } from 'zod3'
import type { Schema, StandardSchemaV1 } from '../../src/schema/types.js'
import { input, outcome, warnings } from './support.js'

beforeEach(() => {
  warnings.length = 0
})

/** Schemas that declare `limit` and don't mention other keys. */
const silent: Record<string, Schema> = {
  'zod 4': z.object({ limit: z.number().optional() }),
  'zod mini': zm.object({ limit: zm.optional(zm.number()) }),
  'zod 3': z3.object({ limit: z3.number().optional() }),
  valibot: v.object({ limit: v.optional(v.number()) }),
  arktype: type({ 'limit?': 'number' }),
}

describe.each(Object.entries(silent))('%s without its own rule', (_, schema) => {
  it('rejects by default, naming the key and the nearest one', () => {
    const compiled = input(schema)
    expect(compiled.json.additionalProperties).toBe(false)
    expect(compiled.check({ limitt: 3 })).toEqual({
      issues: [{ path: ['limitt'], message: 'unknown key; did you mean "limit"?' }],
    })
    expect(outcome(compiled, { colour: 3 })).toBe('colour: unknown key; known are limit')
    expect(outcome(compiled, { limit: 3 })).toEqual({ limit: 3 })
  })

  it('strips if the option says so', () => {
    const compiled = input(schema, { unknownArguments: 'strip' })
    expect(compiled.json).not.toHaveProperty('additionalProperties')
    expect(outcome(compiled, { limit: 3, colour: 1 })).toEqual({ limit: 3 })
  })

  it('passes them to the library if the option says so', () => {
    const seen: unknown[] = []
    const validate = (value: unknown) => {
      seen.push(value)
      return { value }
    }
    const spied = { '~standard': { ...(schema as StandardSchemaV1)['~standard'], validate } }
    const compiled = input(spied, { unknownArguments: 'pass', support: [converterOf(schema)] })
    expect(compiled.json).not.toHaveProperty('additionalProperties')
    expect(compiled.check({ limit: 3, colour: 1 })).toEqual({ value: { limit: 3, colour: 1 } })
    expect(seen).toEqual([{ limit: 3, colour: 1 }])
  })

  it('follows the default of the router', () => {
    expect(outcome(input(schema, { defaultUnknownArguments: 'strip' }), { colour: 1 })).toEqual({})
    const own = input(schema, { defaultUnknownArguments: 'strip', unknownArguments: 'reject' })
    expect(outcome(own, { colour: 1 })).toMatch(/^colour: unknown key/)
  })

  it('treats names in Object.prototype as ordinary keys', () => {
    const compiled = input(schema)
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(outcome(compiled, JSON.parse(`{"${key}":{"polluted":true}}`))).toMatch(
        new RegExp(`^${key}: unknown key`),
      )
    }
    const stripped = outcome(
      input(schema, { unknownArguments: 'strip' }),
      JSON.parse('{"limit":1,"__proto__":{"polluted":1}}'),
    )
    expect(stripped).toEqual({ limit: 1 })
    expect((stripped as { polluted?: unknown }).polluted).toBeUndefined()
    input(schema, { unknownArguments: 'pass' }).check(JSON.parse('{"__proto__":{"polluted":true}}'))
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

/** Wraps a spied schema with the published JSON Schema of its original. */
function converterOf(schema: Schema): { vendor: string; toJsonSchema: () => object } {
  const { vendor } = (schema as StandardSchemaV1)['~standard']
  const { additionalProperties, ...json } = input(schema).json
  return { vendor, toJsonSchema: () => json }
}

describe('a schema with its own rule takes precedence', () => {
  const strict: Record<string, Schema> = {
    'z.strictObject': z.strictObject({ limit: z.number().optional() }),
    'zm.strictObject': zm.strictObject({ limit: zm.optional(zm.number()) }),
    'zod 3 strict': z3.object({ limit: z3.number().optional() }).strict(),
    'v.strictObject': v.strictObject({ limit: v.optional(v.number()) }),
    'ark reject': type({ '+': 'reject', 'limit?': 'number' }),
    'json schema': {
      type: 'object',
      properties: { limit: { type: 'number' } },
      additionalProperties: false,
    } as Schema,
  }

  it.each(Object.entries(strict))('strict stays strict: %s', (_, schema) => {
    for (const unknownArguments of ['pass', 'strip', 'reject', undefined] as const) {
      const compiled = input(schema, { unknownArguments })
      expect(compiled.json.additionalProperties).toBe(false)
      expect(outcome(compiled, { limitt: 1 })).toBe('limitt: unknown key; did you mean "limit"?')
    }
  })

  const loose: Record<string, Schema> = {
    'z.looseObject': z.looseObject({ limit: z.number().optional() }),
    'z.catchall': z.object({ limit: z.number().optional() }).catchall(z.number()),
    'z.record': z.record(z.string(), z.number()),
    'z.any': z.any(),
    'zm.looseObject': zm.looseObject({ limit: zm.optional(zm.number()) }),
    'zod 3 passthrough': z3.object({ limit: z3.number().optional() }).passthrough(),
    'zod 3 catchall': z3.object({ limit: z3.number().optional() }).catchall(z3.number()),
    'v.looseObject': v.looseObject({ limit: v.optional(v.number()) }),
    'v.objectWithRest': v.objectWithRest({ limit: v.optional(v.number()) }, v.number()),
    'v.record': v.record(v.string(), v.number()),
    'ark index': type({ '[string]': 'number' }),
    'ark object': type('object'),
    'a loose branch': z.union([z.object({ limit: z.number() }), z.looseObject({ page: z.number() })]),
    'json schema': { type: 'object', additionalProperties: { type: 'number' } } as Schema,
    'json patternProperties': { type: 'object', properties: {}, patternProperties: { '^c': {} } } as Schema,
    'json without properties': { type: 'object' },
  }

  it.each(Object.entries(loose))('loose stays loose: %s', (_, schema) => {
    for (const unknownArguments of ['reject', 'strip', undefined] as const) {
      const compiled = input(schema, { unknownArguments })
      expect(compiled.json.additionalProperties).not.toBe(false)
      expect(outcome(compiled, { page: 2, colour: 1 })).toEqual({ page: 2, colour: 1 })
    }
  })

  it('ArkType that deletes them keeps deleting', () => {
    const compiled = input(type({ '+': 'delete', 'limit?': 'number' }))
    expect(compiled.json.additionalProperties).toEqual({})
    expect(outcome(compiled, { limit: 1, colour: 1 })).toEqual({ limit: 1 })
    const piped = type({ '+': 'delete', 'limit?': 'number' }).pipe((value) => value)
    expect(outcome(input(piped), { colour: 1 })).toEqual({})
  })

  it('nested objects are not checked', () => {
    const compiled = input(z.object({ inner: z.object({ a: z.number() }) }))
    expect(compiled.json.properties).toEqual({
      inner: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    })
    expect(outcome(compiled, { inner: { a: 1, b: 2 } })).toEqual({ inner: { a: 1 } })
  })
})

describe('unions at the root', () => {
  const unions: Record<string, Schema> = {
    'z.union': z.union([z.object({ name: z.string() }), z.object({ limit: z.number() })]),
    'z.discriminatedUnion': z.discriminatedUnion('k', [
      z.object({ k: z.literal('a').optional(), name: z.string() }),
      z.object({ k: z.literal('b'), limit: z.number() }),
    ]),
    'partly strict': z.union([z.object({ name: z.string() }), z.strictObject({ limit: z.number() })]),
    'v.union': v.union([v.object({ name: v.string() }), v.object({ limit: v.number() })]),
    arktype: type({ name: 'string' }).or({ limit: 'number' }),
    'zod 3': z3.union([z3.object({ name: z3.string() }), z3.object({ limit: z3.number() })]),
    nullable: z.object({ name: z.string(), limit: z.number().optional() }).nullable(),
    'v.intersect': v.intersect([v.object({ name: v.string() }), v.object({ limit: v.optional(v.number()) })]),
  }

  it.each(Object.entries(unions))('include the keys of all branches: %s', (_, schema) => {
    const compiled = input(schema)
    expect(compiled.json).toMatchObject({
      type: 'object',
      additionalProperties: false,
      properties: { name: {}, limit: {} },
    })
    expect(outcome(compiled, { name: 'a', limitt: 1 })).toBe('limitt: unknown key; did you mean "limit"?')
    expect(outcome(compiled, { name: 'a' })).toEqual({ name: 'a' })
  })

  it('of strict branches stay unchanged', () => {
    const { json } = input(z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]))
    expect(Object.keys(json)).toEqual(['type', 'anyOf'])
  })
})

describe('keys that clients inject', () => {
  it('are dropped with one warning', () => {
    const compiled = input(z.object({ q: z.string() }))
    const call = {
      q: 'a',
      sessionId: '1',
      action: 'sendMessage',
      chatInput: 'hi',
      toolCallId: 'x',
      tool: 't',
      random_string: '',
    }
    expect(outcome(compiled, call)).toEqual({ q: 'a' })
    expect(outcome(compiled, { q: 'a', wait_for_previous: true, _meta: {} })).toEqual({ q: 'a' })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/^tool "t": dropped arguments .*"sessionId"/)
  })

  it('are kept if the schema declares them or accepts any key', () => {
    expect(outcome(input(z.object({ action: z.string() })), { action: 'go' })).toEqual({ action: 'go' })
    expect(outcome(input(z.record(z.string(), z.any())), { action: 'go' })).toEqual({ action: 'go' })
    expect(warnings).toEqual([])
  })

  it('are dropped from strict and from hand-written schemas too', () => {
    expect(outcome(input(z.strictObject({ q: z.string() })), { q: 'a', sessionId: '1' })).toEqual({ q: 'a' })
    const json = { type: 'object', properties: { q: { type: 'string' } } } as const
    expect(outcome(input(json), { q: 'a', sessionId: '1', other: 2 })).toEqual({ q: 'a', other: 2 })
  })
})

describe('a flood of unknown keys', () => {
  it('causes a short message', () => {
    const names = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`name${i}`, z.string().optional()]),
    )
    const flood = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, i) => [`key${i}${'x'.repeat(50)}`, 1]),
    )
    const text = outcome(input(z.object(names)), { ...flood, ['k'.repeat(1_000_000)]: 1 })
    expect(text).toMatch(/49991 more unknown keys/)
    expect((text as string).length).toBeLessThan(10_000)
  })

  it.each([
    ['taskId', 'task_id'],
    ['TITLE', 'title'],
    ['tilte', 'title'],
    ['descripton', 'description'],
  ])('suggests the closest key: %s → %s', (wrong, right) => {
    const schema = z.object({ task_id: z.any(), title: z.any(), description: z.any(), id: z.any() })
    expect(outcome(input(schema), { [wrong]: 1 })).toBe(`${wrong}: unknown key; did you mean "${right}"?`)
  })
})
