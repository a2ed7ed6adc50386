/** Measures what a Redis store adds to a call that doesn't use it: the same mount with and without, without a socket. */

import { McpRouter, type Store } from 'mcp-router'
import { mcp } from 'mcp-router/fetch'
import { redisStore } from 'mcp-router/redis'
import { redisServer } from '../test/support/redis-server.js'
import { compare } from './measure.js'
import { costRow, type Row } from './row.js'

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
const bodies = {
  legacy: { ...call, params: { name: 'ping', arguments: {} } },
  modern: {
    ...call,
    params: {
      name: 'ping',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
}
const version = { legacy: '2025-11-25', modern: '2026-07-28' }

type Era = keyof typeof bodies

function caller(era: Era, store: Store | undefined): () => Promise<unknown> {
  const router = new McpRouter<object>({ name: 'bench', version: '1.0.0', store, maxSessionsPerHour: 0 })
  router.tool('ping', { description: 'Answers.', handler: () => 'pong' })
  const handler = mcp(router)
  const body = JSON.stringify(bodies[era])
  const headers = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': version[era],
    ...(era === 'modern' && { 'mcp-method': 'tools/call', 'mcp-name': 'ping' }),
  }
  return async () => {
    const response = await handler(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
    if (response.status !== 200) throw new Error(await response.text())
    return response.text()
  }
}

export async function measureStore(): Promise<Row[]> {
  const redis = await redisServer()
  const store = redisStore({ url: redis.url })
  // A subscription keeps the store connected, as in a real app.
  const stop = await store.subscribe('bench', () => {})
  const measured: Row[] = []
  for (const era of ['legacy', 'modern'] as const) {
    const sides = { ours: caller(era, store), bare: caller(era, undefined) }
    const costs = await compare(2_000, sides)
    measured.push(costRow(`tools/call with Redis, ${era}`, 'without a store', 0.95, costs, 'µs'))
  }
  stop()
  await store.close()
  await redis.stop()
  return measured
}
