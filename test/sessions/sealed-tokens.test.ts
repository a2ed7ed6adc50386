import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runtime } from '#runtime'
import { SealedTokens } from '../../src/sessions/sealed-tokens.js'

const secret = 'a secret of some length'
const other = 'another secret of some length'
const plain = Uint8Array.of(1, 2, 3)

afterEach(() => vi.restoreAllMocks())

describe('SealedTokens', () => {
  it('opens what it sealed', () => {
    const tokens = new SealedTokens([secret])
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const token = tokens.seal('state', bytes)
        expect(token).toMatch(/^[\w-]+$/)
        expect(tokens.open('state', token)).toEqual(bytes)
      }),
    )
  })

  it('opens on every machine with the secret, given as text or bytes', () => {
    const token = new SealedTokens([secret]).seal('session', plain)
    expect(new SealedTokens([new TextEncoder().encode(secret)]).open('session', token)).toEqual(plain)
    expect(new SealedTokens([other]).open('session', token)).toBeUndefined()
  })

  it('seals with the first secret and opens with any', () => {
    const before = new SealedTokens([secret])
    const after = new SealedTokens([other, secret])
    expect(after.open('session', before.seal('session', plain))).toEqual(plain)
    expect(before.open('session', after.seal('session', plain))).toBeUndefined()
  })

  it('opens no token for another purpose, cached or not', () => {
    const tokens = new SealedTokens([secret])
    const token = tokens.seal('session', plain)
    expect(tokens.open('cursor', token)).toBeUndefined()
    expect(tokens.open('session', token)).toEqual(plain)
    expect(tokens.open('cursor', token)).toBeUndefined()
    expect(tokens.open('state', token)).toBeUndefined()
  })

  it('opens no token with any changed character', () => {
    const tokens = new SealedTokens([secret])
    const token = tokens.seal('session', plain)
    expect(tokens.open('session', token)).toEqual(plain)
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
      expect(tokens.open('session', changed)).toBeUndefined()
      expect(tokens.open('session', token.slice(0, at))).toBeUndefined()
    }
    for (const changed of [`${token}=`, `${token}A`, ` ${token}`]) {
      expect(tokens.open('session', changed)).toBeUndefined()
    }
  })

  it('never throws for text that is not a token', () => {
    const tokens = new SealedTokens([secret])
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), (text) => {
        expect(tokens.open('state', text)).toBeUndefined()
      }),
    )
  })

  it('decrypts an own token once, and a foreign one every time', () => {
    const tokens = new SealedTokens([secret])
    const token = tokens.seal('session', plain)
    const foreign = new SealedTokens([other]).seal('session', plain)
    const open = vi.spyOn(runtime, 'open')
    for (let i = 0; i < 3; i++) tokens.open('session', token)
    expect(open).toHaveBeenCalledTimes(1)
    for (let i = 0; i < 3; i++) tokens.open('session', foreign)
    expect(open).toHaveBeenCalledTimes(4)
  })

  it('caches the thousand tokens used last', () => {
    const tokens = new SealedTokens([secret])
    const sealed = Array.from({ length: 1_001 }, () => tokens.seal('session', plain))
    for (const token of sealed.slice(0, 1_000)) tokens.open('session', token)
    tokens.open('session', sealed[0] as string)
    tokens.open('session', sealed[1_000] as string)
    const open = vi.spyOn(runtime, 'open')
    tokens.open('session', sealed[0] as string)
    expect(open).not.toHaveBeenCalled()
    tokens.open('session', sealed[1] as string)
    expect(open).toHaveBeenCalledTimes(1)
  })

  it('opens long tokens without caching them, and refuses huge ones at once', () => {
    const tokens = new SealedTokens([secret])
    const long = tokens.seal('state', new Uint8Array(10_000))
    const huge = tokens.seal('state', new Uint8Array(50_000))
    const open = vi.spyOn(runtime, 'open')
    expect(tokens.open('state', long)).toHaveLength(10_000)
    expect(tokens.open('state', long)).toHaveLength(10_000)
    expect(open).toHaveBeenCalledTimes(2)
    expect(tokens.open('state', huge)).toBeUndefined()
    expect(open).toHaveBeenCalledTimes(2)
  })

  it('refuses short secrets and an empty list', () => {
    const short = /`secret` \(or MCP_ROUTER_SECRET\).*at least 16 bytes.*got 5/
    expect(() => new SealedTokens(['short'])).toThrow(short)
    expect(() => new SealedTokens([secret, new Uint8Array(5)])).toThrow(short)
    expect(() => new SealedTokens([])).toThrow(/`secret`/)
    expect(() => new SealedTokens(['éééééééé'])).not.toThrow()
  })

  it('keeps its secret when the given array changes', () => {
    const bytes = Buffer.from(secret)
    const tokens = new SealedTokens([bytes])
    const token = tokens.seal('session', plain)
    bytes.fill(0)
    expect(tokens.open('session', token)).toEqual(plain)
  })
})
