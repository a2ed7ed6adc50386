/**
 * Sets of routes that differ only in their constraints: the routes that tools reach, and those that Fastify selects.
 */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { majors, mounted } from './constrained.js'

/** The headers with which a request reaches a route. */
function headersOf({ host, version }: { host?: unknown; version?: unknown } = {}): Record<string, string> {
  return {
    ...(typeof host === 'string' && { host }),
    ...(typeof version === 'string' && { 'accept-version': version === '2' ? '2.0.0' : version }),
  }
}

describe.each(majors)('$name', ({ create }) => {
  test('reaches the route that Fastify would select, or none', async () => {
    const constraints = fc.constantFrom<object>(
      {},
      { host: 'a.example.com' },
      { host: 'b.example.com' },
      { host: /^\w+\.example\.com$/ },
      { host: /^a\./ },
      { host: /b/ },
      { host: /example/ },
      { version: '2', host: /^a[b]?\./ },
      { version: '1.0.0' },
      { version: '2' },
      { version: '2.0.0' },
      { version: '1.0.0', host: 'a.example.com' },
      { version: '1.0.0', host: /^\w+\.example\.com$/ },
      { version: '2.0.0', host: /example/ },
    )
    const caller = fc.record(
      {
        host: fc.constantFrom('a.example.com', 'b.example.com', 'localhost'),
        'accept-version': fc.constantFrom('1.0.0', '2.0.0', '2.x', '*', 'odd'),
      },
      { requiredKeys: ['host'] },
    )
    const textOf = (asked: object = {}) => Object.entries(asked).join()
    /** Without patterns and different spellings of a version, so that Fastify's selection is known for sure. */
    const isPlain = (asked: { host?: unknown; version?: unknown }) =>
      !(asked.host instanceof RegExp) && asked.version !== '2'
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(constraints, { minLength: 1, maxLength: 6, selector: textOf }),
        fc.array(caller, { minLength: 1, maxLength: 4 }),
        async (declared, callers) => {
          const { app, list, call } = await mounted(
            create,
            (scope, answer) => {
              for (const one of declared)
                scope.get('/x', { constraints: one as Record<string, string> }, answer(textOf(one)))
            },
            { routes: { forwardHeaders: ['accept-version'] } },
          )
          for (const { name, route } of list.filter(({ kind }) => kind === 'tool')) {
            const own = textOf(route?.constraints)
            for (const headers of callers) {
              const asked = headersOf(declared.find((one) => textOf(one) === own))
              const { statusCode, payload } = await app.inject({
                url: '/x',
                headers: { ...headers, ...asked },
              })
              const isIts = statusCode === 200 && JSON.parse(payload).answer === own
              const { reached } = await call(name, {}, headers)
              if (!isIts || declared.every(isPlain)) expect(reached).toEqual(isIts ? [own] : [])
              else expect([[], [own]]).toContainEqual(reached)
            }
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})
