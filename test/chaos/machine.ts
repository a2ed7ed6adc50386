/** One machine of several: an Express app with MCP at /mcp, its store in the Redis that REDIS_URL names. Prints its URL. */

import type { AddressInfo } from 'node:net'
import express from 'express'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { redisStore } from 'mcp-router/redis'
import { z } from 'zod'

const { REDIS_URL: url = '', MACHINE: machine = '' } = process.env

const router = new McpRouter({
  name: 'chaos',
  version: '1.0.0',
  secret: 'a secret that all machines know',
  store: redisStore({ url, timeoutMs: 1_000 }),
})

router.tool('add', {
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => a + b,
})
router.tool('notify', {
  description: 'Tells every client something',
  input: z.object({ text: z.string() }),
  async handler({ text }) {
    await router.notify.custom('notifications/test', { text })
    return machine
  },
})
router.tool('ask', {
  description: 'Asks whether to go on',
  handler: async (_, ctx) =>
    (await ctx.elicit({ message: 'Go on?', schema: z.object({ name: z.string() }) })).content?.name ??
    'nobody',
})
router.resource('config://app', { text: '{}' })

const app = express()
app.use(mcp(router, { health: true }))
const server = app.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
)
