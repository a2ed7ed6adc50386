/** An app with a tool that reports progress 100 times, and a route that writes the same events. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/node'
import { report } from './report.js'

const steps = 100
const router = new McpRouter({ name: 'bench', version: '1.0.0' })
router.tool('work', {
  description: 'Reports progress.',
  async handler(_, ctx) {
    for (let step = 1; step <= steps; step++) {
      ctx.progress(step, steps)
      await undefined
    }
    return 'done'
  },
})

const event = (message: object): string =>
  `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
const mount = mcp(router)
const server = createServer((req, res) => {
  if (req.url !== '/events') return mount(req, res)
  let text = ''
  req.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  req.on('end', async () => {
    const { id, params } = JSON.parse(text)
    const { progressToken } = params._meta
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
    for (let progress = 1; progress <= steps; progress++) {
      res.write(
        event({ method: 'notifications/progress', params: { progressToken, progress, total: steps } }),
      )
      await undefined
    }
    res.end(event({ id, result: { content: [{ type: 'text', text: 'done' }] } }))
  })
})
server.listen(0, '127.0.0.1', () => report((server.address() as AddressInfo).port))
