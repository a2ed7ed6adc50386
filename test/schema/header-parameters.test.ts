import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { headerParameters } from '../../src/schema/index.js'
import type { Schema } from '../../src/schema/types.js'
import { input } from './support.js'

function read(schema: object) {
  return headerParameters(input({ type: 'object', ...schema } as Schema).json, 'tool "t"')
}

describe('headerParameters', () => {
  it('finds annotated properties at any depth', () => {
    const properties = {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      plain: { type: 'string' },
      target: {
        type: 'object',
        properties: {
          shard: { type: 'integer', 'x-mcp-header': 'Shard', minimum: 0 },
          properties: { type: 'boolean', 'x-mcp-header': 'Method' },
        },
      },
    }
    expect(read({ properties })).toEqual([
      { header: 'mcp-param-region', path: ['region'] },
      { header: 'mcp-param-shard', path: ['target', 'shard'] },
      { header: 'mcp-param-method', path: ['target', 'properties'] },
    ])
  })

  it('reads them from a library schema', () => {
    const schema = z.object({
      region: z.string().meta({ 'x-mcp-header': 'Region' }),
      n: z.int().meta({ 'x-mcp-header': 'N' }),
    })
    expect(headerParameters(input(schema).json, 'tool "t"')).toEqual([
      { header: 'mcp-param-region', path: ['region'] },
      { header: 'mcp-param-n', path: ['n'] },
    ])
  })

  it('ignores data', () => {
    expect(
      read({ default: { 'x-mcp-header': 'X' }, properties: { a: { const: { 'x-mcp-header': 'X' } } } }),
    ).toEqual([])
    expect(read({ properties: { 'x-mcp-header': { type: 'string' } } })).toEqual([])
  })

  const annotated = { type: 'string', 'x-mcp-header': 'Region' }
  const refused: [string, object, RegExp][] = [
    [
      'an empty name',
      { properties: { a: { type: 'string', 'x-mcp-header': '' } } },
      /must be a non-empty name .* got ""/,
    ],
    ['no text', { properties: { a: { type: 'string', 'x-mcp-header': true } } }, /got true/],
    ['a space', { properties: { a: { type: 'string', 'x-mcp-header': 'My Region' } } }, /got "My Region"/],
    [
      'a line break',
      { properties: { a: { type: 'string', 'x-mcp-header': 'A\n' } } },
      /must be a non-empty name/,
    ],
    ['a colon', { properties: { a: { type: 'string', 'x-mcp-header': 'A:B' } } }, /must be a non-empty name/],
    [
      'a number',
      { properties: { a: { type: 'number', 'x-mcp-header': 'A' } } },
      /type string, integer or boolean .* got "number"/,
    ],
    ['no type', { properties: { a: { 'x-mcp-header': 'A' } } }, /got none/],
    [
      'several types',
      { properties: { a: { type: ['string', 'null'], 'x-mcp-header': 'A' } } },
      /got \["string","null"\]/,
    ],
    [
      'huge bounds',
      { properties: { a: { type: 'integer', maximum: 2 ** 53, 'x-mcp-header': 'A' } } },
      /2\^53/,
    ],
    [
      'a twin',
      { properties: { a: annotated, b: { type: 'string', 'x-mcp-header': 'REGION' } } },
      /unique without regard to case/,
    ],
    ['the root', { 'x-mcp-header': 'A' }, /at the root must be on a property/],
    [
      'items',
      { properties: { a: { type: 'array', items: annotated } } },
      /at properties\.a\.items must be on a property/,
    ],
    ['additionalProperties', { additionalProperties: annotated }, /at additionalProperties/],
    ['patternProperties', { patternProperties: { '^a': annotated } }, /at patternProperties/],
    ['anyOf', { anyOf: [{ properties: { a: annotated } }] }, /at anyOf\.0\.properties\.a/],
    ['then', { if: {}, ['th' + 'en']: { properties: { a: annotated } } }, /at then/],
    ['$defs', { $defs: { a: annotated }, properties: { a: { $ref: '#/$defs/a' } } }, /at \$defs\.a/],
  ]

  it.each(refused)('refuses %s', (_, schema, message) => {
    expect(() => read(schema)).toThrow(message)
    expect(() => read(schema)).toThrow(/^tool "t": x-mcp-header/)
  })
})
