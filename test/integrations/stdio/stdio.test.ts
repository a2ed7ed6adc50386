/** `serveStdio()` on the test's own streams: the messages on both pipes. */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import express from 'express'
import { McpRouter, memoryStore } from 'mcp-router'
import { asTool, guard, mcp } from 'mcp-router/express'
import { protectStdout, serveStdio } from 'mcp-router/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { addUnsteady } from '../../contract/core/unsteady-values.js'
import { latch } from '../../contract/fixtures.js'
import { holding } from '../../support/holding.js'
import { routers } from '../../support/routers.js'
import { unhandledRejections } from '../../support/time.js'
import { envelope } from '../../wire/client.js'
import { session } from './session.js'

const { make } = routers()

function asking(): McpRouter {
  const router = make()
  router.tool('who', {
    description: 'd',
    handler: async (_, ctx) => {
      const { content } = await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) })
      return `${content?.name} by ${ctx.protocolVersion}`
    },
  })
  return router
}

it('serves both eras in one process, decided per message', async () => {
  const router = make({ name: 'both' })
  router.tool('version', { description: 'd', handler: (_, ctx) => ctx.protocolVersion })
  const client = session(router)
  expect((await client.modern('server/discover')).result.supportedVersions).toEqual(['2026-07-28'])
  expect((await client.initialize('2025-06-18')).result.protocolVersion).toBe('2025-06-18')
  const answers = await Promise.all([
    client.ask('tools/call', { name: 'version' }),
    client.modern('tools/call', { name: 'version' }),
    client.ask('ping'),
  ])
  expect(answers[0].result.content[0].text).toBe('2025-06-18')
  expect(answers[1].result).toMatchObject({ resultType: 'complete', content: [{ text: '2026-07-28' }] })
  expect(answers[2].result).toEqual({})
})

it('sends requests to clients before 2026-07-28', async () => {
  const router = asking()
  router.tool('roots', { description: 'd', handler: async (_, ctx) => (await ctx.roots())[0]?.uri })
  router.tool('sample', {
    description: 'd',
    handler: async (_, ctx) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'hi' } }]
      return (await ctx.sample({ messages, maxTokens: 5 })).model
    },
  })
  const client = session(router)
  await client.initialize('2025-06-18', { elicitation: {}, roots: {}, sampling: {} })
  const asked = async (name: string, method: string, result: object): Promise<string> => {
    const answer = client.ask('tools/call', { name })
    const question = await client.find((message) => message.method === method)
    client.write({ jsonrpc: '2.0', id: question.id, result })
    return (await answer).result.content[0].text
  }
  const accepted = { action: 'accept', content: { name: 'Ana' } }
  expect(await asked('who', 'elicitation/create', accepted)).toBe('Ana by 2025-06-18')
  expect(await asked('roots', 'roots/list', { roots: [{ uri: 'file:///a' }] })).toBe('file:///a')
  const message = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }
  expect(await asked('sample', 'sampling/createMessage', message)).toBe('m')
})

it('sends a client of 2026-07-28 input_required, and never a request', async () => {
  // The user who started the process needs no id.
  const client = session(asking(), { user: { name: 'Ana' } })
  const capabilities = { elicitation: { form: {} } }
  const { result } = await client.modern('tools/call', { name: 'who' }, capabilities)
  expect(result.resultType).toBe('input_required')
  const [key = ''] = Object.keys(result.inputRequests)
  const inputResponses = { [key]: { action: 'accept', content: { name: 'Ben' } } }
  const again = { name: 'who', inputResponses, requestState: result.requestState }
  expect((await client.modern('tools/call', again, capabilities)).result.content[0].text).toBe(
    'Ben by 2026-07-28',
  )
  expect(client.received.filter((message) => message.method !== undefined)).toEqual([])
})

it('sends progress and log notifications of running calls', async () => {
  const router = make()
  router.tool('work', {
    description: 'd',
    handler: (_, ctx) => {
      ctx.progress(1, 2)
      ctx.log.info('half')
      return 'done'
    },
  })
  const client = session(router)
  await client.initialize()
  await client.ask('tools/call', { name: 'work', _meta: { progressToken: 'p' } })
  expect(client.received.slice(1).map(({ method }) => method)).toEqual([
    'notifications/progress',
    'notifications/message',
    undefined,
  ])
})

it('sends change notifications outside of calls, in the form of each era', async () => {
  const router = make()
  router.tool('a', { description: 'd', handler: () => '' })
  const client = session(router)
  await client.initialize()
  await client.ask('ping')
  const listen = { jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen' }
  client.write({ ...listen, params: { notifications: { toolsListChanged: true }, _meta: envelope() } })
  const subscriptionId = 'io.modelcontextprotocol/subscriptionId'
  await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
  router.tool('b', { description: 'd', handler: () => '' })
  const changed = ({ method }: { method?: string }) => method === 'notifications/tools/list_changed'
  await client.find((message) => changed(message) && message.params?._meta[subscriptionId] === 'sub')
  await client.find((message) => changed(message) && message.params === undefined)
  client.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'sub' } })
  await client.ask('ping')
  client.received.length = 0
  await router.notify.toolsChanged()
  await client.find(changed)
  expect(client.received).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }])
})

it('lets messages overtake a running call, and cancels it without a response', async () => {
  const { router, running } = holding(make())
  const client = session(router)
  await client.initialize()
  client.write({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'held' } })
  const signal = await running
  expect((await client.ask('ping')).result).toEqual({})
  client.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } })
  await client.ask('ping')
  expect(signal.aborted).toBe(true)
  expect(client.received.filter(({ id }) => id === 'slow')).toEqual([])
})

it('answers batches of 2025-03-26 with one line, and refuses those of other revisions', async () => {
  const client = session(asking())
  const batch = [1, 2].map((n) => ({ jsonrpc: '2.0', id: `b${n}`, method: 'ping' }))
  await client.initialize('2025-03-26')
  client.write(batch)
  const answer = await client.find(Array.isArray)
  expect(answer).toEqual(batch.map(({ id }) => ({ jsonrpc: '2.0', id, result: {} })))
  const other = session(asking())
  await other.initialize('2025-06-18')
  other.write(batch)
  expect((await other.find(({ error }) => error !== undefined)).error.code).toBe(-32600)
})

it('takes user, context and scopes from its options; calls have no request', async () => {
  const router = make()
  router.tool('me', {
    description: 'd',
    requireUser: true,
    handler: (_, ctx) => {
      const { db } = ctx as unknown as { db: number }
      return JSON.stringify({ user: ctx.user, request: ctx.request, db, values: typeof ctx.session })
    },
  })
  router.tool('admin', { description: 'd', scopes: ['admin'], handler: () => 'ok' })
  const client = session(router, { user: { id: 'ana' }, context: { db: 7 } })
  await client.initialize()
  const { result } = await client.ask('tools/call', { name: 'me' })
  expect(JSON.parse(result.content[0].text)).toEqual({ user: { id: 'ana' }, db: 7, values: 'object' })
  expect((await client.ask('tools/call', { name: 'admin' })).result.content[0].text).toBe('ok')
  const narrow = session(router, { scopes: ['read'] })
  expect((await narrow.modern('tools/call', { name: 'admin' })).error.code).toBe(-31003)
  expect((await narrow.modern('tools/call', { name: 'me' })).error.code).toBe(-31001)
})

it('keeps `ctx.session` as long as the connection, for clients that initialized', async () => {
  const router = make()
  router.tool('count', {
    description: 'd',
    handler: async (_, { session: values }) => {
      if (values === undefined) return 'none'
      const count = ((await values.get<number>('count')) ?? 0) + 1
      await values.set('count', count)
      return String(count)
    },
  })
  const count = async (client: ReturnType<typeof session>, era: 'ask' | 'modern' = 'ask'): Promise<string> =>
    (await client[era]('tools/call', { name: 'count' })).result.content[0].text
  const [one, other] = [session(router), session(router)]
  await Promise.all([one.initialize(), other.initialize()])
  expect([await count(one), await count(one), await count(other), await count(one, 'modern')]).toEqual([
    '1',
    '2',
    '1',
    'none',
  ])
})

it('refuses guarded calls, unless the guard may be skipped', async () => {
  const router = make()
  const open = (_req: unknown, _res: unknown, next: () => void): void => next()
  router.tool('guarded', { description: 'd', use: [guard(open)], handler: () => 'in' })
  router.tool('skipped', { description: 'd', use: [guard(open, { without: 'skip' })], handler: () => 'in' })
  const client = session(router)
  expect((await client.modern('tools/call', { name: 'guarded' })).result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('can only be called through an Express app') }],
  })
  expect((await client.modern('tools/call', { name: 'skipped' })).result.content[0].text).toBe('in')
})

it('calls existing routes of an app that listens on no port', async () => {
  const router = make()
  const app = express()
  app.get('/tasks/:id', asTool({ description: 'One task' }), (req, res) => res.json({ id: req.params.id }))
  app.use(mcp(router, { app }))
  const client = session(router)
  const { result } = await client.modern('tools/call', { name: 'get_tasks_by_id', arguments: { id: '7' } })
  expect(JSON.parse(result.content[0].text)).toEqual({ id: '7' })
})

it('finishes running calls when its input ends, and then calls `onClose`', async () => {
  const { router, running, release } = holding(make())
  const order: string[] = []
  const client = session(router, { onClose: () => order.push('closed') })
  const answer = client.ask('tools/call', { name: 'held' }).then(() => order.push('answered'))
  await running
  client.input.end()
  release()
  await client.served
  await answer
  expect(order).toEqual(['answered', 'closed'])
})

it('answers calls that run longer than `drainMs` with an error', async () => {
  const { router, running } = holding(make())
  const client = session(router, { drainMs: 1 })
  const answer = client.ask('tools/call', { name: 'held' })
  const signal = await running
  client.input.end()
  await client.served
  expect(signal.aborted).toBe(true)
  expect((await answer).result ?? (await answer).error).toBeDefined()
})

it('continues calls that wait for their client when its input ends', async () => {
  const router = make()
  router.tool('ask', {
    description: 'd',
    handler: (_, ctx) =>
      ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) }).then(
        () => 'answered',
        (error) => String(error.message),
      ),
  })
  const client = session(router)
  await client.initialize('2025-06-18', { elicitation: {} })
  const answer = client.ask('tools/call', { name: 'ask' })
  await client.find(({ method }) => method === 'elicitation/create')
  client.input.end()
  expect((await answer).result.content[0].text).toMatch(/has closed its side/)
  await client.served
})

it('ends subscriptions with their result when its input ends, and answers a last line without a newline', async () => {
  const router = make()
  router.tool('a', { description: 'd', handler: () => '' })
  const client = session(router)
  const params = { notifications: { toolsListChanged: true }, _meta: envelope() }
  client.write({ jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params })
  client.input.end('{"jsonrpc":"2.0","id":"last","method":"ping"}')
  await client.served
  expect((await client.answer('sub')).result.resultType).toBe('complete')
  expect((await client.answer('last')).result).toEqual({})
})

it('ends a subscription that starts only after its input has ended', async () => {
  const [subscribing, go] = [latch(), latch()]
  const store = memoryStore()
  const slow: typeof store.subscribe = async (channel, listener) => {
    subscribing.open()
    await go.opened
    return store.subscribe(channel, listener)
  }
  const router = make({ store: Object.assign(Object.create(store), { subscribe: slow }) })
  router.tool('t', { description: 'd', handler: () => '' })
  const client = session(router)
  const answer = client.modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
  await subscribing.opened
  client.input.end()
  await once(client.input, 'end')
  go.open()
  expect((await answer).result).toMatchObject({ resultType: 'complete' })
  await client.served
})

it('ends with the router, whose `close()` waits for its responses', async () => {
  const { router, running, release } = holding(make())
  const client = session(router)
  const answer = client.modern('tools/call', { name: 'held' })
  await running
  const closed = router.close()
  expect((await client.modern('tools/list')).error.message).toMatch(/closing/)
  release()
  await closed
  expect((await answer).result.content[0].text).toBe('released')
  await client.served
})

it('aborts its calls when its output is closed', async () => {
  const { router, running } = holding(make())
  const client = session(router)
  client.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'held' } })
  const signal = await running
  client.output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  await client.served
  expect(signal.aborted).toBe(true)
})

it('aborts a call whose handler breaks the output itself', async () => {
  const router = make()
  const output = new PassThrough({ emitClose: false })
  router.tool('breaks', { description: 'd', handler: () => void output.destroy() })
  const client = session(router, { output })
  client.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'breaks' } })
  client.input.end()
  await client.served
  expect(router.stats().running).toBe(0)
  await router.close({ drainMs: 60_000 })
})

it.each(['ended', 'destroyed'])('ends at once if its input was %s before', async (how) => {
  const input = new PassThrough()
  if (how === 'ended') await once(input.resume().end(), 'end')
  else input.destroy()
  const router = make()
  let closed = 0
  await session(router, { input, onClose: () => ++closed }).served
  expect({ closed, running: router.stats().running }).toEqual({ closed: 1, running: 0 })
})

it.each(['answers', 'fails'])(
  'answers results that can no longer be written with -32603: %s',
  async (name) => {
    const unhandled = unhandledRejections()
    const told: unknown[] = []
    const router = make({ onError: (error) => told.push(error) })
    addUnsteady(router as McpRouter<object>)
    const client = session(router)
    await client.initialize('2025-03-26')
    expect((await client.ask('tools/call', { name })).error).toEqual({
      code: -32603,
      message: 'Internal error',
    })
    client.write([
      { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name } },
      { jsonrpc: '2.0', id: 'c', method: 'ping' },
    ])
    expect(await client.find((message) => Array.isArray(message))).toMatchObject([
      { id: 'b', error: { code: -32603 } },
      { id: 'c', result: {} },
    ])
    client.input.end()
    await client.served
    expect(told.map(String).filter((text) => text.includes('hunter2'))).toHaveLength(2)
    expect(unhandled).toEqual([])
  },
)

it('sends no requests to a client that has closed its side', async () => {
  const router = make()
  const asked = latch()
  router.tool('late', {
    description: 'd',
    async handler(_, ctx) {
      await asked.opened
      return ctx.roots().then(
        () => 'answered',
        (error: Error) => error.message,
      )
    },
  })
  const client = session(router)
  await client.initialize('2025-11-25', { roots: {} })
  const answer = client.ask('tools/call', { name: 'late' })
  client.input.end()
  await once(client.input, 'end')
  asked.open()
  expect((await answer).result.content[0].text).not.toBe('answered')
  await client.served
  expect(client.received.filter(({ method }) => method === 'roots/list')).toEqual([])
})

it("refuses to close the stream of a call, because the client couldn't resume it", async () => {
  const router = make()
  router.tool('pause', { description: 'd', handler: (_, ctx) => String(ctx.closeStream()) })
  const client = session(router)
  await client.initialize()
  expect((await client.ask('tools/call', { name: 'pause' })).result.content[0].text).toBe('false')
})

it("stops reading while its responses aren't read, and drops only notifications", async () => {
  const router = make()
  const text = 'x'.repeat(64 * 1024)
  let called = 0
  router.tool('large', {
    description: 'd',
    handler: () => {
      called += 1
      return text
    },
  })
  const input = new PassThrough()
  const output = new PassThrough()
  const served = serveStdio(router as unknown as McpRouter<object>, { input, output })
  onTestFinished(() => {
    output.destroy()
    return served
  })
  const params = { name: 'large', arguments: {} }
  const all = 400
  for (let id = 1; id <= all; id++)
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
  input.end()
  await once(output, 'readable')
  // Time in which requests would be served that shouldn't be.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(called).toBeLessThan(all / 2)
  let answers = 0
  output.setEncoding('utf8').on('data', (part: string) => {
    answers += part.split('\n').length - 1
  })
  await served
  expect([called, answers]).toEqual([all, all])
})

it('refuses more than `maxCalls` concurrent requests, and still accepts cancellations', async () => {
  const { router, running } = holding(make())
  const client = session(router, { maxCalls: 1 })
  client.write({ jsonrpc: '2.0', id: 'held', method: 'tools/call', params: { name: 'held' } })
  const signal = await running
  expect((await client.ask('ping')).error.message).toContain('`maxCalls`')
  client.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'held' } })
  client.input.end()
  await client.served
  expect(signal.aborted).toBe(true)
})

it.each([
  [{ inputs: 1 }, /there is no option `inputs`; did you mean `input`/],
  [{ input: 1 }, /serveStdio\(\): expected `input` to be a readable stream; got 1/],
  [{ output: {} }, /expected `output` to be a writable stream/],
  [{ maxBodyBytes: -1 }, /expected `maxBodyBytes`/],
  [{ scopes: ['a b'] }, /expected `scopes`/],
])('refuses %j', async (options, message) => {
  await expect(serveStdio(new McpRouter<object>(), options as object)).rejects.toThrow(message)
})

it('restores stdout, except for what other code has replaced meanwhile', () => {
  const { write } = process.stdout
  const { log } = console
  const [release, again] = [protectStdout(), protectStdout()]
  expect(process.stdout.write).not.toBe(write)
  release()
  release()
  expect(process.stdout.write).not.toBe(write)
  const theirs = (() => true) as typeof write
  process.stdout.write = theirs
  again()
  const left = process.stdout.write
  process.stdout.write = write
  expect([left, console.log]).toEqual([theirs, log])
})
