import { type } from 'arktype'
import * as v from 'valibot'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import type { Schema } from '../../src/schema/types.js'
import { input, warnings } from './support.js'

beforeEach(() => void warnings.splice(0))

const only: Record<string, Schema> = {
  'zod 4': z.object({ id: z.string(), due: z.date() }),
  'zod 4, optional': z.object({ due: z.date().optional() }),
  'zod 3': z3.object({ id: z3.string(), due: z3.date() }),
  valibot: v.object({ id: v.string(), due: v.date() }),
  arktype: type({ id: 'string', due: 'Date' }),
}

const fromText: Record<string, Schema> = {
  'zod 4, coerced': z.object({ id: z.string(), due: z.coerce.date() }),
  'zod 4, text': z.object({ due: z.iso.datetime() }),
  'zod 4, text without parts of seconds': z.object({ due: z.iso.datetime({ precision: 0 }) }),
  'zod 4, local text': z.object({ due: z.iso.datetime({ local: true }) }),
  'zod 4, a choice': z.object({ due: z.union([z.date(), z.iso.datetime()]) }),
  'zod 3, coerced': z3.object({ due: z3.coerce.date() }),
  'valibot, made of text': v.object({ due: v.pipe(v.string(), v.toDate()) }),
  'arktype, parsed': type({ due: 'string.date.iso.parse' }),
  'zod 4, where it cannot be told at once': z.object({
    id: z
      .string()
      .optional()
      .refine(async () => true),
    due: z.date(),
  }),
}

const due = { type: 'object', properties: { due: { type: 'string', format: 'date-time' } } }
const own = (validate: (value: unknown) => unknown): Schema =>
  ({
    '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input: () => due, output: () => due } },
  }) as never
fromText['a schema whose own code throws'] = own(() => {
  throw new Error('not now')
})
fromText['a schema whose own code rejects'] = own(() => Promise.reject(new Error('not now')))

describe('arguments that clients cannot send', () => {
  it.each(Object.entries(only))('cause a warning: %s', (_, schema) => {
    input(schema)
    expect(warnings.join()).toContain(`tool "t": "due" accepts only a Date, which clients can't send`)
  })

  it.each(Object.entries(fromText))('do not include schemas that convert text: %s', (_, schema) => {
    input(schema)
    expect(warnings).toEqual([])
  })
})
