import { type ActivityEntry, ForbiddenError, McpRouter, ToolError } from 'mcp-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { settled } from '../support/time.js'
import { connect, recorder } from '../wire/client.js'

let entries: ActivityEntry[] = []
const router = new McpRouter({
  logger: recorder().logger,
  exposeErrors: false,
  onActivity: (entry) => entries.push(entry),
})
const handler = (kind: string) => () => {
  if (kind === 'refusal') throw new ToolError('no')
  if (kind === 'fault') throw new Error('boom')
  if (kind === 'protocol') throw new ForbiddenError()
  return kind === 'unserialisable' ? ({ n: 1n } as never) : 'äx'
}
for (const kind of ['fine', 'refusal', 'fault', 'protocol', 'unserialisable'])
  router.tool(kind, { description: 'd', handler: handler(kind) })
router.tool('strict', { description: 'd', input: z.object({ a: z.string() }), handler: () => '' })
router.tool('never', { description: 'd', handler: () => new Promise(() => {}) })
router.resource('fault://x', { handler: handler('fault') })

beforeEach(() => {
  entries = []
})

describe('onActivity', () => {
  it('gets one entry per request, with caller, method, time and sizes', async () => {
    await connect(router, '2025-06-18', { user: 'ana' } as never).result('tools/call', { name: 'fine' })
    expect(entries).toEqual([
      {
        method: 'tools/call',
        name: 'fine',
        tool: 'fine',
        user: 'ana',
        protocolVersion: '2025-06-18',
        startedAt: expect.any(Date),
        durationMs: expect.any(Number),
        outcome: 'ok',
        inputBytes: JSON.stringify({ name: 'fine' }).length,
        outputBytes: expect.any(Number),
      },
    ])
    await connect(router).result('tools/list')
    expect(entries[1]).toMatchObject({
      method: 'tools/list',
      name: undefined,
      tool: undefined,
      outcome: 'ok',
    })
  })

  it.each([
    ['fine', 'ok'],
    ['refusal', 'error'],
    ['protocol', 'error'],
    ['strict', 'error'],
    ['none', 'error'],
    ['fault', 'fault'],
    ['unserialisable', 'fault'],
  ])('reports a tool call of kind %s with the outcome %s', async (name, outcome) => {
    await connect(router).request('tools/call', { name })
    expect(entries.map((entry) => entry.outcome)).toEqual([outcome])
  })

  it('reports the fault of a resource, and a cancelled call', async () => {
    await connect(router).request('resources/read', { uri: 'fault://x' })
    const client = connect(router, '2025-11-25')
    const answer = client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'never' } })
    await settled()
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await answer
    expect(entries.map((entry) => entry.outcome)).toEqual(['fault', 'cancelled'])
  })
})

describe('stats', () => {
  it('count calls, errors and running requests', async () => {
    const own = new McpRouter({ logger: recorder().logger })
    own.tool('t', { description: 'd', handler: () => 'x' })
    expect(own.stats()).toEqual({ calls: 0, running: 0, streams: 0, sessions: 0, errors: 0 })
    await own.call('t')
    await connect(own).request('tools/call', { name: 't' })
    expect(own.stats()).toMatchObject({ calls: 2, running: 0, errors: 0 })
  })
})
