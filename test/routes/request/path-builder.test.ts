/** For any values from a model, the path reaches its own route with these values, or an error says why not. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExpress4, parseFastify } from '../../../src/routes/discovery/path-syntax.js'
import { toTemplate } from '../../../src/routes/discovery/path-template.js'
import { pathBuilder } from '../../../src/routes/request/path-builder.js'
import { type ConflictingRoute, conflictsOf } from '../../../src/routes/request/shadowed-by.js'

const build = (path: string, rivals: readonly ConflictingRoute[] = []) =>
  pathBuilder(toTemplate(parseExpress4(path)), rivals)
const rival = (path: string): ConflictingRoute => ({
  template: toTemplate(parseExpress4(path)),
  label: `GET ${path}`,
})

describe('a path is built', () => {
  test.each([
    ['/tasks/:id', { id: '7' }, '/tasks/7'],
    ['/tasks/:id', { id: 7 }, '/tasks/7'],
    ['/tasks/:id', { id: 'a b/c?d#e%f' }, '/tasks/a%20b%2Fc%3Fd%23e%25f'],
    ['/tasks/:id', { id: '...' }, '/tasks/...'],
    ['/tasks/:id', { id: '%2e%2e' }, '/tasks/%252e%252e'],
    ['/tasks/:id', { id: '..%2f' }, '/tasks/..%252f'],
    ['/tasks/:id', { id: '//evil.example' }, '/tasks/%2F%2Fevil.example'],
    ['/', {}, '/'],
    ['/archive/:year?', {}, '/archive'],
    ['/archive/:year?', { year: '2020' }, '/archive/2020'],
    ['/:lang?/tasks', {}, '/tasks'],
    ['/:lang?', {}, '/'],
    ['/:lang?', { lang: 'de' }, '/de'],
    ['/:lang?/:page?', {}, '/'],
    ['/files/:name.json', { name: 'a.json' }, '/files/a.json.json'],
    ['/ranges/:from-:to', { from: '1', to: '2' }, '/ranges/1-2'],
    ['/n/:id(\\d+)', { id: '12' }, '/n/12'],
    ['/tasks/', {}, '/tasks/'],
    ['/grün und blau', {}, '/gr%C3%BCn%20und%20blau'],
  ])('%s with %j is %s', (path, values, built) => {
    expect(build(path)(values)).toBe(built)
  })
})

describe('a value is refused', () => {
  test.each([
    ['/tasks/:id', {}, 'id is missing'],
    ['/tasks/:id', { id: null }, 'id is missing'],
    ['/tasks/:id', { id: '' }, 'id not to be empty'],
    ['/tasks/:id', { id: '.' }, 'id to name something'],
    ['/tasks/:id', { id: '..' }, 'id to name something'],
    ['/tasks/:id', { id: 'a\r\nSet-Cookie: b' }, 'id contains a control character'],
    ['/tasks/:id', { id: '\u0000' }, 'id contains a control character'],
    ['/tasks/:id', { id: '\u2028' }, 'id contains a control character'],
    ['/tasks/:id', { id: '\ud800' }, 'id contains a lone surrogate'],
    ['/tasks/:id', { id: { toString: (): string => 'x' } }, 'id to be a string'],
    ['/tasks/:id', { id: ['a'] }, 'id to be a string'],
    ['/tasks/:__proto__', {}, '__proto__ is missing'],
    ['/tasks/:constructor', {}, 'constructor is missing'],
    ['/archive/:year?/:month?', { month: '5' }, 'year would be read back differently'],
    ['/n/:id(\\d+)', { id: '1a' }, 'id to match \\d+'],
    ['/n/:id(\\d+)', { id: '1\n' }, 'control character'],
    ['/a/.:rest', { rest: '.' }, 'rest to name something'],
    ['/ranges/:from-:to', { from: '1-2', to: '3' }, 'from contains "-"'],
    ['/ranges/:from-:to', { from: '1', to: '2-3' }, 'to contains "-"'],
    ['/ranges/:from-:to', { from: '1', to: '-' }, 'to contains "-"'],
  ])('%s with %j: %s', (path, values, message) => {
    expect(() => build(path)(values)).toThrow(message)
  })

  test.each(['/archive/./new', '/../:id'])(
    'where the path of the route itself leads elsewhere: %s',
    (path) => {
      expect(() => build(path)({ id: '1' })).toThrow('the path would contain "')
    },
  )

  test('for a route with a wildcard', () => {
    const [segment] = parseFastify('/:id')
    const part = segment?.[0]
    if (part?.kind !== 'parameter') throw new Error('expected a parameter')
    const template = toTemplate([[{ ...part, wildcard: true }]])
    expect(() => pathBuilder(template)).toThrow(/wildcard: no path can be built/)
  })

  test('longer than the router accepts', () => {
    const [segment] = parseFastify('/:id')
    const part = segment?.[0]
    if (part?.kind !== 'parameter') throw new Error('expected a parameter')
    const limited = pathBuilder(toTemplate([[{ ...part, maxLength: 3 }]]))
    expect(limited({ id: 'abc' })).toBe('/abc')
    expect(() => limited({ id: 'abcd' })).toThrow('at most 3 characters')
  })

  test('that spells the path of another route, in any spelling', () => {
    const byId = build('/tasks/:id', [rival('/tasks/export'), rival('/tasks/@me'), rival('/tasks/grün')])
    for (const id of ['export', 'EXPORT', '@me', 'grün']) {
      expect(() => byId({ id })).toThrow('is the address of another route, GET /tasks/')
    }
    expect(byId({ id: 'exports' })).toBe('/tasks/exports')
  })

  test('that an earlier route matches by its pattern', () => {
    const [digits, name] = ['/users/:id(\\d+)', '/users/:name'].map((path) => toTemplate(parseExpress4(path)))
    if (digits === undefined || name === undefined) throw new Error('expected two')
    const rivals = [
      { template: digits, at: 1, label: 'GET /users/{id}' },
      { template: name, at: 2, label: 'GET /users/{name}' },
    ]
    expect(() => pathBuilder(name, rivals, 2)({ name: '12' })).toThrow('another route, GET /users/{id}')
    expect(pathBuilder(name, rivals, 2)({ name: 'ana' })).toBe('/users/ana')
    expect(pathBuilder(name, rivals, 0)({ name: '12' })).toBe('/users/12')
    expect(pathBuilder(digits, rivals, 1)({ id: '12' })).toBe('/users/12')
  })

  test('that leads below a mount that could not be read', () => {
    const page = pathBuilder(toTemplate(parseExpress4('/:page/:part')), [
      { template: toTemplate(parseExpress4('/admin')), below: true, label: '/admin' },
    ])
    expect(() => page({ page: 'admin', part: 'x' })).toThrow('another route, /admin')
    expect(page({ page: 'administration', part: 'x' })).toBe('/administration/x')
  })
})

/** Pieces that have broken other software, mixed with anything. */
const hostile = fc.oneof(
  fc.constantFrom(
    ...[
      '..',
      '.',
      '',
      '%2e%2e',
      '%2E.',
      '..%2f',
      '..\\',
      '//host',
      '/../admin',
      '\r\nX: y',
      '\0',
      '%00',
      ';x=1',
      '?q',
      '#f',
    ],
    ...[
      '__proto__',
      'constructor',
      'admin',
      'ADMIN',
      'adm%69n',
      '%61dmin',
      '\u202e',
      '\ud800',
      '\udfff',
      '😀',
      'ａｄｍｉｎ',
      '~any~',
      ' ',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const values = fc.array(hostile, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))

describe('thousands of hostile values', () => {
  const templates = [
    '/u/:id',
    '/u/:id/posts',
    '/u/:a/:b',
    '/u/:a-:b',
    '/u/:id.json',
    '/:id',
    '/u/:id(\\w+)',
    '/u/:id?',
  ]

  test.each(templates)('never leave %s', (source) => {
    const template = toTemplate(parseExpress4(source))
    const toPath = pathBuilder(template, [rival('/u/admin'), rival('/admin')])
    const own = new RegExp(
      `^${source
        .replace(/\(.*\)/, '')
        .replace('/:id?', '(?:/(?<id>[^/]+))?')
        .replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`,
    )
    fc.assert(
      fc.property(values, values, (first, second) => {
        const given = { id: first, a: first, b: second }
        let path: string
        try {
          path = toPath(given)
        } catch (error) {
          expect((error as Error).message).toMatch(/^Invalid path: /)
          return
        }
        expect(path).toMatch(/^\/[\x21-\x7e]*$/)
        expect(path).not.toMatch(/^\/\/|[?#\\\s]/)
        // As a URL parser and as a router decodes it: no segment disappears, and none is another route's.
        expect(new URL(path, 'http://host').pathname).toBe(path)
        expect(decodeURIComponent(path).toLowerCase()).not.toMatch(/^(?:\/u)?\/admin$/)
        const read = own.exec(path)?.groups
        expect(read).toBeDefined()
        for (const [name, value] of Object.entries(read ?? {})) {
          expect(decodeURIComponent(value)).toBe(given[name as 'id'])
        }
      }),
      { numRuns: 3_000 },
    )
  })
})

test('a path that is too long for a request is rejected', () => {
  expect(() => build('/tasks/:id')({ id: 'x'.repeat(20_000) })).toThrow(/at most 16384 characters; got 20000/)
  expect(() => build('/tasks/:id')({ id: '%'.repeat(10_000) })).toThrow(/at most 16384 characters; got 30007/)
  expect(build('/tasks/:id')({ id: 'x'.repeat(16_000) })).toHaveLength(16_007)
})

test('a conflicting route with several parameters in a segment takes linear time', () => {
  const take = conflictsOf(toTemplate(parseExpress4('/files/:name')), [rival('/files/:a.:b.json')], undefined)
  expect(take('/files/a.b.json', {})).toBe('GET /files/:a.:b.json')
  expect(take('/files/a.b.c.json', {})).toBe('GET /files/:a.:b.json')
  expect(take('/files/..json', {})).toBeUndefined()
  // Backtracking would take hours.
  expect(take(`/files/${'.'.repeat(1_000_000)}`, {})).toBeUndefined()
})
