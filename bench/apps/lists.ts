/** An app with 1,000 tools of 10 fields, and a route that sends the bytes of `tools/list` as a constant. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/node'
import { message } from '../calls.js'
import { report } from './report.js'

const pageSize = Number(process.argv[2])
const router = new McpRouter({ name: 'bench', version: '1.0.0', pageSize })
const fields = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [
    `field_${index}`,
    { type: 'string', description: `Field ${index}.` },
  ]),
)
for (let index = 0; index < 1_000; index++) {
  router.tool(`tool_${index}`, {
    description: `Does the work number ${index}.`,
    input: { type: 'object', properties: fields },
    handler: () => 'done',
  })
}

const list = { ...message('2025-11-25', '', {}), method: 'tools/list', params: {} }
const constant = JSON.stringify(await router.handle(list as never, { protocolVersion: '2025-11-25' }))
const length = Buffer.byteLength(constant)
const mount = mcp(router)
const server = createServer((req, res) => {
  if (req.url !== '/constant') return mount(req, res)
  req.resume().on('end', () => {
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': length })
    res.end(constant)
  })
})
server.listen(0, '127.0.0.1', () => report((server.address() as AddressInfo).port))
