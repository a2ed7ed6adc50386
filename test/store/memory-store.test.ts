/** The memory store: the common suite of all stores, and its own limits. */

import { type LogBound, memoryStore } from 'mcp-router'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { storeSuite } from './store-suite.js'

storeSuite('the memory store', async () => {
  const store = memoryStore()
  return { one: store, other: store }
})

describe('the bounds of the memory store', () => {
  afterEach(() => void vi.useRealTimers())

  it('drops the oldest keys beyond 100,000', async () => {
    const store = memoryStore()
    for (let i = 0; i <= 100_000; i++) void store.set(`k${i}`, '', 60_000)
    expect(await store.get('k0')).toBeUndefined()
    expect(await store.get('k1')).toBe('')
    expect(await store.get('k100000')).toBe('')
    await store.close()
  })

  it('drops expired keys before live ones, and the oldest beyond 64 MiB', async () => {
    vi.useFakeTimers()
    const store = memoryStore()
    const big = 'x'.repeat(30 * 1024 * 1024)
    await store.set('lives', big, 60_000)
    await store.set('expires', big, 1)
    vi.advanceTimersByTime(2)
    await store.set('new', big, 60_000)
    expect([await store.get('lives'), await store.get('new')].map((value) => value?.length)).toEqual([
      big.length,
      big.length,
    ])
    await store.set('newer', big, 60_000)
    expect(await store.get('lives')).toBeUndefined()
    expect(await store.get('newer')).toBe(big)
    await store.close()
  })

  it('drops whole logs beyond 64 MiB, the one written longest ago first', async () => {
    const store = memoryStore()
    const bound: LogBound = { entries: 10, bytes: 100 * 1024 * 1024, ageMs: 60_000 }
    const big = 'x'.repeat(30 * 1024 * 1024)
    for (const log of ['a', 'b']) await store.append(log, big, bound)
    await store.append('a', 'small', bound)
    await store.append('c', big, bound)
    expect(await store.read('a')).toHaveLength(2)
    expect(await store.read('b')).toEqual([])
    await store.close()
  })

  it('has one timer while anything can expire, and none afterwards', async () => {
    vi.useFakeTimers()
    const store = memoryStore()
    expect(vi.getTimerCount()).toBe(0)
    for (let i = 0; i < 100; i++) {
      await store.set(`k${i}`, 'v', 1_000)
      await store.append(`l${i}`, 'v', { entries: 1, bytes: 100, ageMs: 1_000 })
    }
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(vi.getTimerCount()).toBe(0)
    await store.set('k', 'v', 1_000)
    expect(vi.getTimerCount()).toBe(1)
    await store.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})
