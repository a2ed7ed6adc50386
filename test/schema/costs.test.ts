/** Warnings about schemas whose validation can take a long time for a small value. */
import * as v from 'valibot'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import { isExponential } from '../../src/schema/costs/pattern-positions.js'
import type { Schema } from '../../src/schema/types.js'
import { input, output, warnings } from './support.js'

beforeEach(() => {
  warnings.length = 0
})

const kinds = ['div', 'span'] as const

describe('a union that refers to itself', () => {
  const zodNode = (kind: string, children: () => z.ZodType) =>
    z.object({ children: z.array(z.lazy(children)), kind: z.literal(kind) })
  const zodPlain: z.ZodType = z.lazy(() => z.union(kinds.map((kind) => zodNode(kind, () => zodPlain))))
  const zodTagged: z.ZodType = z.lazy(() =>
    z.discriminatedUnion('kind', [zodNode('div', () => zodTagged), zodNode('span', () => zodTagged)]),
  )
  const zod3Node = <K extends string>(kind: K, children: () => z3.ZodType) =>
    z3.object({ children: z3.array(z3.lazy(children)), kind: z3.literal(kind) })
  const zod3Plain: z3.ZodType = z3.lazy(() =>
    z3.union([zod3Node('div', () => zod3Plain), zod3Node('span', () => zod3Plain)]),
  )
  const zod3Tagged: z3.ZodType = z3.lazy(() =>
    z3.discriminatedUnion('kind', [zod3Node('div', () => zod3Tagged), zod3Node('span', () => zod3Tagged)]),
  )
  const valibotNode = (kind: string, children: () => v.GenericSchema) =>
    v.object({ children: v.array(v.lazy(children)), kind: v.literal(kind) })
  const valibotPlain: v.GenericSchema = v.lazy(() =>
    v.union(kinds.map((kind) => valibotNode(kind, () => valibotPlain))),
  )
  const valibotTagged: v.GenericSchema = v.lazy(() =>
    v.variant(
      'kind',
      kinds.map((kind) => valibotNode(kind, () => valibotTagged)),
    ),
  )
  const tree: z.ZodType = z.lazy(() => z.object({ name: z.string(), children: z.array(tree).optional() }))

  it.each<[string, Schema]>([
    ['Zod 4', z.object({ root: zodPlain })],
    ['Zod 3', z3.object({ root: zod3Plain })],
    ['Valibot', v.object({ root: valibotPlain })],
  ])('of %s causes a warning', (_, schema) => {
    input(schema)
    expect(warnings).toContainEqual(
      expect.stringMatching(/^tool "t": its schema is a union that refers to itself\..*exponential time/),
    )
  })

  it.each<[string, Schema]>([
    ['Zod 4, told apart by a constant', z.object({ root: zodTagged })],
    ['Zod 3, told apart by a constant', z3.object({ root: zod3Tagged })],
    ['Valibot, told apart by a constant', v.object({ root: valibotTagged })],
    ['any JSON', z.object({ root: z.json() })],
    ['a plain tree', z.object({ root: tree })],
    [
      'a union that does not',
      z.object({ root: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) }),
    ],
  ])('of %s causes none', (_, schema) => {
    input(schema)
    expect(warnings.filter((warning) => warning.includes('union'))).toEqual([])
  })

  it("causes a warning if the app's own validator validates it", () => {
    const node = {
      anyOf: kinds.map((kind) => ({ properties: { kind: { const: kind }, in: { $ref: '#/$defs/node' } } })),
    }
    const schema = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      $defs: { node },
    } as Schema
    input(schema)
    expect(warnings).toEqual([])
    input(schema, { support: [{ compile: () => (value) => ({ value }) }] })
    expect(warnings).toContainEqual(
      expect.stringMatching(/the validator in `schemas` may take exponential time/),
    )
  })

  it('causes no warning in a result, which the app itself produces', () => {
    output(z.object({ root: zodPlain }))
    expect(warnings.filter((warning) => warning.includes('exponential'))).toEqual([])
  })
})

describe('a pattern', () => {
  it.each([
    '^(a+)+$',
    '(a*)*b',
    '^(a|a)*$',
    '^(a|ab?)+b?$',
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    '^([a-zA-Z0-9_.\\-])+@(([a-zA-Z0-9\\-])+\\.)+([a-zA-Z0-9]{2,4})+$',
    '^(\\w+\\s?)*$',
    '^(\\d+|\\w)*!$',
    '^(?:[\\p{L}]+[é]?)+$',
    '^(([^()]|\\(\\))+x?)*$',
    '^((ab)*(ab)?)*$',
    '(x+x+)+y',
    '^(a{1,5}){2,}$',
  ])('%s can take exponential time', (pattern) => {
    expect(isExponential(pattern)).toBe(true)
  })

  it.each([
    '',
    '^[a-z]+$',
    '^([a-z]+\\.)+[a-z]{2,}$',
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    '^(?:[a-z0-9]+(?:-[a-z0-9]+)*)$',
    '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
    '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2}))?$',
    '^(https?|ftp)://[^\\s/$.?#].[^\\s]*$',
    '^(\\s*\\w+\\s*,)*\\s*\\w+\\s*$',
    '^[A-Z]{2,3}(?:_[A-Z]{2})?$',
    '^(?!.*\\.\\.)[\\w.]+$',
    '^\\u{1F600}*$',
    '^(a|b|c)*$',
    '^(?<year>\\d+)-(\\d+,)*x$',
    'a{0}b',
    '[\\]()*+]+',
  ])('%s can not', (pattern) => {
    expect(isExponential(pattern)).toBe(false)
  })

  it('of a common library can not', () => {
    const formats = [
      z.email(),
      z.url(),
      z.uuid(),
      z.ipv4(),
      z.ipv6(),
      z.cidrv4(),
      z.base64(),
      z.iso.datetime(),
      z.iso.date(),
      z.iso.duration(),
      z.emoji(),
      z.e164(),
      z.cuid2(),
      z.ulid(),
      z.nanoid(),
      z.jwt(),
    ]
    input(z.object(Object.fromEntries(formats.map((format, index) => [`f${index}`, format]))))
    expect(warnings).toEqual([])
  })

  it('that can causes a warning when the tool is added, unless the text is short', () => {
    const slow = '^(a+)+$'
    const schemas: Schema[] = [
      { type: 'object', properties: { list: { type: 'array', items: { type: 'string', pattern: slow } } } },
      { type: 'object', patternProperties: { [slow]: {} } } as Schema,
      z.object({ s: z.string().regex(/^(a+)+$/) }),
      v.object({ s: v.pipe(v.string(), v.regex(/^(a+)+$/)) }),
    ]
    for (const schema of schemas) {
      warnings.length = 0
      input(schema)
      expect(warnings).toEqual([
        `tool "t": a short text can take exponential time to match; rewrite the pattern so that a text fits in one way only, or add a \`maxLength\` of at most 20 {"patterns":["${slow}"]}`,
      ])
    }
    warnings.length = 0
    input({ type: 'object', properties: { s: { type: 'string', pattern: slow, maxLength: 20 } } } as Schema)
    input({ type: 'object', properties: { s: { const: { pattern: slow } } } } as Schema)
    output({ type: 'object', properties: { s: { type: 'string', pattern: slow } } } as Schema)
    expect(warnings).toEqual([])
  })

  it('that is huge is added quickly', () => {
    expect(isExponential(`^(${Array.from({ length: 5_000 }, (_, index) => `w${index}`).join('|')})*$`)).toBe(
      false,
    )
    expect(isExponential(`^${'(a{1,1000}){1,1000}'.repeat(50)}$`)).toBeTypeOf('boolean')
    expect(isExponential(`${'('.repeat(200)}a${')+'.repeat(200)}`)).toBeTypeOf('boolean')
  })
})
