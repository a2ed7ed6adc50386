/**
 * Whatever schema somebody writes: each library accepts what is published for it, and nothing else. Schemas are made
 * at random, the same one in the words of each library, and asked about values that nearly fit.
 */
import Ajv from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../src/schema/types.js'
import { object, objectFor } from './shape-values.js'
import { arktype, build, type ObjectShape, type Shape, valibot, zod3, zod4 } from './shapes.js'
import { input, outcome } from './support.js'

const pairs = object.chain((of) =>
  fc.tuple(
    fc.constant(of),
    fc.array(
      objectFor(of).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
      { minLength: 5, maxLength: 5 },
    ),
  ),
)

/** To Valibot and ArkType an array is an object too, where no field is required. They publish that it is none. */
function isArrayForObject(of: Shape, value: unknown): boolean {
  switch (of.kind) {
    case 'nullable':
      return isArrayForObject(of.of, value)
    case 'list':
      return Array.isArray(value) && value.some((item) => isArrayForObject(of.of, item))
    case 'object':
      return Array.isArray(value) || fieldsOf(of, value).some(([field, own]) => isArrayForObject(field, own))
    default:
      return false
  }
}

function fieldsOf({ fields }: ObjectShape, value: unknown): [Shape, unknown][] {
  const own = Object.entries(fields).filter(([name]) => Object.hasOwn(Object(value), name))
  return own.map(([name, { shape }]) => [shape, (value as Record<string, unknown>)[name]])
}

const exceptions: Record<string, (of: Shape, value: unknown) => boolean> = {
  valibot: isArrayForObject,
  arktype: isArrayForObject,
}

const libraries: Record<string, (of: Shape) => Schema> = {
  'zod 4': (of) => build(zod4, of),
  'zod 3': (of) => build(zod3, of),
  valibot: (of) => build(valibot, of),
  arktype: (of) => build(arktype, of) as unknown as Schema,
}

describe.each(Object.entries(libraries))('a schema of %s', (name, toSchema) => {
  const met = { accepted: 0, refused: 0 }

  it('accepts exactly the values that its published schema accepts', () => {
    const agree = fc.property(pairs, ([of, values]) => {
      const compiled = input(toSchema(of))
      const published = new Ajv.default({ strict: false }).compile(compiled.json)
      for (const value of values) {
        if (exceptions[name]?.(of, value)) continue
        const accepted = typeof outcome(compiled, value) === 'object'
        met[accepted ? 'accepted' : 'refused'] += 1
        expect(accepted, JSON.stringify([compiled.json, value])).toBe(published(value))
      }
    })
    fc.assert(agree, { numRuns: 60 })
    expect(Math.min(met.accepted, met.refused)).toBeGreaterThan(30)
  }, 60_000)
})
