/** Sessions that are opened and left cost nothing: everything that they are is in their id. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { HttpHandler, type HttpRequest, McpRouter } from 'mcp-router/adapter'
import { expect, it } from 'vitest'

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

async function heap(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage().heapUsed
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'crowd', version: '1' } },
})

/** A POST as a mount hands it on. */
function post(): HttpRequest {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  return {
    method: 'POST',
    url: '/mcp',
    headers,
    ip: '127.0.0.1',
    raw: {},
    header: (name) => headers[name],
    endpoint: 'main',
    host: 'localhost',
    peerAddress: '127.0.0.1',
    trustsProxy: false,
    readBody: () => ({ kind: 'text', text: initialize }),
    onClose: (listener) => void setImmediate(() => listener(true)),
  }
}

it('1,000,000 sessions that were opened and left leave the heap where it was', async () => {
  const router = new McpRouter({ name: 'crowd', version: '1.0.0', logger: quiet, maxSessionsPerHour: 0 })
  router.tool('t', { description: 't', handler: () => 't' })
  const http = new HttpHandler(router, {}, () => undefined)
  const open = async (count: number): Promise<void> => {
    for (let opened = 0; opened < count; opened += 100) {
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const { headers } = await http.handle(post())
          if (headers['Mcp-Session-Id'] === undefined) throw new Error('no session was handed out')
        }),
      )
    }
  }
  await open(10_000)
  const before = await heap()
  await open(1_000_000)
  expect(router.stats().sessions).toBe(1_010_000)
  expect((await heap()) - before).toBeLessThan(1024 * 1024)
  await router.close()
}, 300_000)
