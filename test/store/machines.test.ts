/** Temporary failures of the store, and clocks that differ: confirmed changes reach every machine, and no slot leaks. */

import { type Caller, McpRouter, memoryStore, type RouterOptions, type Store } from 'mcp-router'
import type { QueuedTask, RunnerHost } from 'mcp-router/adapter'
import { mcp } from 'mcp-router/fetch'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { initialize, rpc } from '../contract/clients.js'
import { silent } from '../support/silent.js'
import { settled } from '../support/time.js'
import { connect } from '../wire/client.js'

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON that a test looks into
type Json = any

const faked = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const
beforeEach(() => void vi.useFakeTimers({ toFake: [...faked] }))
afterEach(() => void vi.useRealTimers())

/** The shared store, and those of its methods that currently fail. */
function shared() {
  const store = memoryStore()
  const away = new Set<string>()
  const seen = new Proxy(store, {
    get(target, name: keyof Store & string) {
      const own = (Reflect.get(target, name) as (...args: unknown[]) => unknown)?.bind(target)
      if (own === undefined) return undefined
      return (...args: unknown[]) => (away.has(name) ? Promise.reject(new Error('away')) : own(...args))
    },
  })
  return { store: seen, away }
}

const secret = 'a secret that is long enough'
function make(options: RouterOptions): McpRouter<object> {
  const router = new McpRouter<object>({ name: 'x', logger: silent, secret, ...options })
  onTestFinished(() => router.close({ drainMs: 0 }))
  return router
}

it('tells other machines that a session has ended once the store works again', async () => {
  const { store, away } = shared()
  const [here, there] = [0, 1].map(() => mcp(make({ store }))) as [
    ReturnType<typeof mcp>,
    ReturnType<typeof mcp>,
  ]
  const ask = (handler: typeof here, method: string, body?: Json, id = ''): Promise<Response> => {
    const headers = { 'Content-Type': 'application/json', ...(id !== '' && { 'Mcp-Session-Id': id }) }
    const request = new Request('http://localhost/mcp', { method, headers })
    return handler(request, body === undefined ? undefined : ({ body } as Json))
  }
  const id = (await ask(here, 'POST', initialize())).headers.get('mcp-session-id') ?? ''
  const found = async (handler: typeof here) => (await ask(handler, 'POST', rpc('ping'), id)).status
  expect(await found(there)).toBe(200)
  away.add('set').add('publish')
  expect((await ask(here, 'DELETE', undefined, id)).status).toBe(204)
  for (let second = 0; second < 3; second++) {
    expect([await found(here), await found(there)]).toEqual([404, 200])
    await vi.advanceTimersByTimeAsync(1_000)
  }
  away.clear()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([await found(here), await found(there)]).toEqual([404, 404])
})

const extension = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const meta = { 'io.modelcontextprotocol/clientCapabilities': extension }

const request = { method: 'POST', url: '/mcp', headers: {}, ip: '192.0.2.1', raw: undefined }

/** A router whose tasks wait in a list until a test runs one. */
function queueing(options: RouterOptions = {}) {
  const { store, away } = shared()
  const queue: QueuedTask[] = []
  let host: RunnerHost | undefined
  const router = make({
    store,
    tasks: {
      maxRunning: 1,
      runner(given) {
        host = given
        return { enqueue: async (task) => void queue.push(task), work() {}, close: async () => {} }
      },
    },
    ...options,
  })
  const ran = vi.fn(() => 'worked')
  router.tool('work', { description: 'd', task: 'required', handler: ran })
  const client = connect(router as McpRouter, undefined, { request } as Caller)
  const restore = async () => ({ user: undefined, context: undefined })
  return {
    router,
    away,
    queue,
    ran,
    call: () => client.request('tools/call', { name: 'work' }, meta) as Promise<Json>,
    get: (taskId: string) => client.result('tasks/get', { taskId }, meta),
    run: (task: QueuedTask) => (host as RunnerHost).run(task, { last: true, missingToolMs: 0, restore }),
    giveUp: (taskId: string) => (host as RunnerHost).giveUp(taskId, 'nobody ran it'),
  }
}

it.each(['set', 'subscribe'])('starts and counts no task if `%s` fails', async (method) => {
  const { away, queue, call } = queueing()
  away.add(method)
  expect((await call()).result).toMatchObject({ isError: true })
  expect(queue).toEqual([])
  away.clear()
  expect((await call()).result.resultType).toBe('task')
  // The limit is one running task: the one that didn't start must not count.
  expect((await call()).error.message).toContain('Too many tasks')
})

it.each(['get', 'subscribe', 'claim'])(
  'runs a task once although its `%s` fails for a while',
  async (method) => {
    const { away, queue, call, get, run, ran } = queueing()
    const { taskId } = (await call()).result
    away.add(method)
    const running = run(queue[0] as QueuedTask)
    await vi.advanceTimersByTimeAsync(1_200)
    away.clear()
    await vi.advanceTimersByTimeAsync(500)
    expect(await running).toBe('ended')
    expect(ran).toHaveBeenCalledTimes(1)
    expect(await get(taskId)).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'worked' }] },
    })
  },
)

it('leaves a task to other machines if it closes before the store works again', async () => {
  const { away, queue, call, run, ran, router } = queueing()
  await call()
  away.add('get')
  const running = run(queue[0] as QueuedTask)
  await settled()
  await router.close({ drainMs: 0 })
  await vi.advanceTimersByTimeAsync(500)
  expect(await running).toBe('closing')
  expect(ran).not.toHaveBeenCalled()
})

it('fails a task once the store works again, but not one that has ended', async () => {
  const { away, queue, call, get, run, giveUp } = queueing({})
  const { taskId } = (await call()).result
  away.add('get')
  const given = giveUp(taskId)
  await vi.advanceTimersByTimeAsync(1_200)
  away.clear()
  await vi.advanceTimersByTimeAsync(500)
  await given
  expect(await get(taskId)).toMatchObject({ status: 'failed', error: { message: 'nobody ran it' } })
  expect(await run(queue[0] as QueuedTask)).toBe('ended')
  await giveUp(taskId)
  expect((await get(taskId)).status).toBe('failed')
})

it('ends a task in its time on a machine whose clock is behind that of the one that began it', async () => {
  const { queue, call, get, run, ran } = queueing()
  ran.mockImplementation(() => new Promise<string>(() => {}) as never)
  const { taskId, ttlMs } = (await call()).result
  vi.setSystemTime(Date.now() - 24 * 3_600_000)
  const running = run(queue[0] as QueuedTask)
  await vi.advanceTimersByTimeAsync(ttlMs)
  expect(await running).toBe('ended')
  expect((await get(taskId)).status).not.toBe('working')
})
