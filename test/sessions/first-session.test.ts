/** The first session of a process with a shared store: created once the process listens to changes of other machines. */

import { McpRouter, memoryStore, type Store } from 'mcp-router'
import { mcp } from 'mcp-router/fetch'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { initialize } from '../contract/clients.js'
import { latch } from '../contract/fixtures.js'
import { quiet } from '../contract/host.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A process whose store subscribes once `listening` resolves. */
function started(listening: Promise<void>) {
  const store: Store = memoryStore()
  const subscribe = store.subscribe.bind(store)
  store.subscribe = (...asked) => listening.then(() => subscribe(...asked))
  const router = new McpRouter<object>({ name: 'first', version: '1.0.0', logger: quiet, store })
  const handler = mcp(router)
  const given: string[] = []
  const open = async (name: string): Promise<Response> => {
    const headers = { 'Content-Type': 'application/json' }
    const request = new Request('http://localhost/mcp', { method: 'POST', headers })
    const response = await handler(request, { body: initialize() })
    given.push(name)
    return response
  }
  return { open, given }
}

it('waits until the process listens to others', async () => {
  const listening = latch()
  const { open, given } = started(listening.opened)
  const first = open('first')
  await vi.advanceTimersByTimeAsync(999)
  expect(given).toEqual([])
  listening.open()
  const response = await first
  expect(response.status).toBe(200)
  expect(response.headers.get('mcp-session-id')).toBeTruthy()
  await open('second')
  expect(vi.getTimerCount()).toBe(0)
})

it("waits at most one second; later sessions don't wait at all", async () => {
  const { open, given } = started(new Promise(() => {}))
  const [first, second] = [open('first'), open('second')]
  await vi.advanceTimersByTimeAsync(999)
  expect(given).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  for (const response of [await first, await second])
    expect(response.headers.get('mcp-session-id')).toBeTruthy()
  expect((await open('third')).headers.get('mcp-session-id')).toBeTruthy()
  expect(vi.getTimerCount()).toBe(0)
})

it('does not wait for a store that fails to subscribe', async () => {
  const { open } = started(Promise.reject(new Error('away')))
  expect((await open('first')).headers.get('mcp-session-id')).toBeTruthy()
  expect(vi.getTimerCount()).toBe(0)
})
