/**
 * A server in a process of its own, whose memory holds nothing but its streams: `bare` is an SSE route as anybody
 * would write it in Express, `get` and `listen` are ours. It tells its address, then answers each line on its input.
 */
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import express from 'express'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'

const router = new McpRouter({ name: 'crowd', version: '1.0.0', maxSessionsPerHour: 0 })
router.tool('t', { description: 't', handler: () => 't' })
router.resource('config://app', { text: '{}' })

const bare = new Set<express.Response>()
const app = express()
app.get('/bare', (req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
  res.write(': hello\n\n')
  bare.add(res)
  req.on('close', () => bare.delete(res))
})
setInterval(() => {
  for (const res of bare) res.write(': keepalive\n\n')
}, 15_000)
app.use(mcp(router, { maxStreams: 100_000, maxStreamsPerCaller: 100_000 }))

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

/** Bytes in use, once nothing more can be collected. */
async function memory(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const commands: Record<string, () => Promise<unknown>> = {
  memory,
  stats: async () => ({ ...router.stats(), bare: bare.size }),
  notify: () => router.notify.toolsChanged(),
}

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(JSON.stringify(typeof address === 'object' ? address?.port : undefined))
  createInterface({ input: process.stdin }).on('line', async (line) => {
    console.log(JSON.stringify((await commands[line]?.()) ?? null))
  })
})
