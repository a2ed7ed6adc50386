import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { input, outcome } from './support.js'

// Workers, Deno, browsers: nothing loads by itself there.
vi.mock('#runtime', () => import('../../src/portable.js'))

it('serves what converts itself', () => {
  expect(outcome(input(z.object({ a: z.string() })), { a: 'x' })).toEqual({ a: 'x' })
})

it('says what to pass for the rest', () => {
  expect(() => input(v.object({}))).toThrow(
    /tool "t": .*pass \{ vendor: "valibot", toJsonSchema \} in the router option `schemas`/,
  )
  const written = input({ type: 'object' })
  expect(() => written.check({})).toThrow(/tool "t": .*pass \{ compile \} in the router option `schemas`/)
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
