/** What names mean, whatever the platform's separators are. */

import { describe, expect, it } from 'vitest'
import { isIgnored, nameOf, uriOf, withoutExtension } from '../../../integrations/files/conventions.js'

describe('names', () => {
  it.each([
    ['notes/search', 'notesSearch'],
    ['notes/index', 'notes'],
    ['notes/full-text', 'notesFullText'],
    ['notes/full.text', 'notesFullText'],
    ['note_list', 'note_list'],
    ['admin/users/ban', 'adminUsersBan'],
    ['index/list', 'indexList'],
    ['GetUser', 'GetUser'],
    ['index', undefined],
    ['users/[id]', 'usersId'],
  ])('%s → %s', (path, name) => {
    expect(nameOf(path.split('/'))).toBe(name)
  })
})

describe('URIs', () => {
  it.each([
    ['notes/[id]', 'notes://{id}'],
    ['config', 'config://'],
    ['config/index', 'config://'],
    ['db/users/[id]/tags', 'db://users/{id}/tags'],
    ['db/users/[id]/index', 'db://users/{id}'],
    ['files/[...path]', 'files://{+path}'],
    ['files/[name].json', 'files://{name}.json'],
    ['my-app/a b', 'my-app://a%20b'],
    ['app/50%', 'app://50%25'],
    ['app/what?#', 'app://what%3F%23'],
    ['app/ä'.normalize('NFD'), 'app://%C3%A4'],
    ['index', undefined],
  ])('%s → %s', (path, uri) => {
    expect(uriOf(path.split('/'))).toBe(uri)
  })

  it.each(['[id]', 'my notes/a', '1st'])('%s has no scheme', (path) => {
    expect(() => uriOf(path.split('/'))).toThrow(/expected a URI scheme/)
  })
})

describe('what is passed over', () => {
  it.each([
    '.DS_Store',
    '.#search.ts',
    '_helpers.ts',
    'search.d.ts',
    'search.d.mts',
    'search.js.map',
    'search.test.ts',
    'search.spec.mjs',
    'search.bench.ts',
    'README.md',
    'data.json',
    'search.ts~',
    'search.ts.swp',
    '4913',
  ])('the file %s', (name) => {
    expect(isIgnored(name, false)).toBe(true)
  })

  it.each(['.git', '_private', '__tests__', 'node_modules'])('the folder %s', (name) => {
    expect(isIgnored(name, true)).toBe(true)
  })

  it.each(['a.ts', 'a.js', 'a.mjs', 'a.cjs', 'a.mts', 'a.cts', 'a.tsx', 'a.jsx', '[id].ts', 'test.ts'])(
    'not the file %s',
    (name) => {
      expect(isIgnored(name, false)).toBe(false)
      expect(withoutExtension(name)).toBe(name.split('.')[0])
    },
  )

  it.each(['tests', 'notes.test', 'dist'])('not the folder %s', (name) => {
    expect(isIgnored(name, true)).toBe(false)
  })
})
