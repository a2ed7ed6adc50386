/** Measures large lists, large texts and streams over HTTP, on `node:http`. */

import { headers, message, toolCall } from './calls.js'
import { post, startApp, throughput } from './load.js'
import { type Row, row } from './row.js'

const version = '2025-11-25'
const text = 'Water the plants. '.repeat((64 * 1024) / 18)

export async function measureBodies(): Promise<Row[]> {
  return [...(await lists()), ...(await texts()), await progress()]
}

async function lists(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, pageSize] of [
    ['whole', 1_000],
    ['a page of 100', 100],
  ] as const) {
    const app = await startApp('./apps/lists.ts', [String(pageSize)])
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const ours = { app, request: post('/mcp', body, headers(version, 'tools/list')) }
    const constant = { app, request: post('/constant', body) }
    rows.push(
      row(`tools/list of 1,000 tools, ${name}`, 'the same bytes', 0.9, await throughput(ours, constant)),
    )
    app.stop()
  }
  return rows
}

async function texts(): Promise<Row[]> {
  const app = await startApp('./apps/add.ts', ['node:http'])
  const rows: Row[] = []
  for (const [tool, what] of [
    ['echo', '64 KiB of text in and out'],
    ['checked', '64 KiB in and out, output checked'],
  ] as const) {
    const ours = { app, request: toolCall(version, tool, { text }) }
    const route = { app, request: post(`/${tool}`, message(version, tool, { text })) }
    rows.push(row(what, 'its own JSON route', 0.85, await throughput(ours, route)))
  }
  app.stop()
  return rows
}

async function progress(): Promise<Row> {
  const app = await startApp('./apps/progress.ts', [])
  const call = message(version, 'work', {}) as { params: object }
  const body = { ...call, params: { ...call.params, _meta: { progressToken: 'p' } } }
  const ours = { app, request: post('/mcp', body, headers(version, 'tools/call')) }
  const bare = { app, request: post('/events', body) }
  const rates = await throughput(ours, bare)
  app.stop()
  return row('100 progress notifications in a call', 'plain server-sent events', 0.8, rates)
}
