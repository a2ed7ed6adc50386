/** Per-caller limits: the key of a caller, and the counting. */

import { describe, expect, it, vi } from 'vitest'
import { callerKeyOf } from '../../src/sessions/owner.js'
import { PerCaller, RateLimit } from '../../src/sessions/per-caller.js'

describe('a caller', () => {
  const key = (user: unknown, ip?: string, auth?: object) =>
    callerKeyOf({ identity: { user, auth } as never, userId: undefined }, () => ip)

  it('is the signed-in user of a tenant, from any address', () => {
    expect(key({ id: 7 }, '1.1.1.1')).toBe(key({ id: 7 }, '2.2.2.2'))
    expect(key({ id: 7 })).not.toBe(key({ id: 8 }))
    const claims = { iss: 'https://login.example' }
    const one = { subject: 'ana', tenant: 'a', claims }
    expect(key(undefined, undefined, one)).not.toBe(key(undefined, undefined, { ...one, tenant: 'b' }))
  })

  it('is an address if nobody is signed in or the user has no id', () => {
    expect(key(undefined, '1.1.1.1')).toBe('1.1.1.1')
    expect(key({ name: 'Ana' }, '1.1.1.1')).toBe('1.1.1.1')
    expect(callerKeyOf({ identity: undefined, userId: undefined }, () => '1.1.1.1')).toBe('1.1.1.1')
    expect(key(undefined)).toBeUndefined()
    expect(key({ id: '1.1.1.1' })).not.toBe('1.1.1.1')
  })

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0000:0:aaaa::', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::10.0.0.1', '64:ff9b:0:0::/64'],
    ['1.2.3.4:5678', '1.2.3.4'],
    ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
    ['2001:db8::1%0123456789abcdef', undefined],
    ['not an address', undefined],
    ['unknown', undefined],
    ['', undefined],
    ['1'.repeat(15_000), undefined],
  ])('at %s counts as %s', (ip, network) => {
    expect(key(undefined, ip)).toBe(network)
  })
})

describe('what a caller', () => {
  it('holds is counted until it is given back', () => {
    const places = new PerCaller(2)
    expect([places.acquire('a'), places.acquire('a'), places.acquire('a'), places.acquire('b')]).toEqual([
      true,
      true,
      false,
      true,
    ])
    places.release('a')
    expect([places.acquire('a'), places.acquire('a')]).toEqual([true, false])
    expect([1, 2, 3].map(() => places.acquire(undefined))).toEqual([true, true, true])
  })

  it('does is counted until the window ends', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const rate = new RateLimit(3, 60_000, { what: 'calls', option: 'most' })
      expect(rate.consume('a', 3)).toBeUndefined()
      vi.advanceTimersByTime(50_500)
      expect(rate.consume('a')).toMatchObject({
        message: 'Too many calls: at most 3 of one caller (`most`); try again in 10 seconds',
        http: { status: 429, headers: { 'Retry-After': '10' } },
      })
      expect([rate.consume('b', 3), rate.consume(undefined, 99)]).toEqual([undefined, undefined])
      expect(rate.consume('c', 4)).toBeDefined()
      vi.advanceTimersByTime(9_500)
      expect(rate.consume('a', 3)).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it('does is not counted where the limit is 0', () => {
    const rate = new RateLimit(0, 60_000, { what: 'calls', option: 'most' })
    expect(rate.consume('a', 1_000_000)).toBeUndefined()
  })
})
