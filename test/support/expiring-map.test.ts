import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ExpiringMap } from '../../src/support/expiring-map.js'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('ExpiringMap', () => {
  it('keeps a value until it expires', () => {
    const map = new ExpiringMap<string>(10)
    map.set('a', 'kept', 1_500)
    expect(map.get('a')).toBe('kept')
    expect(map.get('a', 1_499)).toBe('kept')
    expect(map.get('a', 1_500)).toBeUndefined()
    expect(map.size).toBe(0)
  })

  it('follows the clock when no time is given', () => {
    const map = new ExpiringMap<string>(10)
    map.set('a', 'kept', 1_500)
    vi.setSystemTime(1_500)
    expect(map.get('a')).toBeUndefined()
  })

  it('takes the new value and expiry of a key that is there', () => {
    const map = new ExpiringMap<number>(10)
    map.set('a', 1, 1_100)
    map.set('a', 2, 1_200)
    expect(map.get('a', 1_150)).toBe(2)
    expect(map.size).toBe(1)
  })

  it('makes room by dropping what expired', () => {
    const map = new ExpiringMap<number>(3)
    map.set('oldest', 1, 9_000)
    map.set('short', 2, 1_100)
    map.set('shorter', 3, 1_050)
    vi.setSystemTime(1_100)
    map.set('new', 4, 9_000)
    expect(map.size).toBe(2)
    expect(map.get('oldest')).toBe(1)
    expect(map.get('new')).toBe(4)
  })

  it('drops the oldest when nothing expired', () => {
    const map = new ExpiringMap<number>(2)
    map.set('a', 1, 2_000)
    map.set('b', 2, 2_000)
    map.set('a', 3, 2_000)
    map.set('c', 4, 2_000)
    expect(map.get('b')).toBeUndefined()
    expect(map.get('a')).toBe(3)
    expect(map.get('c')).toBe(4)
  })

  it('drops nothing when a full map gets a new value for a key', () => {
    const map = new ExpiringMap<number>(2)
    map.set('a', 1, 2_000)
    map.set('b', 2, 2_000)
    map.set('a', 3, 2_000)
    expect(map.size).toBe(2)
    expect(map.get('b')).toBe(2)
  })

  it('finds what expires after an earlier sweep', () => {
    const map = new ExpiringMap<number>(2)
    map.set('a', 1, 1_100)
    map.set('b', 2, 1_200)
    vi.setSystemTime(1_100)
    map.set('c', 3, 9_000)
    vi.setSystemTime(1_200)
    map.set('d', 4, 9_000)
    expect(map.get('c')).toBe(3)
    expect(map.get('d')).toBe(4)
  })

  it('deletes, and says whether there was something', () => {
    const map = new ExpiringMap<number>(2)
    map.set('constructor', 1, 2_000)
    expect(map.delete('constructor')).toBe(true)
    expect(map.delete('constructor')).toBe(false)
    expect(map.get('constructor')).toBeUndefined()
  })

  it('never holds more than its limit', () => {
    const map = new ExpiringMap<number>(5)
    for (let i = 0; i < 100; i++) {
      vi.setSystemTime(1_000 + i)
      map.set(`key ${i % 17}`, i, 1_000 + i + (i % 7))
      expect(map.size).toBeLessThanOrEqual(5)
    }
  })
})
