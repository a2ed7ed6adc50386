/** Patterns choose routes by method and path. */

import { expect, test } from 'vitest'
import { parseExpress4 } from '../../src/routes/path-syntax.js'
import { matches, parsePattern } from '../../src/routes/patterns.js'
import { toTemplate } from '../../src/routes/template.js'

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
])('%s chooses %s', (pattern, route) => {
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
])('%s does not choose %s', (pattern, route) => {
  expect(chooses(pattern, route)).toBe(false)
})

test('without a method it means GET, or the methods that its place says', () => {
  const all = parsePattern('/tasks', '*')
  const some = parsePattern('POST /tasks', '*')
  const methods = ['GET', 'POST', 'DELETE']
  expect(methods.filter((method) => parsePattern('/tasks').matchesMethod(method))).toEqual(['GET'])
  expect(methods.filter((method) => all.matchesMethod(method))).toEqual(methods)
  expect(methods.filter((method) => some.matchesMethod(method))).toEqual(['POST'])
})

test.each(['tasks', '', 'GET', 'GET tasks', 'GET;POST /x', '/a b'])('%j is no pattern', (pattern) => {
  expect(() => parsePattern(pattern)).toThrow('expected a pattern such as')
})
