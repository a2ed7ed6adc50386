import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SealedTokens } from '../../src/sessions/sealed-tokens.js'
import { decodeSession, encodeSession, type SessionClaims } from '../../src/sessions/session-token.js'

const everything = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
  extensions: { 'io.modelcontextprotocol/ui': {} },
}

const claims: SessionClaims = {
  protocolVersion: '2025-11-25',
  capabilities: everything,
  client: { name: 'client', version: '1.2.3' },
  owner: new Uint8Array(32).fill(9),
  expiresAt: 1_760_000_000_000,
}

/** Well-formed text of up to 64 characters, short enough not to be cut. */
const shortText = fc
  .array(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), { maxLength: 16 })
  .map((characters) => characters.join(''))

const anyClaims: fc.Arbitrary<SessionClaims> = fc.record({
  protocolVersion: fc.constantFrom('2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
  capabilities: fc.constantFrom({}, everything, { roots: {} }, { elicitation: {} }, { tasks: { list: {} } }),
  client: fc.option(fc.record({ name: shortText, version: shortText }), { nil: undefined }),
  owner: fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 }), { nil: undefined }),
  expiresAt: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
})

describe('a session token', () => {
  it('decodes what was encoded', () => {
    fc.assert(
      fc.property(anyClaims, (given) => {
        expect(decodeSession(encodeSession(given))).toEqual(given)
      }),
    )
  })

  it.each(Object.keys(everything))('contains the capability %s alone and without settings', (name) => {
    const capabilities = { [name]: {} }
    const expected = name === 'extensions' ? {} : capabilities
    expect(decodeSession(encodeSession({ ...claims, capabilities }))?.capabilities).toEqual(expected)
  })

  it('drops unknown capabilities and settings', () => {
    const capabilities = {
      roots: { listChanged: false },
      experimental: { x: {} },
      extensions: { 'com.example/x': {}, 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } },
    }
    expect(decodeSession(encodeSession({ ...claims, capabilities }))?.capabilities).toEqual({
      roots: {},
      extensions: { 'io.modelcontextprotocol/ui': {} },
    })
  })

  it('ignores capabilities of the wrong shape', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(everything)), fc.jsonValue()),
        (capabilities) => {
          const given = { ...claims, capabilities: capabilities as SessionClaims['capabilities'] }
          expect(decodeSession(encodeSession(given))).toBeDefined()
        },
      ),
    )
  })

  it('cuts name and version at 64 characters, never within one', () => {
    const client = { name: 'x'.repeat(65), version: 'y'.repeat(1_000_000) }
    expect(decodeSession(encodeSession({ ...claims, client }))?.client).toEqual({
      name: 'x'.repeat(64),
      version: 'y'.repeat(64),
    })
    for (const character of ['é', '漢', '😀']) {
      const long = { name: `a${character.repeat(100)}`, version: `${character.repeat(100)}` }
      const cut = decodeSession(encodeSession({ ...claims, client: long }))?.client
      expect(long.name.startsWith(cut?.name ?? '?')).toBe(true)
      expect(cut?.name).not.toMatch(/\p{Surrogate}/u)
      expect([...(cut?.name ?? '')].length).toBe(character === '😀' ? 48 : 64)
      expect(cut?.version).toMatch(new RegExp(`^(?:${character})+$`, 'u'))
    }
  })

  it('has at most 512 characters, for any name of the client', () => {
    const tokens = new SealedTokens(['a secret of some length'])
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('😀', '漢', '\ud800', '\u0000').map((character) => character.repeat(200)),
    )
    fc.assert(
      fc.property(text, text, text, (name, version, protocolVersion) => {
        const token = tokens.seal(
          'session',
          encodeSession({ ...claims, protocolVersion, client: { name, version } }),
        )
        expect(token.length).toBeLessThanOrEqual(512)
        expect(decodeSession(tokens.open('session', token) as Uint8Array)).toBeDefined()
      }),
    )
  })

  it('refuses an owner that is not a digest', () => {
    expect(() => encodeSession({ ...claims, owner: new Uint8Array(20) })).toThrow(/20 bytes, not 32/)
  })

  it('decodes no bytes that are truncated, too long or in another format', () => {
    const bytes = encodeSession(claims)
    for (let length = 0; length < bytes.length; length++) {
      expect(decodeSession(bytes.slice(0, length))).toBeUndefined()
    }
    expect(decodeSession(Uint8Array.of(...bytes, 0))).toBeUndefined()
    expect(decodeSession(Uint8Array.of(2, ...bytes.slice(1)))).toBeUndefined()
  })

  it('never throws for hostile bytes', () => {
    const headed = fc.uint8Array({ maxLength: 400 }).map((bytes) => Uint8Array.of(1, ...bytes))
    fc.assert(fc.property(fc.oneof(headed, fc.uint8Array()), (bytes) => void decodeSession(bytes)))
  })
})
