/** The store's load by subscriptions to tasks: one read at a time, and none after the task has ended. */

import { type Caller, McpRouter, memoryStore, type Store } from 'mcp-router'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { latch } from '../contract/fixtures.js'
import { silent } from '../support/silent.js'
import { settled } from '../support/time.js'
import { connect } from '../wire/client.js'

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON that a test looks into
type Json = any

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const extension = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const meta = { 'io.modelcontextprotocol/clientCapabilities': extension }

/** A client that listens to a task that it started, which ends once `opened` resolves. */
async function listening() {
  const store = memoryStore()
  const get = vi.spyOn(store, 'get')
  let listeners = 0
  const subscribe = store.subscribe.bind(store)
  vi.spyOn(store, 'subscribe').mockImplementation(async (...given: Parameters<Store['subscribe']>) => {
    const stop = await subscribe(...given)
    if (!given[0].startsWith('task:')) return stop
    listeners += 1
    return () => {
      listeners -= 1
      return stop()
    }
  })
  const gate = latch()
  const router = new McpRouter<object>({ name: 'x', logger: silent, store })
  onTestFinished(() => router.close({ drainMs: 0 }))
  router.tool('work', {
    description: 'd',
    task: 'required',
    async handler() {
      await gate.opened
      return 'done'
    },
  })
  const gone = new AbortController()
  const client = connect(router as McpRouter, undefined, { signal: gone.signal } as Caller)
  const { taskId } = ((await client.request('tools/call', { name: 'work' }, meta)) as Json).result
  void client.request('subscriptions/listen', { notifications: { taskIds: [taskId] } }, meta)
  const told = () =>
    client.notices
      .filter(({ method }) => method === 'notifications/tasks')
      .map(({ params }) => (params as Json).status)
  await vi.waitFor(() => expect(told()).toEqual(['working']))
  const later = async (ms: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(ms)
    await settled()
  }
  return { get, gate, told, later, listeners: () => listeners }
}

it('neither reads nor listens to a task that has ended', async () => {
  const { get, gate, told, later, listeners } = await listening()
  gate.open()
  await vi.waitFor(() => expect(told()).toEqual(['working', 'completed']))
  await vi.waitFor(() => expect(listeners()).toBe(0))
  get.mockClear()
  await later(60_000)
  expect(get).not.toHaveBeenCalled()
  expect(told()).toEqual(['working', 'completed'])
})

it('reads a task again only after the last read has finished', async () => {
  const { get, later } = await listening()
  get.mockClear()
  get.mockImplementation(() => new Promise(() => {}))
  await later(60_000)
  const ofWatch = get.mock.calls.filter(([key]) => !key.endsWith(':end'))
  expect(ofWatch).toHaveLength(1)
})
