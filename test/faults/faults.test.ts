/** What goes wrong around a router: loops that stall, stores and disks that fail. Calls are answered all the same. */

import { type Caller, McpRouter, memoryStore, type Store } from 'mcp-router'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { legacy, modern } from '../contract/clients.js'
import { serveNode } from '../support/serve-node.js'
import { silent } from '../support/silent.js'
import { settled, unhandledRejections } from '../support/time.js'
import { connect } from '../wire/client.js'

/** Keeps the event loop for itself. */
function stall(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end) Math.sqrt(end)
}

it('a stalled event loop delays answers and loses none', async () => {
  const router = new McpRouter({ logger: silent, timeoutMs: 5_000 })
  router.tool('add', { description: 'd', input: z.object({ a: z.number() }), handler: ({ a }) => a + 1 })
  router.tool('stall', { description: 'd', handler: () => stall(300) ?? 'stalled' })
  const url = await serveNode(router)
  const client = await legacy(url)
  const answers = await Promise.all([
    modern(url).call('stall'),
    ...Array.from({ length: 30 }, (_, a) => (a % 2 === 0 ? client : modern(url)).call('add', { a })),
  ])
  const texts = answers.map(({ json }) => json.result.content[0].text)
  expect(texts).toEqual(['stalled', ...Array.from({ length: 30 }, (_, a) => String(a + 1))])
})

it('a stall longer than the time limit ends the call that stalled, and no call beside it', async () => {
  const router = new McpRouter({ logger: silent, timeoutMs: 100 })
  router.tool('stall', {
    description: 'd',
    handler: async () => {
      await null
      stall(250)
      await new Promise((resolve) => setTimeout(resolve, 50))
      return 'too late'
    },
  })
  router.tool('quick', { description: 'd', handler: () => 'quick' })
  const [slow, quick] = await Promise.all([router.call('stall'), router.call('quick')])
  expect(slow.isError).toBe(true)
  expect(quick.content).toMatchObject([{ text: 'quick' }])
  expect(router.stats().running).toBe(0)
})

/** A store whose every operation fails in one way. */
function failing(fail: () => Promise<never>): Store {
  const kept = memoryStore()
  return new Proxy(kept, {
    get: (target, name) => {
      const own = Reflect.get(target, name)
      return typeof own === 'function' && name !== 'close' ? fail : own
    },
  })
}

const ways: Record<string, () => Promise<never>> = {
  rejects: () => Promise.reject(new Error('ENOSPC: secret path /var/lib/store')),
  throws: () => {
    throw new Error('ENOSPC: secret path /var/lib/store')
  },
}

it.each(Object.entries(ways))(
  'a store that %s costs what needs it, and tells nobody why',
  async (_, fail) => {
    const unhandled = unhandledRejections()
    const router = new McpRouter({ logger: silent, store: failing(fail), exposeErrors: false })
    router.tool('add', { description: 'd', handler: () => 3 })
    router.tool('once', { description: 'd', handler: (_, ctx) => ctx.once('k', () => 1) })
    router.tool('keeps', {
      description: 'd',
      handler: async (_, ctx) => {
        await ctx.session?.set('k', 1)
        return 'kept'
      },
    })
    const url = await serveNode(router)
    const client = await legacy(url)
    for (const one of [client, modern(url)]) {
      expect((await one.call('add', {})).json.result.content[0].text).toBe('3')
      for (const name of ['once', 'keeps']) {
        const { text } = await one.call(name, {})
        expect(text).not.toMatch(/ENOSPC|secret path/)
      }
    }
    await router.notify.toolsChanged().catch(() => {})
    await settled()
    expect(unhandled).toEqual([])
    expect(router.stats().running).toBe(0)
  },
)

it('a store that fails while a task runs costs the task, and nothing else', async () => {
  const unhandled = unhandledRejections()
  let failing = false
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const store = new Proxy(memoryStore(), {
    get: (target, name) => {
      const own = Reflect.get(target, name)
      if (typeof own !== 'function') return own
      return failing && name !== 'close' ? ways.rejects : own.bind(target)
    },
  })
  const router = new McpRouter<object>({ logger: silent, store, exposeErrors: false })
  router.tool('work', { description: 'd', task: 'optional', handler: () => released.then(() => 'worked') })
  router.tool('add', { description: 'd', handler: () => 3 })
  const client = await legacy(await serveNode(router))
  const began = await client.request('tools/call', { name: 'work', arguments: {}, task: {} })
  const { taskId } = began.json.result.task
  failing = true
  release()
  const asked = await client.request('tasks/get', { taskId })
  expect(asked.json.error.code).toBe(-32603)
  expect(asked.text).not.toContain('ENOSPC')
  const refused = await client.request('tools/call', { name: 'work', arguments: {}, task: {} })
  expect(refused.text).not.toContain('ENOSPC')
  expect(refused.json.error ?? refused.json.result.isError).toBeTruthy()
  expect((await client.call('add', {})).json.result.content[0].text).toBe('3')
  await settled()
  await router.close({ drainMs: 1_000 })
  expect(router.stats().running).toBe(0)
  expect(unhandled).toEqual([])
})

it('a disk that is full under the logger breaks nothing, whether it throws, rejects or blocks', async () => {
  const unhandled = unhandledRejections()
  const full = (): never => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }
  const never = (): Promise<never> => new Promise(() => {})
  for (const write of [full, async () => full(), never, () => stall(20)]) {
    const router = new McpRouter({
      logger: { debug: write, info: write, warn: write, error: write },
      onError: write,
      onActivity: write,
    })
    router.tool('logs', {
      description: 'd',
      handler: (_, ctx) => {
        ctx.log.info('works')
        ctx.log.error('works less')
        return 'logged'
      },
    })
    router.tool('fails', {
      description: 'd',
      handler: () => {
        throw new Error('boom')
      },
    })
    expect((await router.call('logs')).content).toMatchObject([{ text: 'logged' }])
    expect((await router.call('fails')).isError).toBe(true)
    expect((await connect(router).error('nope')).code).toBe(-32601)
    await router.close()
  }
  await settled()
  expect(unhandled).toEqual([])
})

it('a handler that crashes in any way is one answer, and the next call is served', async () => {
  const unhandled = unhandledRejections()
  const crashes: Record<string, () => unknown> = {
    throws: () => {
      throw new Error('secret')
    },
    rejects: () => Promise.reject(new Error('secret')),
    'throws nothing': () => Promise.reject(undefined),
    'throws a getter that throws': () => {
      throw Object.defineProperty(new Error('secret'), 'message', {
        get() {
          throw new Error('secret')
        },
      })
    },
    'overflows the stack': function again(): unknown {
      return again()
    },
    'returns what cannot be written': () => ({ structuredContent: { self: globalThis } }),
    'returns a promise that rejects twice': () => ({
      // biome-ignore lint/suspicious/noThenProperty: it is what a handler returns
      then(_: unknown, reject: (reason: unknown) => void) {
        reject(new Error('secret'))
        throw new Error('secret')
      },
    }),
  }
  const router = new McpRouter({ logger: silent, exposeErrors: false })
  for (const [name, handler] of Object.entries(crashes))
    router.tool(name.replaceAll(' ', '-'), { description: 'd', handler: handler as () => string })
  router.tool('next', { description: 'd', handler: () => 'served' })
  const client = connect(router, '2025-11-25', {} as Caller)
  for (const name of Object.keys(crashes)) {
    const answer = JSON.stringify(await client.request('tools/call', { name: name.replaceAll(' ', '-') }))
    expect(answer, name).toMatch(/"isError":true|"error"/)
    expect(answer, name).not.toContain('secret')
    expect((await client.result('tools/call', { name: 'next' })).content[0].text).toBe('served')
  }
  await settled()
  expect(unhandled).toEqual([])
})
