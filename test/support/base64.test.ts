import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from '../../src/support/base64.js'

const NodeBuffer = Buffer

describe.each(['with Buffer', 'without Buffer'])('base64 %s', (platform) => {
  beforeEach(() => {
    if (platform === 'without Buffer') vi.stubGlobal('Buffer', undefined)
  })
  afterEach(() => vi.unstubAllGlobals())

  it('encodes as the platform does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(toBase64(bytes)).toBe(NodeBuffer.from(bytes).toString('base64'))
        expect(toBase64Url(bytes)).toBe(NodeBuffer.from(bytes).toString('base64url'))
      }),
    )
  })

  it('gives the bytes back as a plain array of their own', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const back of [fromBase64(toBase64(bytes)), fromBase64Url(toBase64Url(bytes))]) {
          expect(back).toEqual(bytes)
          expect(back?.constructor).toBe(Uint8Array)
          expect(back?.buffer.byteLength).toBe(bytes.length)
        }
      }),
    )
  })

  it('encodes a view without what surrounds it', () => {
    expect(toBase64(new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 3))).toBe('AgM=')
  })

  it('takes only the text that encoding produces', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), (text) => {
        const standard = fromBase64(text)
        if (standard) expect(toBase64(standard)).toBe(text)
        const url = fromBase64Url(text)
        if (url) expect(toBase64Url(url)).toBe(text)
      }),
    )
  })

  it.each([
    'SGVsbG8',
    'SGVs!!!bG8=',
    'SGVsbG8==',
    'SGVsbG9=',
    ' SGVsbG8=',
    'SGVs\nbG8=',
    '_-__',
    '=',
    'A',
    'é',
    'A===',
  ])('refuses %j as standard base64', (text) => {
    expect(fromBase64(text)).toBeUndefined()
  })

  it.each(['SGVsbG8=', '+///', 'SGVsbG9', 'A', 'AB CD', '\u{1f600}'])('refuses %j as base64url', (text) => {
    expect(fromBase64Url(text)).toBeUndefined()
  })

  it('takes the empty text', () => {
    expect(fromBase64('')).toEqual(new Uint8Array())
    expect(fromBase64Url('')).toEqual(new Uint8Array())
  })

  it('carries megabytes', () => {
    const bytes = new Uint8Array(3_000_001).map((_, index) => index * 31)
    const back = fromBase64(toBase64(bytes))
    expect(back && NodeBuffer.compare(back, bytes)).toBe(0)
  })
})
