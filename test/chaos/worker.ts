/** A process that only runs tasks. It prints the attempts of `work` as they begin; a line to it lets them end. */

import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { McpRouter } from 'mcp-router'
import { bullmqTasks } from 'mcp-router/bullmq'
import { redisStore } from 'mcp-router/redis'
import { createClient } from 'redis'

const { REDIS_URL: url = '', MACHINE: machine = '' } = process.env
const lines = createInterface({ input: process.stdin })
const connection = createClient({ url })
connection.on('error', () => {})

const router = new McpRouter({
  name: 'chaos-tasks',
  store: redisStore({ url, timeoutMs: 1_000 }),
  tasks: bullmqTasks({ connection, stalledMs: 1_000 }),
})
router.tool('work', {
  description: 'Works until it is told to end',
  task: 'required',
  async handler(_, ctx) {
    ctx.progress(1, 2, `${machine} works`)
    console.log('began')
    await once(lines, 'line')
    return `done by ${machine}`
  },
})
await router.ready()
console.log('ready')
