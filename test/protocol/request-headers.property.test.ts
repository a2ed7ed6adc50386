/** Headers that repeat the body: one that says what the body says is taken, in each of its forms, and no other one is. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesHeader } from '../../src/protocol/header-value.js'
import { checkHeaderParameters, checkRequestHeaders } from '../../src/protocol/request-headers.js'

const wrap = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`
const isPlain = (text: string): boolean =>
  /^[\t -~]*$/.test(text) && text.trim() === text && !(text.startsWith('=?base64?') && text.endsWith('?='))
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', '=', '?', 'é', '😀', ',') }),
  fc.constantFrom('=?base64?YQ==?=', '=?base64?', '?=', '=?base64?=', 'true', '42', '-0', ''),
  fc.string({ unit: 'grapheme' }),
)
const blanks = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 3 })

const headersOf = (values: Record<string, string | undefined>) => ({ header: (name: string) => values[name] })
const refuses = (check: () => void): boolean => {
  try {
    check()
    return false
  } catch (error) {
    expect((error as { code: number }).code).toBe(-32020)
    return true
  }
}

describe('a header', () => {
  it('says what a sender wrote into it: as it is where that can be, else in base64', () => {
    const agrees = fc.property(text, blanks, blanks, fc.boolean(), (value, before, after, always) => {
      const written = isPlain(value) && !always ? value : wrap(value)
      expect(matchesHeader(value, before + written + after)).toBe(true)
    })
    fc.assert(agrees, { numRuns: 3_000 })
  })

  it('of one text is never taken for another text', () => {
    const differs = fc.property(text, text, (value, other) => {
      fc.pre(value !== other)
      expect(matchesHeader(value, wrap(other))).toBe(false)
      if (isPlain(other)) expect(matchesHeader(value, other)).toBe(false)
    })
    fc.assert(differs, { numRuns: 3_000 })
  })

  it('of a number is taken for that number alone', () => {
    const number = fc.oneof(
      fc.maxSafeInteger(),
      fc.integer({ min: -20, max: 20 }),
      fc.double({ noNaN: true }),
    )
    const differs = fc.property(number, number, (value, other) => {
      const written = String(other)
      const isDecimal = /^-?\d+(\.\d+)?$/.test(written)
      expect(matchesHeader(value, written)).toBe(isDecimal && value === other)
    })
    fc.assert(differs, { numRuns: 3_000 })
  })
})

describe('a request', () => {
  const nameKey = 'name'
  const mirrored = (method: string, name: string) => ({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': wrap(name),
  })
  const methods = fc.constantFrom('tools/call', 'tools/list', 'Tools/call', 'tools/call,tools/list')

  it('passes exactly when its headers are there and say the same', () => {
    const missing = fc.subarray(['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const, { maxLength: 1 })
    const passes = fc.property(methods, methods, text, text, fc.boolean(), missing, (...given) => {
      const [method, said, name, other, same, left] = given
      const headers = mirrored(same ? method : said, same ? name : other)
      const all = Object.fromEntries(Object.entries(headers).filter(([key]) => !left.includes(key as never)))
      const request = { jsonrpc: '2.0', id: 1, method, params: { name } } as const
      const refused = refuses(() => checkRequestHeaders(request, { headers: headersOf(all), nameKey }))
      const agrees = same || (method === said && name === other)
      expect(refused).toBe(!agrees || left.length > 0)
    })
    fc.assert(passes, { numRuns: 2_000 })
  })

  it('passes exactly when every annotated argument is repeated and no absent one is', () => {
    const parameters = [
      { header: 'mcp-param-a', path: ['a'] },
      { header: 'mcp-param-b', path: ['deep', 'b'] },
    ]
    const argument = fc.oneof(text, fc.integer(), fc.boolean(), fc.constantFrom(undefined, null))
    const say = (value: unknown) => (value === undefined || value === null ? undefined : wrap(String(value)))
    const passes = fc.property(argument, argument, argument, fc.boolean(), (a, b, other, same) => {
      const headers = { 'mcp-param-a': say(a), 'mcp-param-b': say(same ? b : other) }
      const check = () => checkHeaderParameters(parameters as never, { a, deep: { b } }, headersOf(headers))
      // `42` as text says what the number 42 says; a header cannot tell them apart.
      const isNumber = typeof b === 'number' && /^-?\d+(\.0+)?$/.test(String(other)) && b === Number(other)
      const alike = say(b) === say(other) || isNumber
      expect(refuses(check)).toBe(!(same || alike))
    })
    fc.assert(passes, { numRuns: 2_000 })
  })
})
