/** What `router.handle()` does for a caller that is a connection: one with `send` and `signal`. */

import { type Caller, type JsonRpcNotification, type JsonRpcRequest, McpRouter } from 'mcp-router'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { routers } from '../support/routers.js'

// biome-ignore lint/suspicious/noExplicitAny: looked into, whatever came
type Json = any

const { make } = routers()

function connection(router: McpRouter, more: Caller = {}) {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const sent: Json[] = []
  let wake = (): void => {}
  const caller: Caller = {
    signal: gone.signal,
    send: (message: JsonRpcNotification | JsonRpcRequest) => {
      sent.push(message as unknown as Json)
      wake()
      return true
    },
    ...more,
  }
  const next = async (): Promise<Json> => {
    while (sent.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return sent.shift() as Json
  }
  let id = 0
  const ask = (method: string, params: object = {}): Promise<Json> =>
    router.handle({ jsonrpc: '2.0', id: ++id, method, params }, caller) as Promise<unknown> as Promise<Json>
  const initialize = (protocolVersion = '2025-11-25', capabilities: object = {}) =>
    ask('initialize', { protocolVersion, capabilities, clientInfo: { name: 'c', version: '1' } })
  return { sent, next, ask, initialize, caller, leave: () => gone.abort() }
}

const version = (router: McpRouter) =>
  router.tool('who', {
    description: 'd',
    handler: (_, { protocolVersion, client }) => `${protocolVersion} ${client?.name}`,
  })

it('remembers what initialize agreed on, for messages that did not wait for its answer too', async () => {
  const router = make()
  version(router)
  const { initialize, ask } = connection(router)
  const answers = await Promise.all([initialize('2025-06-18'), ask('tools/call', { name: 'who' })])
  expect(answers[0].result.protocolVersion).toBe('2025-06-18')
  expect(answers[1].result.content[0].text).toBe('2025-06-18 c')
})

it('keeps to what was agreed before when another handshake is refused', async () => {
  const router = make()
  version(router)
  const { initialize, ask } = connection(router)
  await initialize('2025-06-18')
  expect((await ask('initialize', { protocolVersion: 7 })).error.code).toBe(-32602)
  expect((await ask('tools/call', { name: 'who' })).result.content[0].text).toBe('2025-06-18 c')
})

it('tells a client of changes from its handshake on, and no longer than its connection', async () => {
  const router = make()
  version(router)
  const [told, silent] = [connection(router), connection(router)]
  const { result } = await told.initialize()
  expect(result.capabilities).toMatchObject({ tools: { listChanged: true } })
  await told.ask('ping')
  await silent.ask('ping')
  router.tool('more', { description: 'd', handler: () => '' })
  expect(await told.next()).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  await router.notify.custom('notifications/acme/built', { at: 1 })
  expect(await told.next()).toMatchObject({ method: 'notifications/acme/built', params: { at: 1 } })
  told.leave()
  await router.notify.toolsChanged()
  expect([told.sent, silent.sent]).toEqual([[], []])
})

it('tells of the resources that the client subscribed to', async () => {
  const router = make()
  router.resource('a://{n}', { handler: ({ n }) => n })
  const { initialize, ask, next, sent } = connection(router)
  expect((await ask('resources/subscribe', { uri: 'a://1' })).error.code).toBe(-32600)
  const { result } = await initialize()
  expect(result.capabilities.resources).toEqual({ subscribe: true, listChanged: true })
  expect((await ask('resources/subscribe', { uri: 'a://1' })).result).toEqual({})
  await router.notify.resourceUpdated('a://2')
  await router.notify.resourceUpdated('a://1')
  expect((await next()).params).toEqual({ uri: 'a://1' })
  expect((await ask('resources/unsubscribe', { uri: 'a://1' })).result).toEqual({})
  await router.notify.resourceUpdated('a://1')
  expect(sent).toEqual([])
})

it('tells nobody of what is hidden from them', async () => {
  const router = make()
  const visible = ({ user }: { user: unknown }): boolean => user === 'ana'
  router.resource('a://b', { text: '', visible })
  const [ana, ben] = [connection(router, { user: 'ana' }), connection(router, { user: 'ben' })]
  for (const { initialize, ask } of [ana, ben]) {
    await initialize()
    await ask('resources/subscribe', { uri: 'a://b' })
  }
  await router.notify.resourceUpdated('a://b')
  expect((await ana.next()).params).toEqual({ uri: 'a://b' })
  expect(ben.sent).toEqual([])
})

it('asks the client, whose answer comes by the same caller', async () => {
  const router = make()
  router.tool('ask', {
    description: 'd',
    handler: async (_, ctx) =>
      (await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) })).content?.name,
  })
  const { initialize, ask, next, caller } = connection(router)
  await initialize('2025-06-18', { elicitation: {} })
  const answer = ask('tools/call', { name: 'ask' })
  const { id, method } = await next()
  expect(method).toBe('elicitation/create')
  const result = { action: 'accept', content: { name: 'Ana' } }
  await router.handle({ jsonrpc: '2.0', id, result }, caller)
  expect((await answer).result.content[0].text).toBe('Ana')
})

it('advertises no changes to callers that cannot be told of them', async () => {
  for (const more of [{ send: undefined }, { signal: undefined }]) {
    const router = make()
    version(router)
    const { result } = await connection(router, more).initialize()
    expect(result.capabilities.tools).toEqual({})
  }
})

it('survives a transport whose send throws', async () => {
  const router = make()
  version(router)
  const send = (): never => {
    throw new Error('gone')
  }
  const { initialize, ask } = connection(router, { send })
  await initialize()
  await ask('ping')
  await router.notify.toolsChanged()
  expect((await ask('ping')).result).toEqual({})
})

it('keeps nothing for a client that has not initialized, and closes no stream', async () => {
  const router = make()
  router.tool('t', {
    description: 'd',
    handler: (_, ctx) => `${ctx.session} ${ctx.closeStream()}`,
  })
  const { ask, initialize } = connection(router)
  const call = async () => (await ask('tools/call', { name: 't' })).result.content[0].text
  expect(await call()).toBe('undefined false')
  await initialize()
  expect(await call()).toBe('[object Object] false')
})

it('runs nothing for a connection that has ended, and tells it nothing', async () => {
  const router = make()
  const ran: string[] = []
  router.tool('t', { description: 'd', handler: () => `ran ${ran.push('handler')}` })
  const { ask, caller, leave, sent } = connection(router, { protocolVersion: '2025-11-25' })
  leave()
  expect(caller.signal?.aborted).toBe(true)
  expect(await ask('tools/call', { name: 't' })).toBeUndefined()
  await router.notify.toolsChanged()
  expect({ ran, sent, running: router.stats().running }).toEqual({ ran: [], sent: [], running: 0 })
})

it('ends with the router', async () => {
  const router = new McpRouter()
  version(router)
  const { initialize, ask, sent } = connection(router)
  await initialize()
  await ask('ping')
  await router.close({ drainMs: 0 })
  await router.notify.toolsChanged()
  expect(sent).toEqual([])
})

it('listens to the end of a connection once, however many calls run', async () => {
  const router = make()
  const held: (() => void)[] = []
  router.tool('held', {
    description: 'd',
    handler: () => new Promise<string>((resolve) => held.push(() => resolve('done'))),
  })
  const warnings: unknown[] = []
  const onWarning = (warning: unknown): void => void warnings.push(warning)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  const { ask } = connection(router)
  const answers = Array.from({ length: 30 }, () => ask('tools/call', { name: 'held' }))
  while (held.length < 30) await new Promise((resolve) => setImmediate(resolve))
  for (const release of held) release()
  await Promise.all(answers)
  expect(warnings).toEqual([])
})

it('keeps what an app keeps for it, as JSON, until the app deletes it', async () => {
  const router = make({ exposeErrors: true })
  const schema = z.object({ does: z.enum(['get', 'set', 'delete', 'bigint']) })
  router.tool('keep', {
    description: 'd',
    input: schema,
    handler: async ({ does }, { session }) => {
      if (does === 'get') return JSON.stringify((await session?.get('cart')) ?? null)
      if (does === 'delete') return String(await session?.delete('cart'))
      return String(await session?.set('cart', does === 'set' ? { sku: 'A1' } : 1n))
    },
  })
  const { initialize, ask } = connection(router)
  await initialize()
  const keep = async (does: string): Promise<string> =>
    (await ask('tools/call', { name: 'keep', arguments: { does } })).result.content[0].text
  expect([await keep('set'), await keep('get')]).toEqual(['undefined', '{"sku":"A1"}'])
  expect(await keep('bigint')).toContain('ctx.session.set("cart"): expected a JSON value')
  expect([await keep('delete'), await keep('delete'), await keep('get')]).toEqual(['true', 'false', 'null'])
  const other = connection(router)
  await other.initialize()
  expect(
    (await other.ask('tools/call', { name: 'keep', arguments: { does: 'get' } })).result.content,
  ).toEqual([{ type: 'text', text: 'null' }])
})
