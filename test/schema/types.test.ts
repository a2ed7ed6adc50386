import { type } from 'arktype'
import * as v from 'valibot'
import { expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as zm from 'zod/mini'
import { z as z3 } from 'zod3'
import type { Accepted, FromJsonSchema, JsonSchema, Parsed, Schema } from '../../src/schema/types.js'

/** Represents every option that accepts a schema. */
function take<const S extends Schema>(schema: S): S {
  return schema
}

it('infers input and output types of every library', () => {
  const zod = take(z.object({ id: z.coerce.number<string>(), limit: z.number().default(3) }))
  expectTypeOf<Parsed<typeof zod>>().toEqualTypeOf<{ id: number; limit: number }>()
  expectTypeOf<Accepted<typeof zod>>().toEqualTypeOf<{ id: string; limit?: number | undefined }>()

  const zod3 = take(z3.object({ limit: z3.number().default(3) }))
  expectTypeOf<Parsed<typeof zod3>>().toEqualTypeOf<{ limit: number }>()
  expectTypeOf<Accepted<typeof zod3>>().toEqualTypeOf<{ limit?: number | undefined }>()

  const mini = take(zm.object({ a: zm.optional(zm.string()) }))
  expectTypeOf<Parsed<typeof mini>>().toEqualTypeOf<{ a?: string | undefined }>()

  const valibot = take(v.object({ a: v.pipe(v.string(), v.transform(Number)) }))
  expectTypeOf<Parsed<typeof valibot>>().toEqualTypeOf<{ a: number }>()
  expectTypeOf<Accepted<typeof valibot>>().toEqualTypeOf<{ a: string }>()

  const ark = take(type({ a: 'string.numeric.parse' }))
  expectTypeOf<Parsed<typeof ark>>().toEqualTypeOf<{ a: number }>()
  expectTypeOf<Accepted<typeof ark>>().toEqualTypeOf<{ a: string }>()
})

it('infers types from JSON Schema literals', () => {
  const json = take({
    type: 'object',
    description: 'A task.',
    properties: {
      id: { type: 'integer' },
      status: { enum: ['open', 'done'] },
      tags: { type: 'array', items: { type: 'string' } },
      kind: { const: 'task' },
      owner: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      any: {},
    },
    required: ['id', 'tags'],
  })
  expectTypeOf<Parsed<typeof json>>().toEqualTypeOf<{
    id: number
    tags: string[]
    status?: 'open' | 'done'
    kind?: 'task'
    owner?: string | null
    any?: unknown
  }>()
  expectTypeOf<FromJsonSchema<{ type: 'object' }>>().toEqualTypeOf<unknown>()
  expectTypeOf<FromJsonSchema<JsonSchema>>().toEqualTypeOf<unknown>()
})

it('rejects values that are not schemas', () => {
  // @ts-expect-error the raw shapes of other packages
  take({ id: z.string() })
  // @ts-expect-error a date is no schema
  take(new Date())
  // @ts-expect-error neither is a function
  take(() => true)
})
