/** Validation takes time linear in the size of a value. Without the limits, these tests would not end. */
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../src/schema/types.js'
import { input, outcome, output } from './support.js'

const ref = { $ref: '#/$defs/node' }
const kinds = ['div', 'span']

/** Each root contains a node of one of two kinds, whose children are nodes. */
const unions: Record<string, object> = {
  'anyOf, children first': { anyOf: kinds.map(childrenFirst) },
  'anyOf, constants first': { anyOf: kinds.map(constantFirst) },
  'oneOf, children first': { oneOf: kinds.map(childrenFirst) },
  'oneOf, constants first': { oneOf: kinds.map(constantFirst) },
  allOf: { allOf: kinds.map(() => ({ properties: { children: { items: ref } } })) },
  'if, then, else': {
    if: { properties: { children: { items: ref }, type: { const: 'div' } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword
    then: { properties: { children: { items: ref } } },
    else: { properties: { children: { items: ref }, type: { const: 'span' } } },
  },
  not: { not: { properties: { children: { items: ref } } }, properties: { children: { items: ref } } },
  'patternProperties that overlap': { patternProperties: { '^c': { items: ref }, n$: { items: ref } } },
  'items and contains': { properties: { children: { items: ref, contains: ref } } },
  dependentSchemas: {
    dependentSchemas: {
      type: { properties: { children: { items: ref } } },
      children: { properties: { children: { items: ref } } },
    },
  },
  'branches behind references': { anyOf: [{ $ref: '#/$defs/div' }, { $ref: '#/$defs/span' }] },
  'references that are dynamic': {
    anyOf: kinds.map((kind) => ({
      properties: { children: { items: { $dynamicRef: '#node' } }, type: { const: kind } },
    })),
  },
  unevaluatedProperties: { anyOf: kinds.map(childrenFirst), unevaluatedProperties: false },
}

function childrenFirst(kind: string): object {
  const properties = { children: { type: 'array', items: ref }, type: { const: kind } }
  return { type: 'object', properties, required: ['type'] }
}

function constantFirst(kind: string): object {
  const properties = { type: { const: kind }, children: { type: 'array', items: ref } }
  return { type: 'object', properties, required: ['type'] }
}

function treeOf(node: object): Schema {
  const [div, span] = kinds.map(childrenFirst)
  return {
    type: 'object',
    properties: { root: ref },
    $defs: { node: { $dynamicAnchor: 'node', ...node }, div, span },
  } as Schema
}

function nested(depth: number, leaf: object): object {
  let node = leaf
  for (let level = 0; level < depth; level++) node = { type: 'span', children: [node] }
  return node
}

describe.each(Object.entries(unions))('a union that refers to itself by %s', (_, node) => {
  it('is validated in linear time', () => {
    const schema = input(treeOf(node))
    const leaves = [{ type: 'span' }, { type: 'oops' }, { type: 'span', children: [1] }]
    for (const leaf of leaves) {
      for (const depth of [0, 1, 30]) {
        const value = { root: nested(depth, leaf) }
        const found = outcome(schema, value)
        if (typeof found === 'string') expect(found.length).toBeLessThan(20_000)
        else expect(found).toEqual(value)
      }
    }
  })
})

describe('unions that refer to themselves', () => {
  it('are bounded if only the outermost of several dynamic anchors closes the cycle', () => {
    const branch = (kind: string) => ({
      type: 'object',
      properties: { children: { type: 'array', items: { $dynamicRef: '#node' } }, type: { const: kind } },
    })
    const list = {
      $id: 'https://example.com/list',
      anyOf: kinds.map(branch),
      $defs: { any: { $dynamicAnchor: 'node' } },
    }
    const schema = input({
      $id: 'https://example.com/tree',
      $dynamicAnchor: 'node',
      type: 'object',
      $ref: 'https://example.com/list',
      $defs: { list },
    } as Schema)
    expect(outcome(schema, nested(30, { type: 'oops' }))).toContain('expected "div", got "oops"')
    expect(outcome(schema, nested(30, { type: 'div' }))).toEqual(nested(30, { type: 'div' }))
  })

  const tree = input(treeOf({ anyOf: kinds.map(childrenFirst) }))

  it('accept values of any depth and locate errors in others', () => {
    expect(outcome(tree, { root: nested(30, { type: 'div' }) })).toEqual({
      root: nested(30, { type: 'div' }),
    })
    expect(outcome(tree, { root: nested(2, { type: 'oops' }) })).toBe(
      [
        'root.children[0].children[0].type: expected "div", got "oops"',
        'root.children[0].children[0].type: expected "span", got "oops"',
        'root.children[0].children[0]: matches none of the alternatives',
      ].join('; '),
    )
    expect(outcome(tree, { root: nested(2, { type: 'div', children: 1 }) })).toBe(
      'root.children[0].children[0].children: expected array, got 1',
    )
  })

  it('are bounded in draft-07, and in results', () => {
    const { $defs, ...rest } = JSON.parse(
      JSON.stringify(treeOf({ anyOf: kinds.map(childrenFirst) })).replaceAll('$defs/', 'definitions/'),
    )
    const $schema = 'http://json-schema.org/draft-07/schema#'
    const old = input({ $schema, ...rest, definitions: $defs } as Schema)
    expect(outcome(old, { root: nested(30, { type: 'oops' }) })).toContain('expected "div", got "oops"')
    const result = output(treeOf({ oneOf: kinds.map(childrenFirst) }))
    expect(outcome(result, { root: nested(30, { type: 'span' }) })).toEqual({
      root: nested(30, { type: 'span' }),
    })
  })

  it('report the first failure if finding all would take too many steps', () => {
    const item = { type: 'object', properties: { id: { type: 'integer' } } }
    const schema = input({
      type: 'object',
      properties: { items: { type: 'array', items: item }, last: { type: 'string' } },
    } as Schema)
    const items = Array.from({ length: 300_000 }, () => ({ id: 1 }))
    expect(outcome(schema, { items, last: 1 })).toMatch(/^last: (expected|must be) string/)
  })

  it('reject a value that would take too many steps, with the reason', () => {
    const many = Array.from({ length: 60 }, (_, index) => `kind ${index}`)
    const schema = input(treeOf({ anyOf: many.map(childrenFirst) }))
    const children = Array.from({ length: 20_000 }, () => ({ type: 'kind 59' }))
    expect(outcome(schema, { root: { type: 'kind 59', children } })).toMatch(
      /^takes more than 500000 steps to check against its schema; send fewer values/,
    )
    expect(outcome(schema, { root: { type: 'kind 59', children: children.slice(0, 1_000) } })).toBeTypeOf(
      'object',
    )
  })

  it('do not limit steps if the work is linear, nor for results', () => {
    const item = {
      type: 'object',
      properties: Object.fromEntries([...'abcdefgh'].map((key) => [key, { type: 'integer' }])),
    }
    const list = { type: 'object', properties: { list: { type: 'array', items: item } } } as const
    const row = Object.fromEntries([...'abcdefgh'].map((key) => [key, 1]))
    const rows = [...Array.from({ length: 90_000 }, () => row), { h: 'x' }]
    expect(outcome(input(list), { list: rows })).toBe('list[90000].h: expected integer, got "x"')
    const many = Array.from({ length: 60 }, (_, index) => `kind ${index}`)
    const result = output(treeOf({ anyOf: many.map(childrenFirst) }))
    const children = Array.from({ length: 20_000 }, () => ({ type: 'kind 59' }))
    expect(outcome(result, { root: { type: 'kind 59', children } })).toBeTypeOf('object')
  })

  it('with multiplying references are bounded too', () => {
    const levels = Array.from({ length: 30 }, (_, level) => [
      `d${level}`,
      level === 29
        ? { type: 'string' }
        : {
            anyOf: [1, 2].map((kind) => ({
              properties: { next: { $ref: `#/$defs/d${level + 1}` }, kind: { const: kind } },
              required: ['next', 'kind'],
            })),
          },
    ])
    let value: unknown = 5
    for (let level = 0; level < 29; level++) value = { next: value, kind: 2 }
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/d0' } },
      $defs: Object.fromEntries(levels),
    }
    expect(outcome(input(schema as Schema), { a: value })).toContain('expected string, got 5')
  })
})

describe('lists', () => {
  const unique = { type: 'object', properties: { s: { type: 'array', uniqueItems: true } } } as const

  it('of 50,000 objects are checked for duplicates', () => {
    const items = Array.from({ length: 50_000 }, (_, id) => ({ id, tags: [String(id)] }))
    expect(outcome(input(unique), { s: items })).toEqual({ s: items })
    const doubled = [...items, { tags: ['7'], id: 7 }]
    expect(outcome(input(unique), { s: doubled })).toMatch(/^s: must NOT have duplicate items/)
  })

  it.each([
    [[1, '1', true, null, [1], ['1'], { a: 1 }, { a: '1' }, {}, [], '[', '{', '"', 'null', 0, false], true],
    [
      [
        [1, [2]],
        [1, [2]],
      ],
      false,
    ],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    [['[0', [[]], [0]], true],
    [['__proto__', JSON.parse('{"__proto__":1}'), {}], true],
    [[0, -0], false],
    [['', []], true],
  ])('%j have no duplicates: %s', (items, isUnique) => {
    expect(typeof outcome(input(unique), { s: items }) === 'object').toBe(isUnique)
  })

  it('in nested lists are compared once', () => {
    const list = {
      type: 'object',
      properties: { s: { $ref: '#/$defs/l' } },
      $defs: {
        l: {
          type: 'array',
          uniqueItems: true,
          items: { anyOf: [{ type: 'number' }, { $ref: '#/$defs/l' }] },
        },
      },
    }
    let value: unknown[] = Array.from({ length: 50_000 }, (_, index) => index)
    for (let level = 0; level < 55; level++) value = [level, value]
    expect(outcome(input(list as Schema), { s: value })).toEqual({ s: value })
  })

  it('of 100,000 invalid items report a few of them', () => {
    const items = { anyOf: Array.from({ length: 30 }, (_, index) => ({ const: `c${index}` })) }
    const schema = input({ type: 'object', properties: { s: { type: 'array', items } } } as Schema)
    const wrong = outcome(schema, { s: Array.from({ length: 99_000 }, () => 1) }) as string
    expect(wrong).toMatch(/^s\[0\]: expected "c0", got 1; .*and 30 more$/)
  })

  it('are not validated further if they are too long', () => {
    const schema = {
      type: 'object',
      properties: { s: { type: 'string', maxLength: 20, pattern: '^(a+)+$' } },
    }
    expect(outcome(input(schema as Schema), { s: `${'a'.repeat(100)}!` })).toBe(
      's: must NOT have more than 20 characters',
    )
  })
})
