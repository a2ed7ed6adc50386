/** The evaluator and Ajv agree on results, and on the defaults and conversions in the value. */
import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluatorOf } from '../../src/schema/evaluator/compile.js'
import { growsExponentially } from '../../src/schema/evaluator/growth.js'

const keys = fc.constantFrom('a', 'b', 'ab', '__proto__')
const scalar = fc.constantFrom<unknown>(null, true, 0, 1, 2, 1.5, '', 'a', 'ab', '😀😀', '1', 'true')
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
  ),
}))

const small = fc.nat({ max: 3 })
const names = fc.uniqueArray(keys, { maxLength: 2 })
const type = fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null')
const patterns = fc.constantFrom('^a', 'b$', '.')
const reference = fc.constantFrom('#/$defs/x', '#/$defs/y')

/** `inPlace`: whether references may stand here; those that lead only back to themselves never end. */
const { schema, member } = fc.letrec<{ schema: unknown; member: unknown; object: unknown }>((tie) => {
  const one = tie('schema')
  const inside = tie('member')
  const map = (of: fc.Arbitrary<unknown>) => fc.dictionary(keys, of, { maxKeys: 3 })
  const some = (of: fc.Arbitrary<unknown>) => fc.array(of, { minLength: 1, maxLength: 3 })
  const keyword = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 })
  return {
    schema: fc.oneof({ maxDepth: 4, depthIdentifier: 's' }, fc.boolean(), fc.record({ type }), tie('object')),
    member: fc.oneof({ maxDepth: 4, depthIdentifier: 's' }, fc.record({ $ref: reference }), one),
    object: fc
      .record({
        type: keyword(fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))),
        const: keyword(value),
        enum: keyword(fc.uniqueArray(value, { minLength: 1, maxLength: 3, comparator: isJsonEqual })),
        minimum: keyword(small),
        exclusiveMaximum: keyword(small),
        multipleOf: keyword(fc.constantFrom(1, 2, 0.5)),
        minLength: keyword(small),
        maxLength: keyword(small),
        pattern: keyword(patterns),
        minItems: keyword(small),
        maxItems: keyword(small),
        uniqueItems: keyword(fc.boolean()),
        items: keyword(inside),
        prefixItems: keyword(some(inside)),
        contains: keyword(inside),
        minContains: keyword(small),
        maxContains: keyword(small),
        unevaluatedItems: keyword(inside),
        minProperties: keyword(small),
        maxProperties: keyword(small),
        required: keyword(names),
        properties: keyword(map(inside)),
        patternProperties: keyword(fc.dictionary(patterns, inside, { maxKeys: 2 })),
        additionalProperties: keyword(inside),
        unevaluatedProperties: keyword(inside),
        propertyNames: keyword(one),
        dependentRequired: keyword(fc.dictionary(keys, names, { maxKeys: 2 })),
        dependentSchemas: keyword(map(one)),
        allOf: keyword(some(one)),
        anyOf: keyword(some(one)),
        oneOf: keyword(some(one)),
        not: keyword(one),
        if: keyword(one),
        // biome-ignore lint/suspicious/noThenProperty: a keyword
        then: keyword(one),
        else: keyword(one),
      })
      .map((all) => Object.fromEntries(Object.entries(all).filter(([, held]) => held !== undefined))),
  }
})

function isJsonEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

const roots = fc.record({ x: schema, y: schema, root: member }).map(({ x, y, root }) => ({
  allOf: [root],
  $defs: { x, y },
}))

/** Ajv without the changes of this project. */
type AjvClass = new (
  options: object,
) => { compile(root: object): unknown; removeSchema(root: object): unknown }

function compilerOf(Class: AjvClass): (root: object) => ((value: unknown) => boolean) | undefined {
  const ajv = new Class({ strict: false, validateFormats: false, useDefaults: true, logger: false })
  return (root) => {
    try {
      return ajv.compile(root) as (value: unknown) => boolean
    } catch {
      return undefined // it refuses some contradictions
    } finally {
      ajv.removeSchema(root)
    }
  }
}

describe.each([
  ['2020-12', Ajv2020.default, false],
  ['draft-07', Ajv.default, true],
] as const)('of %s', (_, Class, draft07) => {
  it('any schema and value', () => {
    const compile = compilerOf(Class)
    const met = { passed: 0, failed: 0 }
    fc.assert(
      fc.property(roots, fc.array(value, { minLength: 15, maxLength: 15 }), (root, values) => {
        const ajv = compile(root)
        if (ajv === undefined) return
        const check = evaluatorOf(root, { draft07, coerce: false })
        growsExponentially(root) // never throws, nor runs on
        for (const one of values) {
          const passes = check(structuredClone(one)).issues === undefined
          met[passes ? 'passed' : 'failed'] += 1
          expect(passes, JSON.stringify([root, one])).toBe(ajv(structuredClone(one)))
        }
      }),
      { numRuns: 60 },
    )
    expect(Math.min(met.passed, met.failed)).toBeGreaterThan(30)
  }, 60_000)
})

it('converts strings as Ajv does', () => {
  const ajv = new Ajv2020.default({ coerceTypes: true, strict: false, logger: false })
  const texts = fc.constantFrom(
    '',
    '0',
    '1',
    '-1.5',
    '1e3',
    ' 1',
    'true',
    'false',
    'null',
    'x',
    '0x10',
    'NaN',
  )
  const types = fc.uniqueArray(type, { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(types, fc.oneof(texts, fc.constantFrom(null, true, 1, 1.5)), (wanted, given) => {
      const schema = { type: 'object', properties: { a: { type: wanted } } }
      const [theirs, ours] = [{ a: given }, { a: given }]
      const validate = ajv.compile(schema)
      const checked = evaluatorOf(schema, { draft07: false, coerce: true })(ours)
      expect([checked.issues === undefined, ours]).toEqual([validate(theirs), theirs])
    }),
    { numRuns: 200 },
  )
})
