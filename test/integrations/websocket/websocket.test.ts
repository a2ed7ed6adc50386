/** `attachWebSocket()`: the messages of a connection, in both directions. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import express from 'express'
import { McpRouter } from 'mcp-router'
import { asTool, guard, mcp } from 'mcp-router/express'
import { attachWebSocket } from 'mcp-router/websocket'
import { expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { z } from 'zod'
import { holding } from '../../support/holding.js'
import { routers } from '../../support/routers.js'
import { envelope } from '../../wire/client.js'
import { connect, serve, textOf } from './socket.js'

const { make } = routers()

it('serves both eras next to an app, with the subprotocol `mcp`', async () => {
  const router = make()
  router.tool('version', { description: 'd', handler: (_, ctx) => ctx.protocolVersion })
  const app = express()
  app.use(mcp(router))
  const address = await serve(router, {}, app)
  const client = await connect(`ws://${address}/mcp`)
  expect(client.socket.protocol).toBe('mcp')
  await client.initialize('2025-06-18')
  expect(textOf(await client.ask('tools/call', { name: 'version' }))).toBe('2025-06-18')
  expect(textOf(await client.modern('tools/call', { name: 'version' }))).toBe('2026-07-28')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = { 'Content-Type': 'application/json' }
  expect((await fetch(`http://${address}/mcp`, { method: 'POST', headers, body })).status).toBe(200)
})

it('works without a subprotocol, too', async () => {
  const socket = new WebSocket(`ws://${await serve(make())}/mcp`)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
  const [data] = await once(socket, 'message')
  expect(JSON.parse(String(data))).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
})

it('sends requests to its client in the form of each era', async () => {
  const router = make()
  router.tool('who', {
    description: 'd',
    handler: async (_, ctx) =>
      (await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) })).content?.name,
  })
  const client = await connect(`ws://${await serve(router)}/mcp`)
  const accepted = { action: 'accept', content: { name: 'Ana' } }
  const asked = await client.modern('tools/call', { name: 'who' }, { elicitation: { form: {} } })
  expect(asked.result.resultType).toBe('input_required')
  await client.initialize('2025-06-18', { elicitation: {} })
  const answer = client.ask('tools/call', { name: 'who' })
  const { id } = await client.find(({ method }) => method === 'elicitation/create')
  client.write({ jsonrpc: '2.0', id, result: accepted })
  expect(textOf(await answer)).toBe('Ana')
})

it('sends progress and change notifications, and accepts cancellations', async () => {
  const { router, running } = holding(make())
  const client = await connect(`ws://${await serve(router)}/mcp`)
  await client.initialize()
  const params = { notifications: { toolsListChanged: true }, _meta: envelope() }
  client.write({ jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params })
  await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
  router.tool('step', { description: 'd', handler: (_, ctx) => String(ctx.progress(1)) })
  const changed = ({ method }: { method?: string }): boolean => method === 'notifications/tools/list_changed'
  await client.find((message) => changed(message) && message.params?._meta !== undefined)
  await client.find((message) => changed(message) && message.params === undefined)
  await client.ask('tools/call', { name: 'step', _meta: { progressToken: 'p' } })
  await client.find(({ method, params: sent }) => method === 'notifications/progress' && sent.progress === 1)
  client.write({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'held' } })
  const signal = await running
  client.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } })
  await client.ask('ping')
  expect([signal.aborted, client.received.some(({ id }) => id === 'slow')]).toEqual([true, false])
})

it('aborts the calls of a client that disconnects', async () => {
  const { router, running } = holding(make())
  const client = await connect(`ws://${await serve(router)}/mcp`)
  client.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'held' } })
  const signal = await running
  client.socket.terminate()
  if (!signal.aborted) await once(signal, 'abort')
})

it('keeps two connections separate: cancellations, responses, `ctx.session`', async () => {
  const { router, running, release } = holding(make())
  const address = await serve(router)
  const [one, other] = [await connect(`ws://${address}/mcp`), await connect(`ws://${address}/mcp`)]
  one.write({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'held' } })
  await running
  other.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } })
  await other.ask('ping')
  release()
  expect(textOf(await one.find(({ id }) => id === 'x'))).toBe('released')
  expect(other.received).toHaveLength(1)
})

it('answers invalid messages with an error, and continues', async () => {
  const client = await connect(`ws://${await serve(make(), { maxDepth: 5 })}/mcp`)
  for (const bad of [
    '{',
    '[]',
    'null',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(9)}`,
  ]) {
    client.socket.send(bad)
    await client.find(({ error }) => error !== undefined)
    client.received.length = 0
  }
  client.write({ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: { b: { c: { d: {} } } } } })
  expect((await client.find(({ error }) => error !== undefined)).error.message).toContain('`maxDepth`')
  client.socket.send(Buffer.from('{}'), { binary: true })
  expect((await client.find(({ error }) => error.message.includes('binary'))).error.code).toBe(-32600)
  expect((await client.ask('ping')).result).toEqual({})
})

it('closes a connection with a message of more than `maxBodyBytes`', async () => {
  const client = await connect(`ws://${await serve(make(), { maxBodyBytes: 100 })}/mcp`)
  client.socket.send('x'.repeat(101))
  expect((await client.closed)[0]).toBe(1009)
})

it('refuses more than `maxCalls` concurrent requests', async () => {
  const { router, running, release } = holding(make())
  const client = await connect(`ws://${await serve(router, { maxCalls: 1 })}/mcp`)
  const answer = client.modern('tools/call', { name: 'held' })
  await running
  expect(textOf(await client.ask('ping'))).toContain('`maxCalls`')
  release()
  expect(textOf(await answer)).toBe('released')
})

it("terminates a connection whose client doesn't answer pings", async () => {
  const { router, running } = holding(make())
  const client = await connect(`ws://${await serve(router, { pingMs: 5 })}/mcp`, { autoPong: false })
  client.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'held' } })
  const signal = await running
  expect((await client.closed)[0]).toBe(1006)
  if (!signal.aborted) await once(signal, 'abort')
})

it('keeps connections whose clients answer pings', async () => {
  const client = await connect(`ws://${await serve(make(), { pingMs: 5 })}/mcp`)
  for (let pings = 0; pings < 4; pings++) await once(client.socket, 'ping')
  expect((await client.ask('ping')).result).toEqual({})
})

it("stops reading while its responses aren't read", async () => {
  const router = make()
  let called = 0
  const text = 'x'.repeat(256 * 1024)
  router.tool('large', {
    description: 'd',
    handler: () => {
      called += 1
      return text
    },
  })
  const all = 400
  const client = await connect(`ws://${await serve(router, { maxCalls: 1_000 })}/mcp`)
  client.socket.pause()
  // Messages that have arrived are served, so each is somewhat large to keep them from arriving all at once.
  const params = { name: 'large', _meta: { padding: 'x'.repeat(16 * 1024) } }
  for (let id = 1; id <= all; id++) client.write({ jsonrpc: '2.0', id, method: 'tools/call', params })
  let before = -1
  // Wait until no more messages are served.
  while (called === 0 || before !== called) {
    before = called
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(called).toBeLessThan(all / 2)
  client.socket.resume()
  await client.find(({ id }) => id === all)
  expect(called).toBe(all)
})

it('closes with the router: running calls are answered, subscriptions end, and it sends a close frame', async () => {
  const { router, running, release } = holding(make())
  const address = await serve(router)
  const client = await connect(`ws://${address}/mcp`)
  client.write({
    jsonrpc: '2.0',
    id: 'sub',
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: envelope() },
  })
  await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
  const answer = client.modern('tools/call', { name: 'held' })
  await running
  const closed = router.close()
  expect((await client.modern('tools/list')).error.message).toMatch(/closing/)
  release()
  await closed
  expect(textOf(await answer)).toBe('released')
  expect((await client.find(({ id }) => id === 'sub')).result.resultType).toBe('complete')
  expect((await client.closed)[0]).toBe(1001)
})

it('has no request for middleware: guarded calls are refused; headers of the upgrade reach routes', async () => {
  const router = make()
  const open = (_req: unknown, _res: unknown, next: () => void): void => next()
  router.tool('guarded', { description: 'd', use: [guard(open)], handler: () => 'in' })
  router.tool('address', { description: 'd', handler: (_, ctx) => `${ctx.request?.ip} ${ctx.request?.raw}` })
  const app = express()
  app.get('/me', asTool({ description: 'me', name: 'me' }), (req, res) => res.json(req.headers.authorization))
  app.use(mcp(router, { app }))
  const client = await connect(`ws://${await serve(router, {}, app)}/mcp`, {
    headers: { Authorization: 'Bearer ana' },
  })
  expect(textOf(await client.modern('tools/call', { name: 'guarded' }))).toContain(
    'can only be called through an Express app',
  )
  expect(textOf(await client.modern('tools/call', { name: 'me' }))).toContain('Bearer ana')
  expect(textOf(await client.modern('tools/call', { name: 'address' }))).toBe('127.0.0.1 undefined')
})

it.each([
  [{ paths: '/a' }, /there is no option `paths`; did you mean `path`/],
  [{ cors: true }, /there is no option `cors`/],
  [{ pingMs: -1 }, /attachWebSocket\(\): expected `pingMs` to be milliseconds/],
])('refuses %j', (options, message) => {
  expect(() => attachWebSocket(new McpRouter<object>(), createServer(), options as object)).toThrow(message)
  expect(() => attachWebSocket(new McpRouter<object>(), {} as never)).toThrow(/expected an HTTP server/)
})
