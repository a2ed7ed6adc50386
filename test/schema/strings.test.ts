import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import { assertAcceptsStrings, promptArguments } from '../../src/schema/index.js'
import type { Schema } from '../../src/schema/types.js'
import { input } from './support.js'

const owner = 'prompt "p"'

/** Adds a prompt with this schema. */
function add(schema: Schema): void {
  assertAcceptsStrings(input(schema, { owner, coerceStrings: true }), owner)
}

const date = z.date()

const refused: Record<string, Schema> = {
  'z.number': z.object({ a: z.number() }),
  'z.number optional': z.object({ a: z.number().optional() }),
  'z.number in words of its own': z.object({ a: z.number('a number, please') }),
  'z.number within bounds': z.object({ a: z.number().min(1000).max(2000) }),
  'z.number nullable': z.object({ a: z.number().nullable() }),
  'z.number beside others': z.object({ ok: z.string(), a: z.number(), b: z.string().optional() }),
  'z.int': z.object({ a: z.int() }),
  'z.boolean': z.object({ a: z.boolean().default(false) }),
  'z.literal': z.object({ a: z.literal(3) }),
  'z.date': z.object({ a: date }),
  'z.date optional': z.object({ a: date.optional() }),
  'z.date nullable': z.object({ a: date.nullable() }),
  'z.date default': z.object({ a: date.default(new Date(0)) }),
  'z.array': z.object({ a: z.array(z.string()) }),
  'z.object': z.object({ a: z.object({ b: z.number() }) }),
  'zod 3 number': z3.object({ a: z3.number() }),
  'zod 3 date': z3.object({ a: z3.date().optional() }),
  'v.number': v.object({ a: v.number() }),
  'v.date': v.object({ a: v.optional(v.date()) }),
  'ark number': type({ a: 'number' }),
  'ark Date': type({ 'a?': 'Date' }),
  'json array': { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } } as Schema,
  'json object': { type: 'object', properties: { a: { type: 'object' } } } as Schema,
}

const accepted: Record<string, Schema> = {
  'z.string': z.object({ a: z.string() }),
  'z.coerce.number': z.object({ a: z.coerce.number() }),
  'z.coerce.number optional': z.object({ a: z.coerce.number().int().min(1000).max(2000).optional() }),
  'z.coerce.number multiples': z.object({ a: z.coerce.number().min(100).multipleOf(7) }),
  'z.coerce.number nobody passes': z.object({ a: z.coerce.number().refine(() => false) }),
  'z.coerce.date': z.object({ a: z.coerce.date() }),
  'z.coerce.date with bounds': z.object({ a: z.coerce.date().min(new Date()) }),
  'z.coerce.boolean': z.object({ a: z.coerce.boolean() }),
  'z.stringbool': z.object({ a: z.stringbool() }),
  'a picky pattern': z.object({ a: z.string().regex(/^TASK-\d{7}$/) }),
  'a picky refinement': z.object({ a: z.string().refine(() => false) }),
  'z.enum': z.object({ a: z.enum(['x', 'y']) }),
  'z.iso.datetime': z.object({ a: z.iso.datetime() }),
  'z.union': z.object({ a: z.union([z.string(), z.number()]) }),
  'z.transform': z.object({ a: z.string().transform(Number) }),
  'z.preprocess': z.object({ a: z.preprocess((text) => JSON.parse(String(text)), z.array(z.number())) }),
  'z.any': z.object({ a: z.any() }),
  'z.bigint, of which nothing is known': z.object({ a: z.coerce.bigint() }),
  'a schema that throws': z.object({
    a: z.coerce.number().transform(() => {
      throw new Error('not now')
    }),
  }),
  'an asynchronous schema': z.object({ a: z.coerce.number().refine(async () => false) }),
  'an asynchronous schema of another type': z.object({ a: z.number().refine(async () => false) }),
  'zod 3 coerce': z3.object({ a: z3.coerce.number().min(5), b: z3.coerce.date() }),
  'v.toNumber': v.object({ a: v.pipe(v.string(), v.transform(Number)) }),
  'v.isoTimestamp': v.object({ a: v.pipe(v.string(), v.isoTimestamp()) }),
  'v.isoDateTime': v.object({ a: v.pipe(v.string(), v.isoDateTime()) }),
  'ark parse': type({ a: 'string.numeric.parse', b: 'string.date.parse', c: 'string.date.iso' }),
  'json numbers': {
    type: 'object',
    properties: { a: { type: 'integer', minimum: 50 }, b: { type: 'boolean' } },
  } as Schema,
  'json enum': {
    type: 'object',
    properties: { a: { enum: ['x'] }, d: { type: 'string', format: 'date-time' } },
  } as Schema,
}

/** A schema of an unknown library, with custom code. */
const own = (json: object, validate: (value: unknown) => unknown): Schema =>
  ({
    '~standard': {
      version: 1,
      vendor: 'own',
      validate,
      jsonSchema: { input: () => json, output: () => json },
    },
  }) as never
const numbers = { type: 'object', properties: { a: { type: 'number' } } }
accepted['a schema whose own code throws'] = own(numbers, () => {
  throw new Error('not now')
})
accepted['a schema whose own code rejects'] = own(numbers, () => Promise.reject(new Error('not now')))
accepted['a constant of text'] = own({ type: 'object', properties: { a: { const: 'x' } } }, () => ({
  issues: [],
}))
accepted.anything = own({ type: 'object', properties: { a: true } }, () => ({ issues: [] }))

describe('a prompt must accept strings', () => {
  it.each(Object.entries(refused))('refused: %s', (_, schema) => {
    expect(() => add(schema)).toThrow(/^prompt "p": its argument "a" does not accept strings/)
  })

  it.each(Object.entries(accepted))('accepted: %s', (_, schema) => {
    expect(() => add(schema)).not.toThrow()
  })
})

describe('promptArguments', () => {
  it('are required if all alternatives, or one of several combined schemas, require them', () => {
    const needs = (...required: string[]) => ({ type: 'object', required })
    const properties = { a: {}, b: {}, c: {} }
    const json = { properties, allOf: [needs('a'), true], anyOf: [needs('b', 'c'), needs('b'), false] }
    const required = promptArguments(json as never).filter((one) => one.required === true)
    expect(required.map(({ name }) => name)).toEqual(['a'])
  })

  it('lists names, titles, descriptions and required arguments', () => {
    const schema = z.object({
      id: z.string().describe('which task').meta({ title: 'Task' }),
      style: z.string().optional(),
      constructor: z.string().optional(),
    })
    expect(promptArguments(input(schema).json)).toEqual([
      { name: 'id', description: 'which task', title: 'Task', required: true },
      { name: 'style' },
      { name: 'constructor' },
    ])
    expect(promptArguments(input(z.object({})).json)).toEqual([])
  })

  it('reads unions', () => {
    const schema = z.union([
      z.object({ id: z.string().describe('by number'), tone: z.string() }),
      z.object({ title: z.string().describe('by title'), tone: z.string() }),
    ])
    expect(promptArguments(input(schema).json)).toEqual([
      { name: 'id', description: 'by number' },
      { name: 'tone', required: true },
      { name: 'title', description: 'by title' },
    ])
  })
})
