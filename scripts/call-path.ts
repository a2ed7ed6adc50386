/**
 * `npm run call-path`: counts the package's files and functions that one warm `tools/call` on Express executes, for a tool
 * and for a route's tool. `-- --files` lists the files in the order of their first function.
 */

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'

const warmCalls = 200
const root = new URL('..', import.meta.url).href

const router = new McpRouter({
  name: 'call-path',
  version: '1.0.0',
  logger: { debug() {}, info() {}, warn() {}, error() {} },
})
router.tool('add', {
  description: 'Adds two numbers.',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  handler: ({ a, b }) => a + b,
})
const app = express()
app.use(express.json())
app.use(mcp(router, { routes: { include: ['/tasks/:id'] } }))
app.get('/tasks/:id', (req, res) => res.json({ id: req.params.id, title: 'A task' }))
const server = createServer(app).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

function call(name: string, args: Record<string, unknown>): Promise<string> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  })
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'mcp-protocol-version': '2025-11-25',
  }
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve(text))
    })
    sent.on('error', reject).end(body)
  })
}

/** Returns the executed files, relative to the root, with the number of executed functions in each. */
async function executed(name: string, args: Record<string, unknown>): Promise<Map<string, number>> {
  for (let i = 0; i < warmCalls; i += 1) await call(name, args)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  const answer = await call(name, args)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  if (!answer.includes('"result"') || answer.includes('"isError":true'))
    throw new Error(`the call failed: ${answer}`)
  const files = new Map<string, number>()
  for (const { url, functions } of result) {
    const path = url.startsWith(root) ? url.slice(root.length) : ''
    if (!/^(src|integrations)\//.test(path)) continue
    const count = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length
    if (count > 0) files.set(path, count)
  }
  return files
}

for (const [label, name, args] of [
  ['a tool', 'add', { a: 1, b: 2 }],
  ["a route's tool", 'get_tasks_by_id', { id: '1' }],
] as const) {
  const files = await executed(name, args)
  const functions = [...files.values()].reduce((sum, count) => sum + count, 0)
  console.log(`${label}: ${files.size} files, ${functions} functions`)
  if (process.argv.includes('--files')) for (const [path, count] of files) console.log(`  ${path} ${count}`)
}
server.closeAllConnections()
server.close()
await router.close()
