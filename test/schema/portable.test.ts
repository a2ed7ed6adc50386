import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Schema } from '../../src/schema/types.js'
import { input, outcome } from './support.js'

// Workers, Deno, browsers: nothing loads by itself there.
vi.mock('#runtime', () => import('../../src/support/portable-runtime.js'))

it('supports schemas that convert themselves', () => {
  expect(outcome(input(z.object({ a: z.string() })), { a: 'x' })).toEqual({ a: 'x' })
})

it('explains what to pass for other schemas', () => {
  expect(() => input(v.object({}))).toThrow(
    /tool "t": .*pass \{ vendor: "valibot", toJsonSchema \} in the router option `schemas`/,
  )
})

it('validates hand-written schemas without Ajv', () => {
  const properties = { n: { type: 'integer', default: 3 }, s: { type: 'string', maxLength: 3 } }
  const written = input({ type: 'object', properties, required: ['s'] } as Schema)
  expect(outcome(written, { s: 'abc' })).toEqual({ n: 3, s: 'abc' })
  expect(outcome(written, { n: 'x', s: 'abcd' })).toBe(
    'n: expected integer, got "x"; s: must NOT have more than 3 characters',
  )
  expect(
    outcome(input({ type: 'object', properties } as Schema, { coerceStrings: true }), { n: '5' }),
  ).toEqual({
    n: 5,
  })
  const endless = input({ type: 'object', allOf: [{ $ref: '#' }] } as Schema)
  expect(() => endless.check({})).toThrow(/^tool "t": its JSON Schema cannot be compiled: .*lead back/)
})

it('and takes it', () => {
  const support = [
    {
      vendor: 'valibot',
      toJsonSchema: (schema: unknown, typeMode: 'input' | 'output') =>
        toJsonSchema(schema as v.GenericSchema, { typeMode }),
    },
    { compile: () => (value: unknown) => ({ value }) },
  ]
  expect(input(v.object({ a: v.string() }), { support }).json).toMatchObject({
    properties: { a: { type: 'string' } },
  })
  expect(outcome(input({ type: 'object' }, { support }), { a: 1 })).toEqual({ a: 1 })
})
