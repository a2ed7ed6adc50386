import { describe, expect, it } from 'vitest'
import {
  type ParameterStyle,
  type QueryParser,
  queryParserOf,
  writeQuery,
  writeSimple,
} from '../../../src/routes/request/parameter-styles.js'

const write = (values: object, parser: QueryParser = 'simple') =>
  decodeURIComponent(writeQuery(new Map(Object.entries(values)), parser, undefined))

describe('a query string', () => {
  it('serializes values canonically, and leaves out only null', () => {
    const day = new Date('2026-01-31T10:00:00Z')
    expect(write({ a: true, b: false, c: 0, d: 1.5, e: '', f: null, g: undefined, day })).toBe(
      'a=true&b=false&c=0&d=1.5&e=&day=2026-01-31T10:00:00.000Z',
    )
  })

  it('encodes special characters', () => {
    expect(writeQuery(new Map([['a b', '1&c=2#d+é']]), 'simple', undefined)).toBe(
      'a%20b=1%26c%3D2%23d%2B%C3%A9',
    )
  })

  it('repeats keys for lists, without nulls', () => {
    expect(write({ a: [1, null, 2], none: [] })).toBe('a=1&a=2')
    expect(write({ a: [1, null, 2], none: [] }, 'extended')).toBe('a=1&a=2')
  })

  it('writes objects as JSON for a simple parser, with brackets for qs', () => {
    const values = {
      f: { x: 1, y: { z: [1, 2], n: null }, one: ['a'] },
      list: [{ a: 1 }, { a: 2 }],
      one: ['a'],
    }
    expect(write(values)).toBe(
      'f={"x":1,"y":{"z":[1,2],"n":null},"one":["a"]}&list={"a":1}&list={"a":2}&one=a',
    )
    expect(write(values, 'extended')).toBe(
      'f[x]=1&f[y][z]=1&f[y][z]=2&f[one][]=a&list[0][a]=1&list[1][a]=2&one[]=a',
    )
  })

  it('keeps brackets that a name ends with', () => {
    expect(write({ 'tags[]': ['a'] }, 'extended')).toBe('tags[]=a')
    expect(write({ 'tags[]': ['a', 'b'] }, 'extended')).toBe('tags[]=a&tags[]=b')
  })

  it('rejects a lone surrogate', () => {
    expect(() => write({ a: '\ud800' })).toThrow('expected well-formed text')
  })
})

describe('a style of OpenAPI', () => {
  const values = { list: ['a', 'b,c'], object: { r: 1, g: 2 }, one: 'x' }
  const rows: [string, ParameterStyle, string][] = [
    ['form', { style: 'form', explode: true }, 'list=a&list=b%2Cc&r=1&g=2&one=x'],
    ['form, not exploded', { style: 'form', explode: false }, 'list=a,b%2Cc&object=r,1,g,2&one=x'],
    [
      'spaceDelimited',
      { style: 'spaceDelimited', explode: false },
      'list=a%20b%2Cc&object=r%201%20g%202&one=x',
    ],
    [
      'pipeDelimited',
      { style: 'pipeDelimited', explode: false },
      'list=a%7Cb%2Cc&object=r%7C1%7Cg%7C2&one=x',
    ],
    [
      'deepObject',
      { style: 'deepObject', explode: true },
      'list=a&list=b%2Cc&object%5Br%5D=1&object%5Bg%5D=2&one=x',
    ],
    [
      'json',
      { style: 'json', explode: false },
      'list=%5B%22a%22%2C%22b%2Cc%22%5D&object=%7B%22r%22%3A1%2C%22g%22%3A2%7D&one=%22x%22',
    ],
  ]

  it.each(rows)('%s takes precedence over the query parser', (_, style, expected) => {
    const styles = new Map(Object.keys(values).map((key) => [key, style]))
    expect(writeQuery(new Map(Object.entries(values)), 'extended', styles)).toBe(expected)
  })

  it('writes lists and objects into paths and headers', () => {
    expect(writeSimple([1, 2], undefined)).toBe('1,2')
    expect(writeSimple({ a: 1, b: null, c: 2 }, undefined)).toBe('a,1,c,2')
    expect(writeSimple({ a: 1 }, { style: 'simple', explode: true })).toBe('a=1')
    expect(writeSimple({ a: 1 }, { style: 'json', explode: false })).toBe('{"a":1}')
  })
})

it.each<[string, (query: string) => unknown, QueryParser]>([
  ['reads brackets', () => ({ a: { b: 'c' } }), 'extended'],
  ['reads none', (query) => Object.fromEntries(new URLSearchParams(query)), 'simple'],
  ['makes a list of them', () => ({ a: ['c'] }), 'simple'],
  [
    'throws',
    () => {
      throw new Error('not now')
    },
    'simple',
  ],
])('a query parser of the app that %s is detected', (_, parse, kind) => {
  expect(queryParserOf(parse)).toBe(kind)
})
