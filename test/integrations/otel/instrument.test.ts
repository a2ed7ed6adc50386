/** Spans and durations of a router in both eras, without HTTP. */

import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { ForbiddenError, McpError, McpRouter, ToolError } from 'mcp-router'
import { instrument } from 'mcp-router/otel'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect, legacyVersions, recorder, versions } from '../../wire/client.js'
import { forgetTelemetry, provider, takeMeasured, takeSpans } from './telemetry.js'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${spanId}-01`
const tracer = provider.getTracer('app')

function make(options: object = {}) {
  const router = new McpRouter<object>({
    name: 'traced',
    logger: recorder().logger,
    exposeErrors: false,
    ...options,
  })
  router.tool('inner', {
    description: 'd',
    handler: () => {
      tracer.startActiveSpan('query', (span) => span.end())
      return 'done'
    },
  })
  router.tool('refuses', {
    description: 'd',
    handler: () => {
      throw new ToolError('no')
    },
  })
  router.tool('breaks', {
    description: 'd',
    handler: () => {
      throw new Error('pg: hunter2')
    },
  })
  router.tool('forbids', {
    description: 'd',
    handler: () => {
      throw new ForbiddenError('staff only')
    },
  })
  router.tool('baggage', {
    description: 'd',
    handler: () => propagation.getActiveBaggage()?.getEntry('tenant')?.value ?? 'none',
  })
  router.tool('ask', {
    description: 'd',
    handler: async (_, ctx) =>
      (await ctx.elicit({ message: 'Sure?', schema: z.object({ sure: z.boolean() }) })).action,
  })
  router.tool('calls', { description: 'd', handler: () => router.call('inner') })
  router.tool('never', { description: 'd', timeoutMs: 10, handler: () => new Promise<never>(() => {}) })
  router.resource('note://{id}', { handler: ({ id }) => `note ${id}` })
  router.prompt('hello', { description: 'd', handler: () => 'Hello' })
  return instrument(router)
}

let router = make()
beforeEach(() => {
  router = make()
  return forgetTelemetry()
})

/** The one span that a request made, with its measurement. */
async function seen(name: string) {
  const span = takeSpans().find((one) => one.name === name)
  const [metric] = await takeMeasured()
  return { span, attributes: span?.attributes, point: metric?.points[0], descriptor: metric?.descriptor }
}

describe.each(versions)('in %s', (version) => {
  it('a tool call is a server span by the conventions, and measured by what has few values', async () => {
    await connect(router, version).result('tools/call', { name: 'inner' })
    const { span, attributes, point, descriptor } = await seen('tools/call inner')
    expect(span).toMatchObject({ kind: SpanKind.SERVER, status: { code: SpanStatusCode.UNSET }, links: [] })
    const measured = {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': version,
      'gen_ai.tool.name': 'inner',
      'gen_ai.operation.name': 'execute_tool',
      'mcp_router.outcome': 'ok',
    }
    expect(attributes).toEqual({ ...measured, 'jsonrpc.request.id': '1' })
    expect(point?.attributes).toEqual(measured)
    expect(point?.value).toMatchObject({ count: 1 })
    expect(point?.value.sum).toBeLessThan(5)
    expect(point?.value.buckets.boundaries).toEqual([
      0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
    ])
    expect(descriptor).toMatchObject({ unit: 's' })
  })

  it('lists, prompts and resources are spans too: prompts by name, resources without their address', async () => {
    const client = connect(router, version)
    await client.result('tools/list')
    await client.result('prompts/get', { name: 'hello' })
    await client.result('resources/read', { uri: 'note://7' })
    const [list, prompt, resource] = takeSpans()
    expect([list?.name, prompt?.name, resource?.name]).toEqual([
      'tools/list',
      'prompts/get hello',
      'resources/read',
    ])
    expect(prompt?.attributes).toMatchObject({ 'gen_ai.prompt.name': 'hello' })
    expect(prompt?.attributes).not.toHaveProperty('gen_ai.operation.name')
    expect(resource?.attributes).toMatchObject({ 'mcp.resource.uri': 'note://7' })
    const [metric] = await takeMeasured()
    expect(JSON.stringify(metric?.points)).not.toContain('note://')
  })

  it('continues the trace of `_meta`, with its state and baggage, and links to the current one', async () => {
    const _meta = { traceparent, tracestate: 'rojo=1', baggage: 'tenant=acme' }
    const client = connect(router, version)
    const result = await client.result('tools/call', { name: 'baggage' }, _meta)
    expect(result.content[0].text).toBe('acme')
    const [alone] = takeSpans()
    expect(alone?.spanContext().traceId).toBe(traceId)
    expect(alone?.spanContext().traceState?.get('rojo')).toBe('1')
    expect(alone?.parentSpanContext).toMatchObject({ spanId, isRemote: true })
    expect(alone?.links).toEqual([])
    await tracer.startActiveSpan('transport', async (span) => {
      await client.result('tools/call', { name: 'baggage' }, _meta)
      span.end()
    })
    const [transport, inside] = takeSpans()
    expect(inside?.spanContext().traceId).toBe(traceId)
    expect(inside?.links.map((link) => link.context.spanId)).toEqual([transport?.spanContext().spanId])
  })

  it('is a child of the current span where `_meta` tells none', async () => {
    await tracer.startActiveSpan('transport', async (span) => {
      await connect(router, version).result('tools/call', { name: 'inner' }, { baggage: 'tenant=acme' })
      span.end()
    })
    const [transport, call, query] = takeSpans()
    expect(call?.parentSpanContext?.spanId).toBe(transport?.spanContext().spanId)
    expect(call?.links).toEqual([])
    expect(query?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId)
  })

  it.each([
    ['refuses', 'tool_error', 'error'],
    ['breaks', 'tool_error', 'fault'],
    ['never', 'tool_error', 'fault'],
    ['forbids', '-31003', 'error'],
  ])(
    'a call that %s has the status ERROR and the type %s; a %s has its exception',
    async (name, type, outcome) => {
      await connect(router, version).request('tools/call', { name })
      const { span, attributes, point } = await seen(`tools/call ${name}`)
      const told = type === 'tool_error' ? {} : { 'rpc.response.status_code': type }
      const ended = { 'error.type': type, 'mcp_router.outcome': outcome, ...told }
      expect(attributes).toMatchObject(ended)
      expect(point?.attributes).toMatchObject(ended)
      expect(span?.status).toEqual({
        code: SpanStatusCode.ERROR,
        ...(type !== 'tool_error' && { message: 'staff only' }),
      })
      expect(span?.events.map((event) => event.name)).toEqual(outcome === 'fault' ? ['exception'] : [])
    },
  )

  it('what there is not has no name of its own', async () => {
    const client = connect(router, version)
    for (const name of ['constructor', 'x'.repeat(10_000)]) await client.request('tools/call', { name })
    await client.request('prompts/get', { name: 'nope' })
    await client.request('no/such')
    await client.request('resources/read', { uri: `note://${'y'.repeat(10_000)}` })
    const spans = takeSpans()
    expect(spans.map(({ name }) => name)).toEqual([
      'tools/call',
      'tools/call',
      'prompts/get',
      '_OTHER',
      'resources/read',
    ])
    expect(spans[0]?.attributes).not.toHaveProperty('gen_ai.tool.name')
    expect(String(spans[4]?.attributes['mcp.resource.uri']).length).toBeLessThan(1_100)
    const [metric] = await takeMeasured()
    const words = JSON.stringify(metric?.points.map((point) => point.attributes))
    expect(words).not.toMatch(/constructor|xxx|nope|no\/such/)
  })

  it('survives a `_meta` that is no carrier', async () => {
    const hostile = { traceparent: 7, tracestate: ['x'], baggage: { a: 1 } }
    await connect(router, version).request('tools/call', { name: 'inner' }, hostile as never)
    const [call] = takeSpans()
    expect(call?.name).toBe('tools/call inner')
    expect(call?.parentSpanContext).toBeUndefined()
  })
})

it('a question that ends the run of a 2026-07-28 client is no error, and its answer another span', async () => {
  const client = connect(router)
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
  const { inputRequests, requestState } = await client.result('tools/call', { name: 'ask' }, meta)
  const { span, attributes } = await seen('tools/call ask')
  expect(span?.status.code).toBe(SpanStatusCode.UNSET)
  expect(attributes).toMatchObject({ 'mcp_router.outcome': 'input_required' })
  const inputResponses = Object.fromEntries(
    Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { sure: true } }]),
  )
  await client.result('tools/call', { name: 'ask', inputResponses, requestState }, meta)
  expect((await seen('tools/call ask')).attributes).toMatchObject({ 'mcp_router.outcome': 'ok' })
})

it('a cancelled call is told apart, and is no error', async () => {
  const controller = new AbortController()
  router.tool('waits', {
    description: 'd',
    handler: () => {
      queueMicrotask(() => controller.abort())
      return new Promise<never>(() => {})
    },
  })
  await router.handle(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'waits' } },
    { protocolVersion: '2025-11-25', signal: controller.signal },
  )
  const { span, attributes } = await seen('tools/call waits')
  expect(span?.status.code).toBe(SpanStatusCode.UNSET)
  expect(attributes).toMatchObject({ 'mcp_router.outcome': 'cancelled' })
})

it('a call in process is an inner span, and is not measured: no client made it', async () => {
  await connect(router).result('tools/call', { name: 'calls' })
  const [outer, inner, query] = takeSpans()
  expect([outer?.kind, inner?.kind]).toEqual([SpanKind.SERVER, SpanKind.INTERNAL])
  expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId)
  expect(query?.parentSpanContext?.spanId).toBe(inner?.spanContext().spanId)
  expect(inner?.attributes).not.toHaveProperty('jsonrpc.request.id')
  const [metric] = await takeMeasured()
  expect(metric?.points.map((point) => point.attributes['gen_ai.tool.name'])).toEqual(['calls'])
})

it('`call_tool` counts for the tool that it names', async () => {
  router = make({ toolSearch: true })
  await connect(router).result('tools/call', { name: 'call_tool', arguments: { name: 'inner' } })
  expect((await seen('tools/call inner')).attributes).toMatchObject({ 'gen_ai.tool.name': 'inner' })
})

it('tools of a router that was mounted are traced by the one that serves them', async () => {
  const outer = instrument(new McpRouter<object>({ logger: recorder().logger }).use('sub', make()))
  await connect(outer).result('tools/call', { name: 'sub_inner' })
  expect(takeSpans().map(({ name }) => name)).toEqual(['tools/call sub_inner', 'query'])
})

it('takes a tracer and a meter of its own', async () => {
  const names: string[] = []
  const router = instrument(new McpRouter<object>(), {
    tracer: trace.getTracerProvider().getTracer('own'),
    meter: {
      createHistogram: (name: string) => {
        names.push(name)
        return { record: () => {} }
      },
    } as never,
  })
  await connect(router).request('ping')
  expect(names).toEqual(['mcp.server.operation.duration', 'mcp.client.operation.duration'])
  expect(takeSpans()[0]?.instrumentationScope.name).toBe('own')
})

it('is loud about mistakes when it is set up', () => {
  expect(() => instrument(new McpRouter(), { tracr: 1 } as never)).toThrow('`tracer`')
  expect(() => instrument(new McpRouter(), { tracer: {} as never })).toThrow('an OpenTelemetry Tracer')
  expect(() => instrument({} as never)).toThrow('expected a McpRouter')
  expect(() => instrument(make())).toThrow('instrumented already')
})

it('a tracer that throws harms no call', async () => {
  const log = recorder()
  const boom = (): never => {
    throw new Error('exporter')
  }
  const starts = new McpRouter<object>({ logger: log.logger })
  const ends = new McpRouter<object>({ logger: log.logger })
  const span = new Proxy({}, { get: () => boom })
  for (const router of [starts, ends]) router.tool('t', { description: 'd', handler: () => 'fine' })
  instrument(starts, { tracer: { startSpan: boom } as never })
  instrument(ends, { tracer: { startSpan: () => span } as never })
  for (const router of [starts, ends])
    expect((await connect(router).result('tools/call', { name: 't' })).content[0].text).toBe('fine')
  expect(log.at('error').map(({ message }) => message)).toEqual(Array(2).fill('the tracer failed: exporter'))
})

it('continues the trace in the headers where nothing else read them; `_meta` goes before', async () => {
  const headers = { traceparent, baggage: ['tenant=acme'] }
  const request = { method: 'POST', url: '/mcp', headers, ip: '192.0.2.1', raw: undefined }
  const client = connect(router, '2025-11-25', { request } as never)
  const call = { name: 'baggage' }
  expect((await client.result('tools/call', call)).content[0].text).toBe('acme')
  expect(takeSpans()[0]).toMatchObject({
    parentSpanContext: { traceId, spanId },
    attributes: {
      'client.address': '192.0.2.1',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
    },
  })
  const other = traceparent.replaceAll('0', '1').replace(/^11/, '00')
  const told = await client.result('tools/call', call, { traceparent: other, baggage: 'tenant=initech' })
  expect(told.content[0].text).toBe('initech')
  expect(takeSpans()[0]?.parentSpanContext?.traceId).toBe(other.slice(3, 35))
})

it('runs a handler in the context of its caller alone', async () => {
  const key = Symbol('tenant')
  router.tool('reads', { description: 'd', handler: () => String(context.active().getValue(key)) })
  const client = connect(router)
  const [one, other] = await Promise.all(
    ['a', undefined].map((tenant) =>
      context.with(context.active().setValue(key, tenant), () =>
        client.result('tools/call', { name: 'reads' }),
      ),
    ),
  )
  expect([one, other].map((result) => result.content[0].text)).toEqual(['a', 'undefined'])
})

it('tells of McpErrors with codes of the app', async () => {
  router.tool('own', {
    description: 'd',
    handler: () => {
      throw new McpError(-1, 'own code')
    },
  })
  await connect(router, legacyVersions[3]).request('tools/call', { name: 'own' })
  expect((await seen('tools/call own')).attributes).toMatchObject({ 'rpc.response.status_code': '-1' })
})
