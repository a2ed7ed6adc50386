/** Patterns select routes by method and path. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExpress4 } from '../../../src/routes/discovery/path-syntax.js'
import { toTemplate } from '../../../src/routes/discovery/path-template.js'
import { matches, parsePattern, segmentsMatcher, spelled } from '../../../src/routes/discovery/patterns.js'

const chooses = (pattern: string, route: string): boolean => {
  const [method = '', path = ''] = route.split(' ')
  return matches(parsePattern(pattern), method, toTemplate(parseExpress4(path)))
}

test.each([
  ['/tasks', 'GET /tasks'],
  ['/tasks', 'GET /tasks/'],
  ['/tasks/**', 'GET /tasks'],
  ['/tasks/**', 'GET /tasks/:id'],
  ['/tasks/**', 'GET /tasks/:id/notes/:note'],
  ['/**', 'GET /'],
  ['/', 'GET /'],
  ['/tasks/*', 'GET /tasks/:id'],
  ['/tasks/*', 'GET /tasks/export'],
  ['/tasks/:anything', 'GET /tasks/:id'],
  ['/tasks/{anything}', 'GET /tasks/:id'],
  ['/files/*.json', 'GET /files/:name.json'],
  ['/files/:name.json', 'GET /files/:file.json'],
  ['/task*', 'GET /tasks'],
  ['/**/notes', 'GET /tasks/:id/notes'],
  ['POST /tasks', 'POST /tasks'],
  ['post /tasks', 'POST /tasks'],
  ['GET,POST /tasks', 'POST /tasks'],
  ['GET, POST  /tasks', 'POST /tasks'],
  ['* /tasks', 'DELETE /tasks'],
])('%s selects %s', (pattern, route) => {
  expect(chooses(pattern, route)).toBe(true)
})

test.each([
  ['/tasks', 'POST /tasks'],
  ['/tasks', 'GET /tasks/:id'],
  ['/tasks', 'GET /Tasks'],
  ['/tasks/*', 'GET /tasks'],
  ['/tasks/*', 'GET /tasks/:id/notes'],
  ['/tasks/export', 'GET /tasks/:id'],
  ['/tasks/:id', 'GET /tasks/export'],
  ['/tasks/**', 'GET /tasksome'],
  ['POST /tasks', 'GET /tasks'],
  ['/t.sks', 'GET /tasks'],
])('%s does not select %s', (pattern, route) => {
  expect(chooses(pattern, route)).toBe(false)
})

test('without a method it means GET, or the default methods', () => {
  const all = parsePattern('/tasks', '*')
  const some = parsePattern('POST /tasks', '*')
  const methods = ['GET', 'POST', 'DELETE']
  expect(methods.filter((method) => parsePattern('/tasks').matchesMethod(method))).toEqual(['GET'])
  expect(methods.filter((method) => all.matchesMethod(method))).toEqual(methods)
  expect(methods.filter((method) => some.matchesMethod(method))).toEqual(['POST'])
})

test.each(['tasks', '', 'GET', 'GET tasks', 'GET;POST /x', '/a b'])('%j is not a pattern', (pattern) => {
  expect(() => parsePattern(pattern)).toThrow('expected a pattern such as')
})

test.each([
  ['/files/:name.:ext', '/files/a.b.c', true],
  ['/files/:name.:ext', '/files/..', false],
  ['/files/:name.:ext', '/files/...', true],
  ['/files/{name}.json', '/files/.json', false],
  ['/a*b*c', '/AbCbC', true],
  ['/a*a', '/a', false],
  ['/secret/**', '/%73ecret/1/', true],
  ['/**/x/**/y', '/x/1/x/y', true],
  ['/**/x/**/y', '/x/1/y/2', false],
])('%s matches the URL %s: %s', (pattern, path, fits) => {
  expect(parsePattern(pattern).matchesUrl(spelled(path))).toBe(fits)
})

test('wildcards match like the equivalent regular expressions', () => {
  const toExpression = (pattern: string): RegExp => {
    const parts = pattern.split('/').filter((part) => part !== '')
    const text = (part: string): string =>
      part.replace(/\.|\*+|:\w+/g, (piece) =>
        piece === '.' ? '\\.' : piece.startsWith('*') ? '[^/]*' : '[^/]+',
      )
    const source = parts.map((part) => (part === '**' ? '(?:/[^/]+)*' : `/${text(part)}`))
    return new RegExp(`^${source.join('')}$`)
  }
  const part = fc.oneof(
    fc.constantFrom('**', '*', ':x', 'a'),
    fc
      .array(fc.constantFrom('a', '.', '*', ':x.', '.:x'), { minLength: 1, maxLength: 4 })
      .map((all) => all.join('')),
  )
  const segment = fc
    .array(fc.constantFrom('a', '.', 'b'), { minLength: 1, maxLength: 4 })
    .map((all) => all.join(''))
  const parts = fc.array(part, { maxLength: 5 })
  fc.assert(
    fc.property(parts, fc.array(segment, { maxLength: 6 }), (all, segments) => {
      const pattern = `/${all.join('/')}`
      const expected = toExpression(pattern).test(segments.map((one) => `/${one}`).join(''))
      expect(segmentsMatcher(pattern)(segments)).toBe(expected)
    }),
    { numRuns: 10_000 },
  )
})

test.each(['/files/:a.:b.json', '/**/x/**/y/**/z', '/*a*a*b'])('%s takes linear time', (pattern) => {
  // Backtracking would take hours for each of these.
  for (const path of ['.'.repeat(1_000_000), '/x/y'.repeat(250_000), 'a'.repeat(1_000_000)])
    expect(parsePattern(pattern).matchesUrl(spelled(`/files/${path}`))).toBe(false)
})
