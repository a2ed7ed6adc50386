/** What docs/observability.md promises. */

import type { McpRouter } from 'mcp-router'
import { beforeAll, expect, it } from 'vitest'
import { forgetTelemetry, parentOf, takeMeasured, takeSpans } from '../integrations/otel/telemetry.js'
import { type Json, listen, modern } from './client.js'
import { app, seen } from './preludes/observability.js'
import { load, observabilityPage } from './programs.js'

let url: string
let router: McpRouter
beforeAll(async () => {
  router = (await load<{ router: McpRouter }>(observabilityPage)).router
  url = `${await listen(app)}/mcp`
})

const ship = async (id: string, meta: Json = {}): Promise<string> => {
  const { messages } = await modern(
    url,
    'tools/call',
    { name: 'order_ship', arguments: { id } },
    {
      meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        ...meta,
      },
    },
  )
  return messages[0].result.content[0].text
}

it('the logger gets faults, refusals and what handlers say, and no line for what went well', async () => {
  expect(await ship('7')).toBe('shipped 7')
  expect(seen.lines.splice(0)).toMatchObject([
    { level: 30, name: 'orders', msg: 'shipping', target: 'order_ship', data: { id: '7' } },
  ])
  await ship('unknown')
  expect(seen.lines.splice(0).map(({ level }) => level)).toEqual([30, 40])
  await ship('lost')
  expect(seen.lines.splice(0)[1]).toMatchObject({
    level: 50,
    msg: expect.stringContaining('shelf 7 is empty'),
    method: 'tools/call',
    target: 'order_ship',
    err: { stack: expect.any(String) },
  })
})

it('the hooks are told: faults once, and every request', async () => {
  seen.captured.length = 0
  seen.observed.length = 0
  await ship('7')
  await ship('unknown')
  await ship('lost')
  await modern(url, 'tools/list')
  expect(seen.captured).toMatchObject([{ tool: 'order_ship', error: { message: 'shelf 7 is empty' } }])
  expect(seen.observed.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['order_ship', 'ok'],
    ['order_ship', 'error'],
    ['order_ship', 'fault'],
    ['tools/list', 'ok'],
  ])
})

it('the health is that of the page', async () => {
  const health = (await (await fetch(`${url}/health`)).json()) as object
  expect(Object.keys(health).sort()).toEqual(
    ['status', 'server', 'version', 'running', 'calls', 'errors', 'streams', 'sessions'].sort(),
  )
  expect(health).toMatchObject({ status: 'ok', server: 'orders', version: '1.0.0', ...router.stats() })
})

it('a call is a span and a measurement, around what its handler traces, in the trace of the client', async () => {
  await forgetTelemetry()
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  await ship('7', { traceparent })
  await ship('lost')
  const spans = takeSpans()
  expect(spans.map(({ name }) => name)).toEqual([
    'tools/call order_ship',
    'ship',
    'tools/call order_ship',
    'ship',
  ])
  expect(parentOf(spans[1], spans)).toBe('tools/call order_ship')
  expect(spans[0]?.spanContext().traceId).toBe(traceparent.slice(3, 35))
  expect(spans[2]?.attributes).toMatchObject({ 'error.type': 'tool_error', 'mcp_router.outcome': 'fault' })
  const [metric] = await takeMeasured()
  expect(metric?.points.map(({ attributes }) => attributes['mcp_router.outcome']).sort()).toEqual([
    'fault',
    'ok',
  ])
})
