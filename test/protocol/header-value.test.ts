import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHeaderValue, matchesHeader } from '../../src/protocol/header-value.js'

const wrap = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

describe('decodeHeaderValue', () => {
  it.each([
    ['plain', 'plain'],
    ['  padded\t ', 'padded'],
    ['inner  space\tand tab', 'inner  space\tand tab'],
    ['', ''],
    ['=?base64?TcO8bmNoZW4=?=', 'München'],
    [' =?base64?TcO8bmNoZW4=?= ', 'München'],
    ['=?base64??=', ''],
    ['=?base64?ICBwYWRkZWQg?=', '  padded '],
    ['=?base64?77u/Yg==?=', '\ufeffb'],
  ])('reads %j as %j', (raw, text) => {
    expect(decodeHeaderValue(raw)).toBe(text)
  })

  it.each(['=?base64?SGVsbG8=', 'SGVsbG8=?=', '=?BASE64?SGVsbG8=?=', '=?base64?=', '=?Base64?SGVsbG8=?='])(
    'takes %j literally: it is no whole wrapper',
    (raw) => {
      expect(decodeHeaderValue(raw)).toBe(raw)
    },
  )

  it.each([
    ['bad padding', '=?base64?SGVsbG8?='],
    ['bad alphabet', '=?base64?SGVs!!!bG8=?='],
    ['the URL alphabet', '=?base64?_-__?='],
    ['bits beyond the end', '=?base64?SGVsbG9=?='],
    ['inner whitespace', '=?base64?SGVs bG8=?='],
    ['invalid UTF-8', '=?base64?/w==?='],
    ['an overlong form', '=?base64?wIA=?='],
    ['a lone surrogate', '=?base64?7aCA?='],
    ['characters beyond ASCII', 'München'],
    ['a control character', 'a\u0000b'],
    ['a line break', 'a\nb'],
    ['DEL', 'a\u007fb'],
    ['a no-break space around it', '\u00a0a'],
  ])('refuses %s', (_name, raw) => {
    expect(decodeHeaderValue(raw)).toBeUndefined()
  })

  it('reads back whatever a sender wraps', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeHeaderValue(wrap(text))).toBe(text)
      }),
    )
  })

  it('never throws', () => {
    const payload = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String())
    const raw = fc.oneof(
      payload,
      payload.map((text) => `=?base64?${text}?=`),
    )
    fc.assert(fc.property(raw, (text) => void decodeHeaderValue(text)))
  })
})

describe('matchesHeader', () => {
  it.each([
    ['text', 'text'],
    ['München', wrap('München')],
    ['', ''],
    ['', '=?base64??='],
    ['42', '42'],
    [42, '42'],
    [42, '42.0'],
    [42, ' 42 '],
    [42, wrap('42')],
    [-7, '-7'],
    [0, '-0'],
    [2 ** 53 - 1, '9007199254740991'],
    [42.5, '42.50'],
    [true, 'true'],
    [false, 'false'],
  ])('%j equals %j', (value, raw) => {
    expect(matchesHeader(value, raw)).toBe(true)
  })

  it.each([
    ['text', 'Text'],
    ['text', 'text, text'],
    ['München', 'München'],
    ['42', '42.0'],
    [42, '43'],
    [42, '4.2e1'],
    [42, '0x2a'],
    [42, '+42'],
    [42, '42.'],
    [0, ''],
    [0, ' '],
    [2 ** 53 - 1, '9007199254740991.1'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [Number.NaN, 'NaN'],
    [true, 'True'],
    [true, '1'],
    [null, 'null'],
    [undefined, 'undefined'],
    [['a'], 'a'],
    [{ toString: () => 'a' }, 'a'],
  ])('%j differs from %j', (value, raw) => {
    expect(matchesHeader(value, raw)).toBe(false)
  })

  it('matches every safe integer written in decimal', () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (value) => matchesHeader(value, String(value))))
  })
})
