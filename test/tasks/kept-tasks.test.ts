/** Limits of kept and running tasks: for one caller, for all anonymous callers, and with workers. */

import { type Caller, McpRouter, memoryStore, type RouterOptions } from 'mcp-router'
import type { QueuedTask, RunnerHost } from 'mcp-router/adapter'
import { expect, it, onTestFinished, vi } from 'vitest'
import { silent } from '../support/silent.js'
import { connect } from '../wire/client.js'

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON that a test looks into
type Json = any

const extension = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const meta = { 'io.modelcontextprotocol/clientCapabilities': extension }
const at = (ip: string) => ({ request: { method: 'POST', url: '/mcp', headers: {}, ip, raw: undefined } })

/** A machine that receives calls, and one that runs their tasks when a test calls it. */
function pair(tasks: RouterOptions['tasks']) {
  const store = memoryStore()
  const queue: QueuedTask[] = []
  let worker: RunnerHost | undefined
  const make = (take: (host: RunnerHost) => void): McpRouter<object> => {
    const runner = (host: RunnerHost) => {
      take(host)
      return { enqueue: async (task: QueuedTask) => void queue.push(task), work() {}, close: async () => {} }
    }
    const router = new McpRouter<object>({ name: 'x', logger: silent, store, tasks: { ...tasks, runner } })
    onTestFinished(() => router.close({ drainMs: 0 }))
    router.tool('work', { description: 'd', task: 'required', handler: () => 'worked' })
    return router
  }
  const front = make(() => {})
  make((host) => {
    worker = host
  })
  const of = (caller: object) => {
    const client = connect(front as McpRouter, undefined, caller as Caller)
    const call = () => client.request('tools/call', { name: 'work' }, meta) as Promise<Json>
    return {
      call,
      status: async (taskId: string) =>
        ((await client.request('tasks/get', { taskId }, meta)) as Json).result?.status,
      async start(): Promise<string> {
        const { taskId } = (await call()).result
        return taskId
      },
    }
  }
  const restore = async () => ({ user: undefined, context: undefined })
  const run = async () => {
    for (const task of queue.splice(0))
      expect(await (worker as RunnerHost).run(task, { last: true, missingToolMs: 0, restore })).toBe('ended')
  }
  return { store, run, of }
}

it('drops all keys of a task, wherever it ran; anonymous callers only lose their own', async () => {
  const { store, run, of } = pair({ maxKept: 2 })
  const [one, other] = [of(at('192.0.2.1')), of(at('192.0.2.2'))]
  const others = await other.start()
  await run()
  const own: string[] = []
  for (const _ of [1, 2, 3, 4]) {
    own.push(await one.start())
    await run()
  }
  const statuses = () => Promise.all(own.map((id) => one.status(id)))
  await vi.waitFor(async () =>
    expect(await statuses()).toEqual([undefined, undefined, 'completed', 'completed']),
  )
  for (const id of own.slice(0, 2))
    expect([await store.get(`task:${id}`), await store.get(`task:${id}:end`)]).toEqual([undefined, undefined])
  expect(await other.status(others)).toBe('completed')
})

it('evicts tasks that ended on a worker on the machine that received the calls', async () => {
  const { run, of } = pair({ maxKept: 1 })
  const one = of(at('192.0.2.1'))
  const first = await one.start()
  await run()
  await vi.waitFor(async () => expect(await one.status(first)).toBe('completed'))
  const second = await one.start()
  await vi.waitFor(async () =>
    expect([await one.status(first), await one.status(second)]).toEqual([undefined, 'working']),
  )
})

it("stores no caller's address", async () => {
  const { store, of } = pair({})
  const id = await of(at('192.0.2.1')).start()
  expect(await store.get(`task:${id}`)).not.toContain('192.0.2.1')
})

it('limits the running tasks of all anonymous callers together, but not of others', async () => {
  const { run, of } = pair({ maxRunning: 1 })
  for (let last = 1; last <= 10; last++) await of(at(`192.0.2.${last}`)).start()
  const refused = (await of(at('198.51.100.1')).call()).error
  expect(refused.message).toContain('at most 10 of all anonymous callers')
  expect((await of({}).call()).error.message).toContain('at most 10 of all anonymous callers')
  expect((await of({ user: { id: 'ana' } }).call()).result.resultType).toBe('task')
  await run()
  await vi.waitFor(async () => expect((await of(at('192.0.2.1')).call()).result?.resultType).toBe('task'))
})

it('limits the kept tasks of all anonymous callers together', async () => {
  const { run, of } = pair({ maxKept: 1 })
  const started: [caller: ReturnType<typeof of>, id: string][] = []
  const begin = async (last: number): Promise<void> => {
    const caller = of(at(`192.0.2.${last}`))
    started.push([caller, await caller.start()])
    await run()
  }
  for (let last = 1; last <= 11; last++) await begin(last)
  const statuses = () => Promise.all(started.map(([caller, id]) => caller.status(id)))
  await vi.waitFor(async () => expect(await statuses()).toEqual([undefined, ...Array(10).fill('completed')]))
})
