/** Answers, states, confirmations and tasks that reached further than they may. */

import { setImmediate } from 'node:timers/promises'
import { type Caller, McpRouter, memoryStore, type RouterOptions, type Store } from 'mcp-router'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { latch } from '../contract/fixtures.js'
import { quiet } from '../contract/host.js'
import { passTime } from '../support/time.js'

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON that a test looks into
type Json = any

const named = z.object({ name: z.string() })
const ana = { action: 'accept', content: { name: 'Ana' } }
const extension = 'io.modelcontextprotocol/tasks'
const capabilities = { elicitation: {}, extensions: { [extension]: {} } }

function make(options: RouterOptions = {}): McpRouter<object> {
  return new McpRouter<object>({ name: 'x', logger: quiet, ...options })
}

let id = 0
async function send(
  router: McpRouter<object>,
  method: string,
  params: object,
  caller: Caller<object> = {},
): Promise<Json> {
  id += 1
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  return router.handle({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }, caller)
}

const call = (
  router: McpRouter<object>,
  name: string,
  more: object = {},
  caller?: Caller<object>,
): Promise<Json> => send(router, 'tools/call', { name, arguments: {}, ...more }, caller)

/** A store one of whose methods waits until it is let. */
function held(method: keyof Store) {
  const store = memoryStore()
  const [entered, gate] = [latch(), latch()]
  const slow = new Proxy(store, {
    get(target, name) {
      const own = Reflect.get(target, name).bind(target)
      if (name !== method) return own
      return async (...args: unknown[]) => {
        entered.open()
        await gate.opened
        return own(...args)
      }
    },
  })
  return { store: slow, entered: entered.opened, open: gate.open }
}

/** Lets everything go on that can. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
}

describe('a requestState', () => {
  it('of one URI does not open for another, whatever else the client sends', async () => {
    const router = make()
    router.resource('doc://{id}', {
      handler: async ({ id: doc }, ctx) => {
        await ctx.elicit({ message: 'Pay?', schema: named, key: 'pay' })
        return doc
      },
    })
    const read = (uri: string, more: object = {}) =>
      send(router, 'resources/read', { uri, name: 'x', ...more })
    const { requestState } = (await read('doc://cheap')).result
    const inputResponses = { pay: ana }
    const second = await read('doc://secret', { requestState, inputResponses })
    expect(second.error).toMatchObject({ code: -32602 })
  })

  it('of one server does not open on another that shares its secret', async () => {
    const secret = 'a-secret-that-two-servers-share'
    const [staging, production] = [make({ name: 'staging', secret }), make({ name: 'production', secret })]
    for (const router of [staging, production])
      router.tool('wipe', { description: 'd', confirm: true, handler: () => 'wiped' })
    const { requestState } = (await call(staging, 'wipe')).result
    const inputResponses = { 'mcp-router/confirm': { action: 'accept' } }
    expect((await call(production, 'wipe', { requestState, inputResponses })).error.code).toBe(-32602)
  })

  it('does not grow without bound by what clients answer', async () => {
    const router = make()
    router.tool('ask', {
      description: 'd',
      async handler(_, ctx) {
        await ctx.elicit({ message: 'a', schema: named, key: 'a' })
        await ctx.elicit({ message: 'b', schema: named, key: 'b' })
        return 'done'
      },
    })
    const long = { ...ana, junk: 'x'.repeat(2 * 1024 * 1024) }
    expect((await call(router, 'ask', { inputResponses: { a: long } })).error.code).toBe(-32602)
  })
})

describe('a confirmation', () => {
  it('counts only where it was asked, even when something else was asked before', async () => {
    const ran: string[] = []
    const router = make()
    router.tool('drop', {
      description: 'd',
      confirm: true,
      use: [
        async ({ ctx }, next) => {
          await ctx.elicit({ message: 'Who?', schema: named, key: 'who' })
          return next()
        },
      ],
      handler: () => void ran.push('drop'),
    })
    const first = (await call(router, 'drop')).result
    const inputResponses = { who: ana, 'mcp-router/confirm': { action: 'accept' } }
    const second = (await call(router, 'drop', { requestState: first.requestState, inputResponses })).result
    expect(Object.keys(second.inputRequests)).toEqual(['mcp-router/confirm'])
    expect(ran).toEqual([])
  })

  it('does not let a tool run that was cancelled meanwhile', async () => {
    const ran: string[] = []
    const { store, entered, open } = held('claim')
    const router = make({ store })
    router.tool('drop', { description: 'd', confirm: true, handler: () => void ran.push('drop') })
    const { requestState } = (await call(router, 'drop')).result
    const inputResponses = { 'mcp-router/confirm': { action: 'accept' } }
    const controller = new AbortController()
    const answer = call(router, 'drop', { requestState, inputResponses }, { signal: controller.signal })
    await entered
    controller.abort()
    expect(await answer).toBeUndefined()
    open()
    await settled()
    expect(ran).toEqual([])
  })
})

describe('once', () => {
  it('is remembered as long as the conversation goes on', async () => {
    const pass = passTime()
    const router = make({ stateTtlMs: 1_000 })
    let charged = 0
    router.tool('order', {
      description: 'd',
      async handler(_, ctx) {
        await ctx.once('charge', () => (charged += 1))
        for (const key of ['a', 'b', 'c']) await ctx.elicit({ message: key, schema: named, key })
        return 'done'
      },
    })
    let { result } = await call(router, 'order')
    for (const key of ['a', 'b', 'c']) {
      pass(700)
      ;({ result } = await call(router, 'order', {
        requestState: result.requestState,
        inputResponses: { [key]: ana },
      }))
    }
    expect(result.content).toEqual([{ type: 'text', text: 'done' }])
    expect(charged).toBe(1)
  })

  it('is not done again for a result that JSON cannot carry', async () => {
    const router = make()
    let charged = 0
    router.tool('order', {
      description: 'd',
      async handler(_, ctx) {
        const charge = () => {
          charged += 1
          return 1n
        }
        await ctx.once('charge', charge).catch(() => {})
        await ctx.elicit({ message: 'a', schema: named, key: 'a' })
        return 'done'
      },
    })
    const { requestState } = (await call(router, 'order')).result
    await call(router, 'order', { requestState })
    expect(charged).toBe(1)
  })

  it('leaves nothing behind of those who waited in vain', async () => {
    const store = memoryStore()
    let listening = 0
    const counted = new Proxy(store, {
      get(target, name) {
        const own = Reflect.get(target, name).bind(target)
        if (name !== 'subscribe') return own
        return async (...args: [string, (message: string) => void]) => {
          const stop = await own(...args)
          listening += 1
          return () => {
            listening -= 1
            stop()
          }
        }
      },
    })
    const router = make({ store: counted })
    router.tool('hang', {
      description: 'd',
      timeoutMs: 20,
      async handler(_, ctx) {
        await ctx.elicit({ message: 'a', schema: named, key: 'a' })
        return ctx.once('k', () => new Promise<never>(() => {}))
      },
    })
    const { requestState } = (await call(router, 'hang')).result
    const again = { requestState, inputResponses: { a: ana } }
    await Promise.all([1, 2, 3, 4].map(() => call(router, 'hang', again)))
    await vi.waitFor(() => expect(listening).toBe(0))
  })
})

describe('a question', () => {
  it('is not asked after the call is over', async () => {
    const sent: Json[] = []
    const failed: unknown[] = []
    const router = make()
    router.tool('late', {
      description: 'd',
      timeoutMs: 10,
      async handler(_, ctx) {
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        await ctx.elicit({ message: 'a', schema: named }).catch((error: unknown) => failed.push(error))
      },
    })
    const caller: Caller<object> = {
      protocolVersion: '2025-11-25',
      client: { name: 'x', version: '1', capabilities },
      send: (message) => Boolean(sent.push(message)),
    }
    await router.handle({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'late' } }, caller)
    await vi.waitFor(() => expect(failed).toHaveLength(1))
    expect(failed[0]).toMatchObject({ message: expect.stringContaining('over') })
    expect(sent).toEqual([])
  })

  it('is refused in words of its own where the revision has none', async () => {
    const router = make({ exposeErrors: false })
    router.tool('ask', { description: 'd', handler: (_, ctx) => ctx.elicit({ message: 'a', schema: named }) })
    const caller: Caller<object> = {
      protocolVersion: '2025-03-26',
      client: { name: 'x', version: '1', capabilities },
      send: () => true,
    }
    const answer: Json = await router.handle(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } },
      caller,
    )
    expect(answer.error).toMatchObject({ code: -32600, message: expect.stringContaining('2025-03-26') })
  })
})

describe('a task', () => {
  function asking(options: RouterOptions = {}) {
    const work = { lock: 0 }
    const router = make(options)
    router.tool('ask', {
      description: 'd',
      task: 'optional',
      async handler(_, ctx) {
        work.lock += 1
        try {
          return (await ctx.elicit({ message: 'a', schema: named })).action
        } finally {
          work.lock -= 1
        }
      },
    })
    return { router, work }
  }

  it('lets its handler clean up when it is cancelled while it asks', async () => {
    const { router, work } = asking()
    const { taskId } = (await call(router, 'ask')).result
    await vi.waitFor(() => expect(work.lock).toBe(1))
    await send(router, 'tasks/cancel', { taskId })
    await vi.waitFor(() => expect(work.lock).toBe(0))
  })

  it('that was cancelled before it began does not begin', async () => {
    const { store, entered, open } = held('set')
    const { router, work } = asking({ store })
    const controller = new AbortController()
    const answer = call(router, 'ask', {}, { signal: controller.signal })
    await entered
    controller.abort()
    expect(await answer).toBeUndefined()
    open()
    await settled()
    expect(work.lock).toBe(0)
  })

  it('takes answers that are objects, and no other', async () => {
    const { router } = asking()
    const { taskId } = (await call(router, 'ask')).result
    const { error } = await send(router, 'tasks/update', { taskId, inputResponses: { 'input-1': null } })
    expect(error.code).toBe(-32602)
    for (const other of [`${taskId}:end`, `${taskId}:answer:input-1`]) {
      expect((await send(router, 'tasks/get', { taskId: other })).error.code).toBe(-32602)
    }
  })

  it('is one of a bounded number of one caller', async () => {
    const { router } = asking({ tasks: { maxRunning: 2 } })
    const of = (user: string) => call(router, 'ask', {}, { user: { id: user } } as Caller<object>)
    const started = [await of('ana'), await of('ana')]
    expect((await of('ana')).error.message).toContain('Too many tasks')
    expect((await of('ben')).result.resultType).toBe('task')
    const { taskId } = started[0].result
    await send(router, 'tasks/cancel', { taskId }, { user: { id: 'ana' } } as Caller<object>)
    await vi.waitFor(async () => expect((await of('ana')).result.resultType).toBe('task'))
  })

  it('shows a subscription only what its tool would show the caller', async () => {
    const router = make()
    let hidden = false
    router.tool('payroll', {
      description: 'd',
      task: 'required',
      visible: () => !hidden,
      handler: () => 'secret',
    })
    const { taskId } = (await call(router, 'payroll')).result
    const listened: Json[] = []
    hidden = true
    const caller: Caller<object> = { send: (message) => Boolean(listened.push(message)) }
    const listening = send(router, 'subscriptions/listen', { notifications: { taskIds: [taskId] } }, caller)
    await vi.waitFor(() => expect(listened).toHaveLength(1))
    expect(listened[0].params.notifications).toEqual({ taskIds: [] })
    await router.close()
    await listening
    expect(JSON.stringify(listened)).not.toContain('secret')
  })
})
