/** For any input, the published schema is valid JSON Schema 2020-12 and compiles. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inputOf } from '../../../src/routes/request/input.js'
import { publishedOutput, route, toolOf } from './input-support.js'

const keywords = [
  ...[
    'type',
    'properties',
    'required',
    'items',
    'enum',
    'const',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'if',
    'then',
  ],
  ...[
    'additionalProperties',
    'patternProperties',
    'minimum',
    'exclusiveMinimum',
    'maxLength',
    'pattern',
    'format',
  ],
  ...[
    '$ref',
    '$defs',
    '$id',
    '$anchor',
    'definitions',
    'nullable',
    'example',
    'examples',
    'readOnly',
    'default',
  ],
  ...[
    'dependencies',
    'prefixItems',
    'title',
    'description',
    'deprecated',
    'discriminator',
    'id',
    'x-mcp-header',
  ],
]
const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null', 'file', 'any']
const names = ['a', 'b', 'id', 'constructor', '__proto__', 'filter[x]', '']
const refs = ['#', '#/$defs/a', '#/properties/a', '#a', 'a', '#/nowhere', 'http://x/y', '#/$defs/a/items']

const { schema } = fc.letrec<{ schema: Record<string, unknown> | boolean; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...types),
    fc.constantFrom(...refs),
    fc.constantFrom<unknown>(true, false, null, 0, -1, 1.5, '(', '^a', [], {}),
    fc.subarray(types),
    fc.subarray(names),
    tie('schema'),
    fc.array(tie('schema'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('schema'), { maxKeys: 3 }),
  ),
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.boolean(),
    fc.dictionary(fc.constantFrom(...keywords), tie('value'), { maxKeys: 6 }),
  ),
}))

const ajv = new Ajv2020({ strict: false, validateFormats: false })

it('publishes valid schemas', () => {
  fc.assert(
    fc.property(schema, schema, (body, query) => {
      const given = route('/x/:id', { schema: { body, query, response: body } })
      const { json } = toolOf(given)
      expect(json).toMatchObject({ type: 'object', properties: {} })
      for (const published of [json, publishedOutput(given)]) {
        if (published === undefined) continue
        expect(ajv.validateSchema(published), ajv.errorsText()).toBe(true)
        expect(() => ajv.compile(published)).not.toThrow()
      }
    }),
    { numRuns: 500 },
  )
})

it('assigns every argument to one part', () => {
  const fields = fc.uniqueArray(
    fc.constantFrom('id', 'a', 'b', 'body', 'id__path', 'a__query', 'x y', '$top'),
  )
  fc.assert(
    fc.property(fields, fields, fields, (query, body, header) => {
      const object = (keys: readonly string[]) => ({
        type: 'object',
        properties: Object.fromEntries(keys.map((key) => [key, { type: 'string' }])),
      })
      const given = { query: object(query), body: object(body), headers: object(header) }
      const { input, split } = inputOf(
        route('/x/:id', { schema: given, marker: { headers: header.filter((key) => !key.includes(' ')) } }),
      )
      const { properties } = (
        input['~standard'] as unknown as { jsonSchema: { input(): { properties: object } } }
      ).jsonSchema.input()
      const names = Object.keys(properties)
      const sent = names.map((name) => split({ [name]: 'v' }))
      const reached = sent.map((parts) => {
        const keys = [
          ...Object.keys(parts.params).map((key) => `path ${key}`),
          ...[...new URLSearchParams(parts.query).keys()].map((key) => `query ${key}`),
          ...Object.keys(parts.headers).map((key) => `header ${key}`),
          ...Object.keys(parts.body ?? {}).map((key) => `body ${key}`),
        ]
        return keys.join()
      })
      const wanted = [
        'path id',
        ...query.map((key) => `query ${key}`),
        ...header.filter((key) => !key.includes(' ')).map((key) => `header ${key}`),
        ...(body.length > 0 ? body.map((key) => `body ${key}`) : []),
      ]
      expect(reached.filter((one) => one !== '').sort()).toEqual(wanted.sort())
    }),
  )
})
