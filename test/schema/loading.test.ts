import { createRequire } from 'node:module'
import * as v from 'valibot'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import * as zm from 'zod/mini'
import { z as z3 } from 'zod3'
import { runtime } from '#runtime'
import type { StandardSchemaV1 } from '../../src/schema/types.js'
import { input, outcome } from './support.js'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Whether a package's code has run in this process. */
function isLoaded(name: string): boolean {
  return Object.keys(createRequire(import.meta.url).cache).some((file) =>
    file.includes(`/node_modules/${name}/`),
  )
}

describe('packages are loaded when they are first needed', () => {
  it('Ajv at the first check of a hand-written schema', () => {
    const schema = input({ type: 'object', properties: { a: { type: 'string' } } })
    outcome(input(z.object({})), {})
    expect(isLoaded('ajv')).toBe(false)
    outcome(schema, { a: 'x' })
    expect(isLoaded('ajv')).toBe(true)
  })

  it('a converter only for schemas that cannot convert themselves', () => {
    const load = vi.spyOn(runtime, 'load')
    input(z.object({}))
    expect(load).not.toHaveBeenCalled()
    input(zm.object({}))
    input(v.object({}))
    input(z3.object({}))
    expect(load.mock.calls.flat()).toEqual(['zod/v4/core', '@valibot/to-json-schema', 'zod-to-json-schema'])
  })

  it('and compiles a schema once', () => {
    const load = vi.spyOn(runtime, 'load')
    const schema = input({ type: 'object' })
    for (let i = 0; i < 3; i++) outcome(schema, {})
    expect(load).toHaveBeenCalledTimes(1)
  })
})

describe('a Zod 4 without a converter', () => {
  it('keeps descriptions that only the schema itself has', () => {
    const schema = z.object({ a: z.string().describe('hello'), d: z.date().optional() })
    const { version, vendor, validate } = schema['~standard']
    Object.defineProperty(schema, '~standard', { value: { version, vendor, validate } })
    expect(input(schema).json.properties).toEqual({
      a: { type: 'string', description: 'hello' },
      d: { type: 'string', format: 'date-time' },
    })
  })
})

describe('where a package is missing', () => {
  const missing: [string, StandardSchemaV1, RegExp][] = [
    [
      'zod mini',
      zm.object({}),
      /install "zod".*\{ vendor: "zod", toJsonSchema \} in the router option `schemas`/,
    ],
    ['zod 3', z3.object({}), /install "zod-to-json-schema"/],
    ['valibot', v.object({}), /install "@valibot\/to-json-schema".*vendor: "valibot"/],
  ]

  it.each(missing)('%s: the error names the definition and the solution', (_, schema, message) => {
    vi.spyOn(runtime, 'load').mockImplementation((name) => {
      throw new Error(`Cannot find module '${name}'`)
    })
    expect(() => input(schema)).toThrow(message)
    expect(() => input(schema)).toThrow(/^tool "t": /)
  })

  it('an unknown library too', () => {
    const schema = {
      '~standard': { version: 1, vendor: 'acme', validate: (value: unknown) => ({ value }) },
    } as const
    expect(() => input(schema)).toThrow(
      /^tool "t": schemas of "acme" cannot .* pass \{ vendor: "acme", toJsonSchema \}/,
    )
  })
})

it('a schema with only output types is converted like one without types', () => {
  const jsonSchema = { output: () => ({ type: 'object' }) }
  const schema = { '~standard': { version: 1, vendor: 'acme', validate: () => ({ value: {} }), jsonSchema } }
  expect(() => input(schema as never)).toThrow(/^tool "t": schemas of "acme" cannot be converted/)
})

describe('a converter or validator of the app', () => {
  it('takes precedence over built-in converters for its vendor', () => {
    const seen: unknown[] = []
    const toJsonSchema = (_: unknown, io: string) => {
      seen.push(io)
      return { $schema: 'x', type: 'object', properties: { mine: { type: 'string' } } }
    }
    const support = [
      { vendor: 'other', toJsonSchema: () => ({}) },
      { vendor: 'zod', toJsonSchema },
    ]
    expect(input(z.object({ a: z.string() }), { support }).json).toEqual({
      type: 'object',
      properties: { mine: { type: 'string' } },
      additionalProperties: false,
    })
    expect(seen).toEqual(['input'])
  })

  it('fails with the name of the definition if it throws or returns nothing', () => {
    const throwing = [
      {
        vendor: 'zod',
        toJsonSchema: () => {
          throw new Error('no way')
        },
      },
    ]
    expect(() => input(z.object({}), { support: throwing })).toThrow(
      /^tool "t": its input schema of "zod" .*: no way/,
    )
    const empty = [{ vendor: 'zod', toJsonSchema: () => undefined as unknown as object }]
    expect(() => input(z.object({}), { support: empty })).toThrow(
      /expected a JSON Schema object, got nothing/,
    )
  })

  it('is not shared with the published schema', () => {
    const mine = { type: 'object', properties: { a: { type: 'string' } } }
    const { json } = input(z.object({}), { support: [{ vendor: 'zod', toJsonSchema: () => mine }] })
    mine.properties.a.type = 'number'
    expect(json.properties).toEqual({ a: { type: 'string' } })
  })

  it('validates hand-written schemas instead of Ajv', () => {
    const load = vi.spyOn(runtime, 'load')
    const compile = vi.fn((_schema: object, { coerce }: { coerce: boolean }) => (value: unknown) => ({
      value: { value, coerce },
    }))
    const schema = input({ type: 'object' }, { support: [{ compile }], coerceStrings: true })
    expect(compile).not.toHaveBeenCalled()
    expect(outcome(schema, { a: '1' })).toEqual({ value: { a: '1' }, coerce: true })
    expect(outcome(schema, {})).toEqual({ value: {}, coerce: true })
    expect(compile).toHaveBeenCalledTimes(1)
    expect(load).not.toHaveBeenCalled()
  })
})
