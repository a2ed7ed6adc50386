/** `ctx.session.update` with a slow or failing store: no update is lost, and no written update is reported as failed. */

import { memoryStore } from 'mcp-router'
import { expect, it, vi } from 'vitest'
import { SessionValues } from '../../src/sessions/session-values.js'
import { latch } from '../contract/fixtures.js'
import { passTime, settled } from '../support/time.js'

const increment = (count = 0): number => count + 1

function make() {
  const store = memoryStore()
  const values = () => new SessionValues(store, 's', () => 60_000)
  return { store, one: values(), other: values() }
}

/** Delays the first result of `get` for this key during a write, until `open` is called. */
function slowly(store: ReturnType<typeof memoryStore>, isKey: (key: string) => boolean, nth: number) {
  const gate = latch()
  const reached = latch()
  const get = store.get.bind(store)
  let seen = 0
  vi.spyOn(store, 'get').mockImplementation(async (key) => {
    const value = await get(key)
    if (isKey(key) && ++seen === nth) {
      reached.open()
      await gate.opened
    }
    return value
  })
  return { gate, reached }
}

it('writes nothing once its lock may belong to another update', async () => {
  const pass = passTime()
  const { store, one, other } = make()
  await one.set('n', 0)
  // The update reads the value, then again under the lock, where the store is slow.
  const { gate, reached } = slowly(store, (key) => key.startsWith('value:'), 2)
  const slow = one.update<number>('n', increment)
  await reached.opened
  pass(2_500)
  expect(await other.update<number>('n', increment)).toBe(1)
  gate.open()
  expect(await slow).toBe(2)
  expect(await one.get('n')).toBe(2)
})

it('does not release the lock of another update', async () => {
  const pass = passTime()
  const { store, one } = make()
  await one.set('n', 0)
  const { gate, reached } = slowly(store, (key) => key.startsWith('value:'), 2)
  const slow = one.update<number>('n', increment)
  await reached.opened
  pass(2_500)
  const lock = 'updating:value:s:n'
  expect(await store.claim(lock, 'of another', 2_000)).toBeUndefined()
  gate.open()
  await settled()
  expect(await store.get(lock)).toBe('of another')
  pass(2_500)
  expect(await slow).toBe(1)
})

it('succeeds even if the lock cannot be deleted', async () => {
  const { store, one } = make()
  const remove = store.delete.bind(store)
  vi.spyOn(store, 'delete').mockImplementation((key) =>
    key.startsWith('updating:') ? Promise.reject(new Error('away')) : remove(key),
  )
  expect(await one.update<number>('n', increment)).toBe(1)
  expect(await one.get('n')).toBe(1)
})
