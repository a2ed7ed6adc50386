/** Parsing of the path syntaxes of the frameworks into templates. */

import { describe, expect, test } from 'vitest'
import {
  parseExpress4,
  parseFastify,
  parseOpenApi,
  parsePathToRegexp6,
  parsePathToRegexp8,
} from '../../../src/routes/discovery/path-syntax.js'
import { type Part, type Segment, toTemplate } from '../../../src/routes/discovery/path-template.js'

/** `/a/{id}?`: optional; `{id:\d+}`: a pattern; `*`: a wildcard. */
function spell(segments: readonly Segment[]): string {
  const part = (one: Part): string => {
    if (one.kind === 'literal') return one.text
    if (one.wildcard) return '*'
    const pattern = one.pattern === undefined ? '' : `:${one.pattern}`
    return `{${one.name}${pattern}}${one.optional ? '?' : ''}`
  }
  return `/${segments.map((segment) => segment.map(part).join('')).join('/')}`
}

const syntaxes = {
  'express 4': parseExpress4,
  'path-to-regexp 6': parsePathToRegexp6,
  'path-to-regexp 8': parsePathToRegexp8,
  fastify: parseFastify,
  openapi: parseOpenApi,
}

const readable: readonly (readonly [syntax: keyof typeof syntaxes, path: string, form: string])[] = [
  ['express 4', '/', '/'],
  ['express 4', '/tasks/', '/tasks/'],
  ['express 4', '/tasks/:id', '/tasks/{id}'],
  ['express 4', '/tasks/:id(\\d+)', '/tasks/{id:\\d+}'],
  ['express 4', '/tasks/:id([^/]+)', '/tasks/{id}'],
  ['express 4', '/tasks/:id((?:a|b)\\)c)', '/tasks/{id:(?:a|b)\\)c}'],
  ['express 4', '/archive/:year?', '/archive/{year}?'],
  ['express 4', '/ranges/:from-:to', '/ranges/{from}-{to}'],
  ['express 4', '/files/:name.:ext?', '/files/{name}.{ext}'],
  ['express 4', '/files/*', '/files/*'],
  ['express 4', '*', '/*'],
  ['express 4', '/rest/:path(.*)', '/rest/*'],
  ['express 4', '/all/:path*', '/all/*'],
  ['path-to-regexp 6', '/tasks/:id(\\d+)', '/tasks/{id:\\d+}'],
  ['path-to-regexp 6', '/archive/:year?', '/archive/{year}?'],
  ['path-to-regexp 6', '/archive{/:year}?', '/archive/{year}?'],
  ['path-to-regexp 6', '/files/(.*)', '/files/*'],
  ['path-to-regexp 6', '/codes/(\\d+)', '/codes/{0:\\d+}'],
  ['path-to-regexp 6', '/a\\:b/:c-:d.json', '/a:b/{c}-{d}.json'],
  ['path-to-regexp 8', '/tasks/:id', '/tasks/{id}'],
  ['path-to-regexp 8', '/tasks/:"the id"', '/tasks/{the id}'],
  ['path-to-regexp 8', '/archive{/:year}', '/archive/{year}?'],
  ['path-to-regexp 8', '/archive{/:year/:month}', '/archive/{year}/{month}'],
  ['path-to-regexp 8', '/files{.:ext}', '/files.{ext}'],
  ['path-to-regexp 8', '/files/*splat', '/files/*'],
  ['path-to-regexp 8', '/a\\:b', '/a:b'],
  ['fastify', '/tasks/:id(^\\d+$)', '/tasks/{id:\\d+}'],
  ['fastify', '/ranges/:from-:to', '/ranges/{from}-{to}'],
  ['fastify', '/at/:hour(^\\d{2})h:minute(^\\d{2})m', '/at/{hour:\\d{2}}h{minute:\\d{2}}m'],
  ['fastify', '/archive/:year?', '/archive/{year}?'],
  ['fastify', '/files/*', '/files/*'],
  ['fastify', '*', '/*'],
  ['fastify', '/name::verb', '/name:verb'],
  ['fastify', '/:file.png', '/{file}.png'],
  ['openapi', '/tasks/{id}', '/tasks/{id}'],
  ['openapi', '/tasks/{id}.json', '/tasks/{id}.json'],
]

test.each(readable)('%s reads %s as %s', (syntax, path, form) => {
  expect(spell(syntaxes[syntax](path))).toBe(form)
})

const unreadable: readonly (readonly [syntax: keyof typeof syntaxes, path: string])[] = [
  ['express 4', '/ab?cd'],
  ['express 4', '/ab+cd'],
  ['express 4', '/a(bc)d'],
  ['express 4', '/:id(\\d+'],
  ['express 4', '/a/:'],
  ['path-to-regexp 6', '/a/?'],
  ['path-to-regexp 8', '/a{/:id'],
  ['path-to-regexp 8', '/a/:'],
  ['path-to-regexp 8', '/a/:"id'],
  ['openapi', '/a/{id'],
]

test.each(unreadable)('%s reports that %s cannot be read', (syntax, path) => {
  expect(() => syntaxes[syntax](path)).toThrow(`the path ${path} cannot be read`)
})

describe('a template', () => {
  test('is written with braces and stars', () => {
    expect(toTemplate(parseExpress4('/a/:b-:c/*')).text).toBe('/a/{b}-{c}/*')
  })

  test('numbers parameters with the same name, so that each has its own argument', () => {
    expect(toTemplate(parseExpress4('/orgs/:id/users/:id/:id2')).text).toBe('/orgs/{id}/users/{id2}/{id22}')
  })
})
