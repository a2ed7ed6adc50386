import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as node from '../../integrations/node/runtime.js'
import { toBase64Url } from '../../src/support/base64.js'
import * as portable from '../../src/support/portable-runtime.js'

const bytes = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength })
const secrets = bytes(16, 64)
const salts = bytes(24)
const plains = bytes(0, 400)
const purposes = fc.constantFrom('session', 'state', 'cursor')
const secret = new Uint8Array(32).fill(7)

afterEach(() => vi.unstubAllGlobals())

describe('both platforms', () => {
  it('seal the same bytes under the same salt', () => {
    fc.assert(
      fc.property(secrets, purposes, plains, salts, (secret, purpose, plain, salt) => {
        expect(portable.sealWithSalt(secret, purpose, plain, salt)).toEqual(
          node.sealWithSalt(secret, purpose, plain, salt),
        )
      }),
    )
  })

  it('open what the other sealed', () => {
    fc.assert(
      fc.property(secrets, purposes, plains, (secret, purpose, plain) => {
        const fromNode = node.runtime.seal(secret, purpose, plain)
        const fromPortable = portable.runtime.seal(secret, purpose, plain)
        expect(portable.runtime.open(secret, purpose, fromNode)).toEqual(plain)
        expect(node.runtime.open(secret, purpose, fromPortable)).toEqual(plain)
      }),
    )
  })

  it('digest alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(portable.runtime.sha256(text)).toEqual(node.runtime.sha256(text))
        expect(portable.runtime.digest(text)).toBe(node.runtime.digest(text))
        expect(node.runtime.digest(text)).toBe(toBase64Url(node.runtime.sha256(text)))
      }),
    )
  })
})

describe.each([
  ['node', node.runtime],
  ['portable', portable.runtime],
])('%s', (_name, runtime) => {
  it('lays a token out as salt, ciphertext, tag', () => {
    expect(runtime.seal(secret, 'state', new Uint8Array(5))).toHaveLength(24 + 5 + 16)
  })

  it('never seals the same bytes twice', () => {
    const plain = Uint8Array.of(1, 2, 3)
    expect(runtime.seal(secret, 'state', plain)).not.toEqual(runtime.seal(secret, 'state', plain))
  })

  it('opens nothing for another purpose or under another secret', () => {
    const sealed = runtime.seal(secret, 'session', Uint8Array.of(1))
    expect(runtime.open(secret, 'state', sealed)).toBeUndefined()
    expect(runtime.open(secret, 'cursor', sealed)).toBeUndefined()
    expect(runtime.open(new Uint8Array(32).fill(8), 'session', sealed)).toBeUndefined()
  })

  it('opens nothing when any bit was flipped', () => {
    const sealed = runtime.seal(secret, 'state', Uint8Array.of(1, 2, 3, 4, 5))
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = sealed.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(runtime.open(secret, 'state', changed)).toBeUndefined()
    }
  })

  it('opens nothing when it was cut short at either end or grew', () => {
    const sealed = runtime.seal(secret, 'state', Uint8Array.of(1, 2, 3, 4, 5))
    for (let length = 0; length < sealed.length; length++) {
      expect(runtime.open(secret, 'state', sealed.slice(0, length))).toBeUndefined()
      expect(runtime.open(secret, 'state', sealed.slice(sealed.length - length))).toBeUndefined()
    }
    expect(runtime.open(secret, 'state', Uint8Array.of(...sealed, 0))).toBeUndefined()
  })

  it('never throws for bytes of others', () => {
    fc.assert(
      fc.property(bytes(0, 200), (sealed) => {
        expect(runtime.open(secret, 'state', sealed)).toBeUndefined()
      }),
    )
  })

  it('hands out as many random bytes as asked for', () => {
    expect(runtime.random(24)).toHaveLength(24)
    expect(runtime.random(24)).not.toEqual(runtime.random(24))
  })
})

describe('portable', () => {
  it('cannot load packages, and says what to do', () => {
    expect(() => portable.runtime.load('ajv')).toThrow(/"ajv".*McpRouter.*`schemas`/)
  })

  it('has no environment where there is no process', () => {
    vi.stubEnv('MCP_ROUTER_TEST', 'set')
    expect(portable.runtime.env('MCP_ROUTER_TEST')).toBe('set')
    vi.unstubAllEnvs()
    vi.stubGlobal('process', undefined)
    expect(portable.runtime.env('PATH')).toBeUndefined()
  })
})
