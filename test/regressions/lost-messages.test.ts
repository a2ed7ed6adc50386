/** What the store keeps reaches those who wait for it, whether it was published or not. */

import { McpRouter, memoryStore, type Store } from 'mcp-router'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { type Json, post } from '../contract/client.js'
import { type Client, legacy, modern } from '../contract/clients.js'
import { latch } from '../contract/fixtures.js'
import { quiet } from '../contract/host.js'
import { serveNode } from '../support/serve-node.js'

const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }
const taking = { meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities } }
const named = z.object({ name: z.string() })
const accept = { action: 'accept', content: { name: 'Ana' } }
/** Longer than a reader waits before it looks for itself, or a publisher before it tries again. */
const aWhile = 5_000

/** What becomes of messages on channels that begin so: `lost` as if their publisher had been killed; `refused` by the store. */
let fate: { readonly channel: string; readonly how: 'lost' | 'refused' } | undefined

beforeEach(() => {
  fate = undefined
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
})

async function serve() {
  const store = memoryStore()
  const publish: Store['publish'] = async (channel, message) => {
    if (fate === undefined || !channel.startsWith(fate.channel)) return store.publish(channel, message)
    if (fate.how === 'refused') throw new Error('away')
  }
  const flaky = new Proxy(store, {
    get: (target, name) => (name === 'publish' ? publish : Reflect.get(target, name)?.bind?.(target)),
  })
  const router = new McpRouter<object>({
    name: 'lost',
    version: '1',
    logger: quiet,
    secret: 'a secret of the tests',
    store: flaky,
  })
  const [began, go, aborted] = [latch(), latch(), latch()]
  router.tool('work', {
    description: 'Works until it is let go',
    task: 'optional',
    async handler(_, ctx) {
      ctx.signal.addEventListener('abort', () => aborted.open())
      began.open()
      await Promise.race([go.opened, aborted.opened])
      return 'done'
    },
  })
  router.tool('ask', {
    description: 'Asks for a name',
    task: 'optional',
    handler: async (_, ctx) =>
      (await ctx.elicit({ message: 'Who?', schema: named })).content?.name ?? 'nobody',
  })
  onTestFinished(() => router.close({ drainMs: 0 }))
  return { router, url: await serveNode(router), began, go, aborted }
}

const about = (client: Client, method: string, taskId: string, params = {}): Promise<Json> =>
  client.request(method, { taskId, ...params }, { headers: { 'Mcp-Name': taskId } }).then(({ json }) => json)

/** Waits for a state of the task, while nobody moves the time on. */
const until = (client: Client, taskId: string, wanted: object): Promise<Json> =>
  vi.waitUntil(
    async () => {
      const { result } = await about(client, 'tasks/get', taskId)
      return expect.objectContaining(wanted).asymmetricMatch(result) ? result : undefined
    },
    { interval: 0, timeout: 10_000 },
  )

async function asking(url: string) {
  const client = modern(url, taking)
  const { taskId } = (await client.call('ask', {})).json.result
  const { inputRequests } = await until(client, taskId, { status: 'input_required' })
  const [key = ''] = Object.keys(inputRequests)
  const update = () => about(client, 'tasks/update', taskId, { inputResponses: { [key]: accept } })
  return { client, taskId, update }
}

const answered = {
  status: 'completed',
  result: expect.objectContaining({ content: [{ type: 'text', text: 'Ana' }] }),
}

it.each(['lost', 'refused'] as const)('a task gets its answer that was %s', async (how) => {
  const { url } = await serve()
  const { client, taskId, update } = await asking(url)
  fate = { channel: 'task:', how }
  expect((await update()).error).toBeUndefined()
  fate = undefined
  vi.advanceTimersByTime(aWhile)
  await until(client, taskId, answered)
})

it('a task gets its first answer when a second one is given', async () => {
  const { url } = await serve()
  const { client, taskId, update } = await asking(url)
  fate = { channel: 'task:', how: 'lost' }
  await update()
  fate = undefined
  await update()
  await until(client, taskId, answered)
})

it.each(['lost', 'refused'] as const)('a task gets its cancellation that was %s', async (how) => {
  const { router, url, began, aborted } = await serve()
  const client = await legacy(url)
  const { taskId } = (await client.request('tools/call', { name: 'work', arguments: {}, task: {} })).json
    .result.task
  await began.opened
  fate = { channel: 'task:', how }
  expect((await client.request('tasks/cancel', { taskId })).json.result).toMatchObject({
    status: 'cancelled',
  })
  fate = undefined
  vi.advanceTimersByTime(aWhile)
  await aborted.opened
  await vi.waitUntil(() => router.stats().running === 0, { interval: 0 })
})

it('a task gets its cancellation when it is cancelled again', async () => {
  const { url, began, aborted } = await serve()
  const client = await legacy(url)
  const { taskId } = (await client.request('tools/call', { name: 'work', arguments: {}, task: {} })).json
    .result.task
  await began.opened
  fate = { channel: 'task:', how: 'lost' }
  await client.request('tasks/cancel', { taskId })
  fate = undefined
  expect((await client.request('tasks/cancel', { taskId })).json.error).toMatchObject({ code: -32602 })
  await aborted.opened
})

it.each(['lost', 'refused'] as const)('tasks/result ends with a task whose end was %s', async (how) => {
  const { router, url, began, go } = await serve()
  const client = await legacy(url)
  const { taskId } = (await client.request('tools/call', { name: 'work', arguments: {}, task: {} })).json
    .result.task
  await began.opened
  const result = client.request('tasks/result', { taskId })
  await vi.waitUntil(() => router.stats().running === 2, { interval: 0 })
  fate = { channel: 'task:', how }
  go.open()
  await until(client, taskId, { status: 'completed' })
  fate = undefined
  vi.advanceTimersByTime(aWhile)
  expect((await result).json.result.content).toEqual([{ type: 'text', text: 'done' }])
})

it('a subscription hears of a task whose end was lost', async () => {
  const { url, began, go } = await serve()
  const client = modern(url, taking)
  const { taskId } = (await client.call('work', {})).json.result
  await began.opened
  const stream = await client.open('subscriptions/listen', { notifications: { taskIds: [taskId] } })
  const statuses = async (wanted: string) => {
    for (;;) if ((await stream.next()).params?.status === wanted) return
  }
  await statuses('working')
  fate = { channel: 'task:', how: 'lost' }
  go.open()
  await until(client, taskId, { status: 'completed' })
  vi.advanceTimersByTime(aWhile)
  await statuses('completed')
})

it('a handler gets the answer of a session that was lost', async () => {
  const { url } = await serve()
  const client = await legacy(url, { capabilities: { elicitation: {} } })
  const stream = await client.open('tools/call', { name: 'ask', arguments: {} })
  const { id } = await stream.next()
  fate = { channel: 'answer:', how: 'lost' }
  const answer = { jsonrpc: '2.0', id, result: accept }
  expect((await post(url, answer, { 'Mcp-Session-Id': client.sessionId })).status).toBe(202)
  vi.advanceTimersByTime(aWhile)
  expect((await stream.rest()).at(-1).result.content).toEqual([{ type: 'text', text: 'Ana' }])
})

it('once() gets a result that was lost', async () => {
  const { router, url } = await serve()
  const [begun, go, entered] = [latch(), latch(), latch()]
  let count = 0
  router.tool('pay', {
    description: 'Asks, then pays once',
    async handler(_, ctx) {
      const answer = await ctx.elicit({ message: 'Who?', schema: named })
      if (count > 0) entered.open()
      return ctx.once('pay', async () => {
        count += 1
        begun.open()
        await go.opened
        return answer.content?.name ?? 'nobody'
      })
    },
  })
  const client = modern(url, taking)
  const { inputRequests, requestState } = (await client.call('pay', {})).json.result
  const [key = ''] = Object.keys(inputRequests)
  const call = { name: 'pay', arguments: {}, inputResponses: { [key]: accept }, requestState }
  const first = client.request('tools/call', call)
  await begun.opened
  const second = client.request('tools/call', call, { id: 2 })
  await entered.opened
  // It listens by now, or finds the result when it begins to.
  fate = { channel: '', how: 'lost' }
  go.open()
  expect((await first).json.result.content).toEqual([{ type: 'text', text: 'Ana' }])
  vi.advanceTimersByTime(aWhile)
  expect((await second).json.result.content).toEqual([{ type: 'text', text: 'Ana' }])
  expect(count).toBe(1)
})
