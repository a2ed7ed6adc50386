/** One machine: a small API on Express with MCP at /mcp. The state of its clients is in Redis. */
import type { AddressInfo } from 'node:net'
import express from 'express'
import { McpRouter } from 'mcp-router'
import { bullmqTasks } from 'mcp-router/bullmq'
import { mcp } from 'mcp-router/express'
import { redisStore } from 'mcp-router/redis'
import { createClient } from 'redis'
import { z } from 'zod'

const {
  PORT = '0',
  REDIS_URL = 'redis://127.0.0.1:6379',
  MCP_ROUTER_SECRET: secret = '',
  MACHINE = '?',
} = process.env

const store = redisStore({ url: REDIS_URL })
const connection = createClient({ url: REDIS_URL })
const router = new McpRouter({
  name: 'cluster',
  version: '1.0.0',
  secret, // the same on every machine, since each one must read state that another one sealed
  store,
  // Machine A only serves requests. B and C run the tasks.
  tasks: bullmqTasks({ connection, worker: MACHINE !== 'A' }),
})

router.tool('where', {
  description: 'Tells which machine answered.',
  annotations: { readOnly: true },
  handler: () => MACHINE,
})

router.tool('greet', {
  description: 'Asks for a name, and greets.',
  async handler(_, ctx) {
    const { content } = await ctx.elicit({ message: 'Who are you?', schema: z.object({ name: z.string() }) })
    return `Hello ${content?.name ?? 'nobody'}`
  },
})

router.tool('count', {
  description: 'Counts slowly, and says how far it is.',
  input: z.object({ to: z.number().int().max(100) }),
  async handler({ to }, ctx) {
    for (let done = 1; done <= to; done++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      ctx.signal.throwIfAborted()
      ctx.progress(done, to)
    }
    return `counted to ${to}`
  },
})

router.tool('report', {
  description: 'Writes a long report.',
  task: 'optional',
  async handler(_, ctx) {
    for (let part = 1; part <= 10; part++) {
      ctx.signal.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, 50))
      ctx.progress(part, 10, `part ${part} by machine ${MACHINE}`)
    }
    const { content } = await ctx.elicit({ message: 'For whom?', schema: z.object({ name: z.string() }) })
    return `a report for ${content?.name} by machine ${MACHINE}`
  },
})

router.tool('publish', {
  description: 'Tells every client that listens that the news have changed.',
  async handler() {
    await router.notify.resourceUpdated('news://today')
    return 'published'
  },
})

router.resource('news://today', {
  name: 'news',
  description: 'The news of today.',
  text: 'Nothing happened.',
})

const app = express()
app.use(mcp(router, { health: true }))
const server = app.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
process.once('SIGTERM', async () => {
  server.close()
  await router.close({ drainMs: 5_000 })
  await store.close()
  if (connection.isOpen) await connection.close()
})
