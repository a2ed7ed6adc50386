/**
 * One host in a process of its own: `server.ts HOST CLOCK`. It tells its URL, then answers each line on its input: `memory`
 * with the bytes in use, `state` with its counters and with everything that nobody caught.
 */
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { McpRouter } from 'mcp-router'
import { z } from 'zod'
import { silent } from '../support/silent.js'
import { hurry } from './fast-clock.js'
import { answerMs } from './limits.js'

const uncaught: string[] = []
for (const event of ['unhandledRejection', 'uncaughtException'] as const)
  process.on(event, (reason: unknown) => uncaught.push(String((reason as Error)?.stack ?? reason)))

const clock = Number(process.argv[3])
/** What handlers do takes the time that it takes. */
const { setTimeout } = globalThis
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const router = new McpRouter({
  name: 'soak',
  version: '1.0.0',
  logger: silent,
  timeoutMs: answerMs * clock,
  inputTimeoutMs: answerMs * clock,
  stateTtlMs: answerMs * clock,
})
router.tool('add', {
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => a + b,
})
router.tool('wait', {
  description: 'Takes its time, and tells how far it is',
  input: z.object({ ms: z.number().max(1_000) }),
  async handler({ ms }, ctx) {
    for (let step = 1; step <= 5; step++) {
      ctx.progress(step, 5)
      await wait(ms / 5)
    }
    return 'waited'
  },
})
router.tool('crash', {
  description: 'Fails, in one of many ways',
  input: z.object({ how: z.enum(['throw', 'reject', 'odd', 'later']) }),
  handler: ({ how }): Promise<string> => {
    if (how === 'throw') throw new Error('crashed')
    if (how === 'odd') throw undefined
    if (how === 'later') return wait(5).then(() => Promise.reject(new TypeError('crashed later')))
    return Promise.reject(new Error('crashed'))
  },
})
router.tool('large', { description: 'Much text', handler: () => 'x'.repeat(256 * 1024) })
router.tool('ask', {
  description: 'Asks for a name',
  handler: async (_, ctx) =>
    (await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) })).content?.name ?? 'nobody',
})
router.tool('tell', {
  description: 'Tells all who listen',
  handler: () => router.notify.toolsChanged().then(() => 'told'),
})
router.resource('config://app', { text: '{}' })

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

async function memory(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const commands: Record<string, () => unknown> = {
  memory,
  state: () => ({ ...router.stats(), uncaught, rss: process.memoryUsage().rss }),
}

const { create } = await import(`../conformance/servers/${process.argv[2]}.ts`)
const server = await create(router)
server.listen(0, '127.0.0.1', () => {
  hurry(clock)
  console.log(JSON.stringify(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`))
  createInterface({ input: process.stdin }).on('line', async (line) => {
    console.log(JSON.stringify((await commands[line]?.()) ?? null))
  })
})
