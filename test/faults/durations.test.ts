/**
 * The time of day jumps, forward and back, as where a laptop was asleep or its clock was wrong: what lasts for a while in
 * this process lasts exactly that long.
 */

import { McpRouter } from 'mcp-router'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Json, post } from '../contract/client.js'
import { legacy, modern } from '../contract/clients.js'
import { serveNode } from '../support/serve-node.js'
import { silent } from '../support/silent.js'
import { jumpingTimeOfDay, passTime } from '../support/time.js'

const minute = 60_000
const hour = 60 * minute
const year = 365 * 24 * hour
const jumps = [-year, -hour, hour, year]

const jump = jumpingTimeOfDay()

const capabilities = { elicitation: { form: {} } }
const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
const ana = { action: 'accept', content: { name: 'Ana' } }

interface Served {
  readonly router: McpRouter<object>
  readonly url: string
  readonly ran: string[]
}

async function serve(options: object = {}): Promise<Served> {
  const ran: string[] = []
  const router = new McpRouter<object>({ logger: silent, sessionTtlMs: 2 * year, ...options })
  router.tool('greet', {
    description: 'd',
    async handler(_, ctx) {
      const { content } = await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) })
      return `Hello ${content?.name}`
    },
  })
  router.tool('drop', { description: 'd', confirm: true, handler: () => void ran.push('drop') })
  return { router, url: await serveNode(router), ran }
}

const textOf = ({ json }: { readonly json: Json }): unknown => json?.result?.content?.[0]?.text

describe('a question', () => {
  it.each(jumps)('is answered in its session when the clock jumps by %d ms', async (ms) => {
    const { url } = await serve()
    const client = await legacy(url, { capabilities })
    const stream = await client.open('tools/call', { name: 'greet', arguments: {} }, { id: 'g' })
    const { id } = await stream.next()
    jump(ms)
    const answer = { jsonrpc: '2.0', id, result: ana }
    expect(await post(url, answer, { 'Mcp-Session-Id': client.sessionId })).toMatchObject({ status: 202 })
    expect(textOf({ json: (await stream.rest()).at(-1) })).toBe('Hello Ana')
  })

  it.each(jumps)('is answered in rounds when the clock jumps by %d ms', async (ms) => {
    const { url } = await serve({ stateTtlMs: 10 * minute })
    const pass = passTime()
    const client = modern(url, { meta })
    const { requestState, inputRequests } = (await client.call('greet', {})).json.result
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ana]))
    const again = { name: 'greet', arguments: {}, requestState, inputResponses }
    jump(ms)
    pass(9 * minute)
    expect(textOf(await client.request('tools/call', again))).toBe('Hello Ana')
    pass(minute)
    expect((await client.request('tools/call', again)).json.error).toMatchObject({ code: -32602 })
  })

  it.each(jumps)('is confirmed once when the clock jumps by %d ms, however late', async (ms) => {
    const { url, ran } = await serve({ stateTtlMs: 10 * minute })
    const pass = passTime()
    const client = modern(url, { meta })
    const { requestState, inputRequests } = (await client.call('drop', {})).json.result
    const accepted = Object.keys(inputRequests).map((key) => [key, { action: 'accept' }])
    const inputResponses = Object.fromEntries(accepted)
    const again = { name: 'drop', arguments: {}, requestState, inputResponses }
    await client.request('tools/call', again)
    expect(ran).toEqual(['drop'])
    jump(ms)
    for (const later of [0, 9 * minute, 2 * minute, hour]) {
      pass(later)
      expect((await client.request('tools/call', again)).json.error).toMatchObject({ code: -32602 })
    }
    expect(ran).toEqual(['drop'])
  })
})

describe('a stream', () => {
  /** One whose client has left; `look` lets time pass until it is looked at again. */
  async function left() {
    const timers = vi.spyOn(globalThis, 'setInterval')
    const { url, router } = await serve()
    const pass = passTime()
    const client = await legacy(url)
    const stream = await client.listen()
    const { id } = (await stream.nextEvent()) ?? {}
    stream.leave()
    await vi.waitFor(() => expect(router.stats().streams).toBe(0))
    const look = (ms: number): void => {
      pass(ms)
      for (const [run, every] of timers.mock.calls) if (every === 15_000) run()
    }
    return { router, client, id, look }
  }

  it.each(jumps)('whose client is away a moment misses nothing when the clock jumps by %d ms', async (ms) => {
    const { router, client, id, look } = await left()
    jump(ms)
    look(15_000)
    await router.notify.toolsChanged()
    const second = await client.listen({ 'Last-Event-ID': id })
    expect((await second.next()).method).toBe('notifications/tools/list_changed')
    second.leave()
  })

  it.each(jumps)('is kept for a minute and no longer when the clock jumps by %d ms', async (ms) => {
    const { router, client, id, look } = await left()
    jump(ms)
    look(60_000)
    await router.notify.toolsChanged()
    const second = await client.listen({ 'Last-Event-ID': id })
    await router.notify.promptsChanged()
    expect((await second.next()).method).toBe('notifications/prompts/list_changed')
    second.leave()
  })
})

describe('a task', () => {
  it.each(jumps)(
    'keeps its end when the clock jumps by %d ms while it runs, for its own time',
    async (ms) => {
      const { url, router } = await serve()
      const pass = passTime()
      let release: () => void = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const handler = () => released.then(() => 'worked')
      router.tool('work', { description: 'd', task: 'optional', handler })
      const client = await legacy(url)
      const began = await client.request('tools/call', { name: 'work', arguments: {}, task: { ttl: hour } })
      const { taskId } = began.json.result.task
      jump(ms)
      release()
      expect(textOf(await client.request('tasks/result', { taskId }))).toBe('worked')
      pass(59 * minute)
      expect(textOf(await client.request('tasks/result', { taskId }))).toBe('worked')
      pass(minute + 5_001)
      expect((await client.request('tasks/get', { taskId })).json.error.code).toBe(-32602)
    },
  )
})
