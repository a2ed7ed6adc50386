/** Path parameters in the styles of OpenAPI: delimiters stay, and values cannot break out of them. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseOpenApi } from '../../../src/routes/discovery/path-syntax.js'
import { toTemplate } from '../../../src/routes/discovery/path-template.js'
import { type ParameterStyle, writePath } from '../../../src/routes/request/parameter-styles.js'
import { pathBuilder } from '../../../src/routes/request/path-builder.js'

const build = pathBuilder(toTemplate(parseOpenApi('/t/{p}/end')))
const written = (value: unknown, style: ParameterStyle['style'], explode: boolean): string =>
  build({ p: writePath('p', value, { style, explode }) })

// Every row of the table of OpenAPI 3.1, section 4.8.12.4.
const list = ['blue', 'black', 'brown']
const members = { R: 100, G: 200, B: 150 }
it.each<[ParameterStyle['style'], boolean, unknown, string]>([
  ['simple', false, 'blue', 'blue'],
  ['simple', false, list, 'blue,black,brown'],
  ['simple', false, members, 'R,100,G,200,B,150'],
  ['simple', true, list, 'blue,black,brown'],
  ['simple', true, members, 'R=100,G=200,B=150'],
  ['label', false, 'blue', '.blue'],
  ['label', false, list, '.blue,black,brown'],
  ['label', false, members, '.R,100,G,200,B,150'],
  ['label', true, list, '.blue.black.brown'],
  ['label', true, members, '.R=100.G=200.B=150'],
  ['matrix', false, 'blue', ';p=blue'],
  ['matrix', false, list, ';p=blue,black,brown'],
  ['matrix', false, members, ';p=R,100,G,200,B,150'],
  ['matrix', true, 'blue', ';p=blue'],
  ['matrix', true, list, ';p=blue;p=black;p=brown'],
  ['matrix', true, members, ';R=100;G=200;B=150'],
])('%s, exploded %s, %j is %s', (style, explode, value, expected) => {
  expect(written(value, style, explode)).toBe(`/t/${expected}/end`)
})

it.each(['simple', 'label', 'matrix'] as const)('%s rejects empty values and `..`', (style) => {
  for (const value of [
    [],
    {},
    [null],
    [''],
    ['..'],
    ['a', '.'],
    ['a', ''],
    { a: '..' },
    { '': 'x' },
    ['a\u0000'],
  ])
    expect(() => written(value, style, false)).toThrow('Invalid path')
  expect(() => written(['\ud800'], style, false)).toThrow('surrogate')
})

it('encodes the text between delimiters, so that no value changes or leaves its segment', () => {
  const styles = fc.constantFrom('simple', 'label', 'matrix') as fc.Arbitrary<ParameterStyle['style']>
  const text = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom('/', '..', '%2e', ';', 'a/b', '?', '#', '%', ','),
  )
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), styles, fc.boolean(), (items, style, explode) => {
      let path: string
      try {
        path = written(items, style, explode)
      } catch {
        return
      }
      expect(path.split('/')).toHaveLength(4)
      expect(path).not.toMatch(/[?#]/)
      expect(new URL(path, 'http://x').pathname).toBe(path)
      if (style === 'simple') expect(path.slice(3, -4).split(',').map(decodeURIComponent)).toEqual(items)
    }),
  )
})
