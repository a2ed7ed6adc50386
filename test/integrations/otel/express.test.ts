/** A real Express server under OpenTelemetry's instrumentations of HTTP and Express. */

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node'
import type Express from 'express'
import { McpRouter, ToolError } from 'mcp-router'
import { asTool, guard, mcp } from 'mcp-router/express'
import { instrument } from 'mcp-router/otel'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { post, send } from '../../contract/client.js'
import { type Client, legacy, modern, rpc } from '../../contract/clients.js'
import { recorder } from '../../wire/client.js'
import { forgetTelemetry, instrumented, parentOf, provider, takeMeasured, takeSpans } from './telemetry.js'

const require = instrumented()
const http = require('node:http') as typeof import('node:http')
const express = require('express') as typeof Express
const tracer = provider.getTracer('app')
const { logger } = recorder()
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const traceId = traceparent.slice(3, 35)

/** What a handler of the app traces. */
function query<T>(value: T): T {
  tracer.startActiveSpan('query', (span) => span.end())
  return value
}

let url: string
let server: Server

beforeAll(async () => {
  const app = express()
  const router = instrument(new McpRouter<object>({ name: 'traced', logger, exposeErrors: false }))
  router.tool('work', {
    description: 'd',
    use: [guard((_req, _res, next) => next())],
    handler: () => query('done'),
  })
  router.tool('stream', {
    description: 'd',
    async handler(_, ctx) {
      ctx.progress(1)
      await new Promise((resolve) => setImmediate(resolve))
      return query('streamed')
    },
  })
  router.tool('ask', {
    description: 'd',
    async handler(_, ctx) {
      const { action } = await ctx.elicit({ message: 'Sure?', schema: z.object({}) })
      return query(action)
    },
  })
  router.tool('refuses', {
    description: 'd',
    handler: () => {
      throw new ToolError('no')
    },
  })
  app.use('/mcp', (_req, _res, next) => next(), mcp(router, { publicUrl: 'http://127.0.0.1/mcp' }))
  app.get('/users/:id', asTool({ description: 'One user' }), (req, res) => {
    query(undefined)
    if (req.params.id === '0') res.status(500).send('no')
    else if (req.params.id === '-1') res.socket?.destroy()
    else res.json({ id: req.params.id, trace: req.headers.traceparent })
  })
  server = http.createServer(app).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

beforeEach(forgetTelemetry)

/** The spans of this server, once that of the HTTP request has ended. */
async function served(count = 1): Promise<ReadableSpan[]> {
  const spans: ReadableSpan[] = []
  await vi.waitFor(
    () => {
      spans.push(...takeSpans().filter(({ kind }) => kind !== SpanKind.CLIENT))
      expect(spans.filter(isHttp)).toHaveLength(count)
    },
    { interval: 5 },
  )
  return spans
}

const isHttp = ({ kind, attributes }: ReadableSpan): boolean =>
  kind === SpanKind.SERVER && attributes['mcp.method.name'] === undefined
const isMcp = ({ attributes }: ReadableSpan): boolean => attributes['mcp.method.name'] !== undefined

const eras: Record<string, (capabilities?: object) => Promise<Client>> = {
  'a 2025-11-25 session': (capabilities = {}) => legacy(url, { capabilities }),
  '2026-07-28': async (capabilities = {}) =>
    modern(url, { meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities } }),
}

describe.each(Object.entries(eras))('in %s', (era, connect) => {
  async function client(capabilities?: object): Promise<Client> {
    const connected = await connect(capabilities)
    if (connected.sessionId !== undefined) await served()
    await takeMeasured()
    return connected
  }

  it('a call is a child of the HTTP span, which keeps its name, and around what the handler traces', async () => {
    const { call, sessionId } = await client()
    await call('work')
    const spans = await served()
    const [request] = spans.filter(isHttp)
    expect(request).toMatchObject({ name: 'POST /mcp', attributes: { 'http.route': '/mcp' } })
    const [mcpSpan] = spans.filter(isMcp)
    expect(mcpSpan).toMatchObject({
      name: 'tools/call work',
      kind: SpanKind.SERVER,
      attributes: {
        'network.transport': 'tcp',
        'network.protocol.name': 'http',
        'network.protocol.version': '1.1',
        'client.address': '127.0.0.1',
      },
    })
    expect(mcpSpan?.spanContext().traceId).toBe(request?.spanContext().traceId)
    expect(mcpSpan?.attributes['mcp.session.id']).toBe(sessionId?.slice(0, 32))
    const traced = spans.find(({ name }) => name === 'query')
    expect(parentOf(traced, spans)).toBe('tools/call work')
    const [metric] = await takeMeasured()
    expect(metric?.points.map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({ 'gen_ai.tool.name': 'work', 'network.protocol.version': '1.1' }),
    ])
  })

  it('continues the trace of `_meta` and links to that of the HTTP request; which continues the headers', async () => {
    const { request } = await client()
    const own = '00-11111111111111111111111111111111-2222222222222222-01'
    const headers = { traceparent: own }
    await request('tools/call', { name: 'work', arguments: {}, _meta: { traceparent } }, { headers })
    const spans = await served()
    const [[http], [call]] = [spans.filter(isHttp), spans.filter(isMcp)]
    expect(http?.spanContext().traceId).toBe('1'.repeat(32))
    expect(call?.spanContext().traceId).toBe(traceId)
    expect(call?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7')
    // Whatever is current there: with the instrumentation of Express on, its span for the mount.
    const linked = call?.links.map((link) =>
      spans.find((one) => one.spanContext().spanId === link.context.spanId),
    )
    expect(linked).toHaveLength(1)
    expect(linked?.[0]?.spanContext().traceId).toBe(http?.spanContext().traceId)
  })

  it('a stream is one span until its answer', async () => {
    const params = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
    const stream = await (await client()).open('tools/call', params)
    expect((await stream.rest()).length).toBeGreaterThan(1)
    const spans = await served()
    expect(
      parentOf(
        spans.find(({ name }) => name === 'query'),
        spans,
      ),
    ).toBe('tools/call stream')
    expect(spans.filter(isMcp)).toHaveLength(1)
  })

  it('a route that runs as a tool nests: call, inner request, its handler', async () => {
    const { call } = await client()
    await call('get_users_by_id', { id: '7' })
    const spans = await served()
    expect(spans.filter(isHttp).map(({ name }) => name)).toEqual(['POST /mcp'])
    const inner = spans.find(({ name }) => name === 'GET /users/{id}')
    expect(parentOf(inner, spans)).toBe('tools/call get_users_by_id')
    const handler = spans.find(({ attributes }) => attributes['http.route'] === '/users/:id')
    expect(parentOf(handler, spans)).toBe('GET /users/{id}')
    const traced = spans.find(({ name }) => name === 'query')
    expect(traced?.spanContext().traceId).toBe(inner?.spanContext().traceId)
    await call('get_users_by_id', { id: '0' })
    const [failed] = (await served()).filter(isMcp)
    expect(failed?.attributes).toMatchObject({ 'error.type': 'tool_error', 'mcp_router.outcome': 'fault' })
  })

  it('a route that closes its connection ends its span, as an error', async () => {
    const { call } = await client()
    await call('get_users_by_id', { id: '-1' })
    const spans = await served()
    const inner = spans.find(({ name }) => name === 'GET /users/{id}')
    expect(inner?.status.code).toBe(SpanStatusCode.ERROR)
    expect(parentOf(inner, spans)).toBe('tools/call get_users_by_id')
    expect(spans.find(isMcp)?.status.code).toBe(SpanStatusCode.ERROR)
  })

  it('refusals are errors of the call, and none of the HTTP request', async () => {
    const { call, request } = await client()
    await call('refuses')
    await request('no/such', {})
    const spans = await served(2)
    const [refused, unknown] = spans.filter(isMcp)
    expect(refused).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'tool_error', 'mcp_router.outcome': 'error' },
    })
    expect(unknown).toMatchObject({
      name: '_OTHER',
      attributes: { 'error.type': '-32601', 'rpc.response.status_code': '-32601' },
    })
    expect(spans.filter(isHttp).map(({ status }) => status.code)).not.toContain(SpanStatusCode.ERROR)
  })

  it('a handler that asks goes on in the span of the call that it answers', async () => {
    const { open, request, sessionId } = await client({ elicitation: { form: {} } })
    const params = { name: 'ask', arguments: {} }
    if (era === '2026-07-28') {
      const { result } = (await request('tools/call', params)).json
      const [first] = (await served()).filter(isMcp)
      expect(first?.attributes).toMatchObject({ 'mcp_router.outcome': 'input_required' })
      const [key = ''] = Object.keys(result.inputRequests)
      const inputResponses = { [key]: { action: 'accept', content: {} } }
      await request('tools/call', { ...params, inputResponses, requestState: result.requestState })
    } else {
      const stream = await open('tools/call', params)
      const { id } = await stream.next()
      const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: {} } }
      await post(url, answer, { 'Mcp-Session-Id': sessionId, 'MCP-Protocol-Version': '2025-11-25' })
      await stream.rest()
    }
    const spans = await served(era === '2026-07-28' ? 1 : 2)
    const [call] = spans.filter(isMcp)
    expect(call?.attributes).toMatchObject({ 'mcp_router.outcome': 'ok' })
    expect(
      parentOf(
        spans.find(({ name }) => name === 'query'),
        spans,
      ),
    ).toBe('tools/call ask')
  })
})

it('every request of a batch has a span of its own', async () => {
  const headers = { 'MCP-Protocol-Version': '2025-03-26' }
  await post(url, [rpc('ping', {}, 1), rpc('tools/call', { name: 'work' }, 2)], headers)
  const spans = await served()
  expect(
    spans
      .filter(isMcp)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['ping', 'tools/call work'])
})

it('a subscription is measured until it is acknowledged, not as long as it stays open', async () => {
  const stream = await modern(url).open('subscriptions/listen', { notifications: { toolsListChanged: true } })
  await stream.next()
  const spans = takeSpans().filter(isMcp)
  expect(spans.map(({ name }) => name)).toEqual(['subscriptions/listen'])
  stream.leave()
  await served()
})

it('leaves alone what is not its own', async () => {
  const { origin } = new URL(url)
  await send(`${origin}/users/7`, { method: 'GET' })
  const spans = await served()
  expect(spans.filter(isHttp).map(({ name }) => name)).toEqual(['GET /users/:id'])
  expect(spans.filter(isMcp)).toEqual([])
})

it('hands the trace of the client to a route and to what it asks for', async () => {
  const { request } = modern(url)
  const params = { name: 'get_users_by_id', arguments: { id: '7' }, _meta: { traceparent } }
  const { json } = await request('tools/call', params)
  expect(JSON.parse(json.result.content[0].text).trace).toBe(traceparent)
  const spans = await served()
  expect(spans.find(({ name }) => name === 'query')?.spanContext().traceId).toBe(traceId)
})
