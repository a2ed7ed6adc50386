/** Spans of what travels beside requests: notifications of clients, and questions that clients are asked. */

import { propagation, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { type Caller, McpRouter } from 'mcp-router'
import { instrument } from 'mcp-router/otel'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { settled } from '../../support/time.js'
import { connect, legacyVersions, recorder, versions } from '../../wire/client.js'
import { forgetTelemetry, provider, takeMeasured, takeSpans } from './telemetry.js'

const tracer = provider.getTracer('app')
const asked = 'mcp.client.operation.duration'
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

function make(options: object = {}) {
  const router = new McpRouter<object>({ name: 'traced', logger: recorder().logger, ...options })
  router.tool('ask', {
    description: 'd',
    handler: (_, ctx) =>
      tracer.startActiveSpan('step', async (step) => {
        const { action } = await ctx.elicit({ message: 'Sure?', schema: z.object({ sure: z.boolean() }) })
        step.end()
        return action
      }),
  })
  router.tool('look', {
    description: 'd',
    handler: async (_, ctx) => String((await ctx.roots()).length),
  })
  return instrument(router)
}

let router = make()
beforeEach(() => {
  router = make()
  return forgetTelemetry()
})

type Question = Record<'id' | 'method' | 'params', never>

/** A client that answers every question with what `reply` makes of it; without one it stays silent. */
function answering(version: string, reply?: (question: Question) => object | undefined) {
  const questions: Question[] = []
  const more: Caller = {
    client: {
      name: 'c',
      version: '1',
      capabilities: { elicitation: {}, roots: {}, sampling: {} },
    },
    send(message) {
      const question = message as unknown as Question
      if (question.id === undefined) return true
      questions.push(question)
      const answer = reply?.(question)
      if (answer !== undefined)
        queueMicrotask(() => void client.send({ jsonrpc: '2.0', id: question.id, ...answer }))
      return true
    },
  }
  const client = connect(router, version, more)
  return { ...client, questions }
}

const accepted = { result: { action: 'accept', content: { sure: true } } }

describe('a notification', () => {
  it.each(versions)('of %s is a server span, and measured', async (version) => {
    const client = connect(router, version)
    const _meta = { traceparent, ...(version === '2026-07-28' && { [versionKey]: version }) }
    const params = { requestId: 'secret', _meta }
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    const [span] = takeSpans()
    const measured = {
      'mcp.method.name': 'notifications/cancelled',
      'mcp.protocol.version': version,
      'mcp_router.outcome': 'ok',
    }
    expect(span).toMatchObject({
      name: 'notifications/cancelled',
      kind: SpanKind.SERVER,
      attributes: measured,
    })
    expect(span?.attributes).toEqual(measured)
    expect(span?.spanContext().traceId).toBe(traceId)
    const [metric] = await takeMeasured()
    expect(metric?.points.map(({ attributes }) => attributes)).toEqual([measured])
  })

  it('of no revision has no name of its own', async () => {
    const client = connect(router, '2025-11-25')
    await client.send({ jsonrpc: '2.0', method: `notifications/${'x'.repeat(5_000)}` })
    expect(takeSpans()).toMatchObject([{ name: '_OTHER' }])
  })

  it('still cancels where the tracer throws', async () => {
    const boom = (): never => {
      throw new Error('exporter')
    }
    const log = recorder()
    const broken = new McpRouter<object>({ logger: log.logger })
    const begun = vi.fn()
    broken.tool('wait', {
      description: 'd',
      handler: (_, { signal }) => {
        begun()
        return new Promise<never>(() => void signal)
      },
    })
    instrument(broken, { tracer: { startSpan: boom } as never })
    const client = connect(broken, '2025-11-25')
    const answer = client.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait' } })
    await vi.waitFor(() => expect(begun).toHaveBeenCalled())
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
    expect(await answer).toBeUndefined()
  })
})

const versionKey = 'io.modelcontextprotocol/protocolVersion'

describe.each(legacyVersions.slice(2))('a question to a client of %s', (version) => {
  it('is a client span where the handler asks, and its trace goes on at the client', async () => {
    const client = answering(version, () => accepted)
    const result = await client.result('tools/call', { name: 'ask' }, { traceparent, baggage: 'tenant=acme' })
    expect(result.content[0].text).toBe('accept')
    const [call, step, question] = takeSpans()
    expect([call, step, question].map((span) => span?.name)).toEqual([
      'tools/call ask',
      'step',
      'elicitation/create',
    ])
    expect(question).toMatchObject({
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
      links: [],
    })
    expect(question?.parentSpanContext?.spanId).toBe(step?.spanContext().spanId)
    const measured = {
      'mcp.method.name': 'elicitation/create',
      'mcp.protocol.version': version,
      'mcp_router.outcome': 'ok',
    }
    const [{ id, params }] = client.questions as [Question]
    expect(question?.attributes).toEqual({ ...measured, 'jsonrpc.request.id': id })
    const { _meta } = params as { _meta: object }
    expect(_meta).toEqual({ traceparent: `00-${traceId}-${question?.spanContext().spanId}-01` })
    const [metric] = await takeMeasured(asked)
    expect(metric?.points.map(({ attributes }) => attributes)).toEqual([measured])
    expect(metric?.descriptor).toMatchObject({ unit: 's' })
  })

  it('that is refused tells the code, and a code of its own is no name', async () => {
    const codes: unknown[] = [-1, -32_602, 77, 'x'.repeat(5_000)]
    const client = answering(version, () => ({ error: { code: codes.shift(), message: 'y'.repeat(5_000) } }))
    for (const _ of [...codes]) await client.result('tools/call', { name: 'look' })
    const spans = takeSpans().filter(({ kind }) => kind === SpanKind.CLIENT)
    expect(spans.map(({ attributes }) => attributes['error.type'])).toEqual([
      '-1',
      '-32602',
      '_OTHER',
      '_OTHER',
    ])
    expect(spans.map(({ attributes }) => attributes['rpc.response.status_code'])).toEqual([
      '-1',
      '-32602',
      undefined,
      undefined,
    ])
    for (const { status } of spans) {
      expect(status.code).toBe(SpanStatusCode.ERROR)
      expect(status.message?.length ?? 0).toBeLessThan(1_100)
    }
  })

  it('that nobody answers in time, that cannot be sent, or whose call is cancelled is told apart', async () => {
    router = make({ inputTimeoutMs: 10 })
    await answering(version).result('tools/call', { name: 'ask' })
    const deaf = connect(router, version, { ...answering(version).caller, send: () => false })
    await deaf.request('tools/call', { name: 'ask' })
    router = make()
    const client = answering(version)
    const answer = client.send({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'ask' } })
    await vi.waitFor(() => expect(client.questions).toHaveLength(1))
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } })
    expect(await answer).toBeUndefined()
    await settled()
    const spans = takeSpans().filter(({ kind }) => kind === SpanKind.CLIENT)
    expect(
      spans.map(({ attributes }) => [attributes['error.type'], attributes['mcp_router.outcome']]),
    ).toEqual([
      ['timeout', 'error'],
      ['_OTHER', 'error'],
      [undefined, 'cancelled'],
    ])
  })

  it('is asked all the same where the propagator or the tracer throws', async () => {
    const inject = vi.spyOn(propagation, 'inject').mockImplementation(() => {
      throw new Error('propagator')
    })
    const client = answering(version, () => accepted)
    const result = await client.result('tools/call', { name: 'ask' })
    inject.mockRestore()
    expect(result.content[0].text).toBe('accept')
  })
})

it('a question to a 2026-07-28 client is the end of its call, and no span', async () => {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
  const { inputRequests } = await connect(router).result('tools/call', { name: 'ask' }, meta)
  expect(JSON.stringify(inputRequests)).not.toContain('traceparent')
  expect(takeSpans().some(({ kind }) => kind === SpanKind.CLIENT)).toBe(false)
})

it('without a tracer a question carries nothing of it', async () => {
  const plain = new McpRouter<object>({ logger: recorder().logger })
  plain.tool('look', { description: 'd', handler: async (_, ctx) => String((await ctx.roots()).length) })
  router = plain
  const client = answering('2025-11-25', () => ({ result: { roots: [] } }))
  expect((await client.result('tools/call', { name: 'look' })).content[0].text).toBe('0')
  expect(client.questions[0]).not.toHaveProperty('params')
})
