/** What becomes of tasks when the process that runs them, or Redis, is killed. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { McpRouter } from 'mcp-router'
import { bullmqTasks } from 'mcp-router/bullmq'
import { redisStore } from 'mcp-router/redis'
import { createClient } from 'redis'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Json } from '../contract/client.js'
import { quiet } from '../contract/host.js'
import { type RedisServer, redisServer } from '../support/redis-server.js'

vi.setConfig({ testTimeout: 60_000 })

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
}

let redis: RedisServer
let router: McpRouter<object>
beforeEach(async () => {
  redis = await redisServer('--appendonly', 'yes', '--appendfsync', 'always')
  onTestFinished(() => redis.stop())
  const connection = createClient({ url: redis.url })
  connection.on('error', () => {})
  const store = redisStore({ url: redis.url, timeoutMs: 1_000 })
  const tasks = bullmqTasks({ connection, worker: false })
  router = new McpRouter<object>({ name: 'chaos-tasks', logger: quiet, store, tasks })
  router.tool('work', { description: 'Runs elsewhere', task: 'required', handler: () => 'here' })
  onTestFinished(async () => {
    await router.close({ drainMs: 0 })
    await store.close()
    connection.destroy()
  })
})

interface Worker {
  /** The next thing it says. */
  says(what: 'ready' | 'began'): Promise<void>
  goOn(): void
  kill(): Promise<void>
}

async function worker(machine: string): Promise<Worker> {
  const file = fileURLToPath(new URL('worker.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    env: { ...process.env, NODE_ENV: 'production', MACHINE: machine, REDIS_URL: redis.url },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const kill = (): Promise<void> => killed(child)
  onTestFinished(kill)
  const says = async (what: string): Promise<void> => expect((await lines.next()).value).toBe(what)
  await says('ready')
  return { says, goOn: () => void child.stdin.write('\n'), kill }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = once(child, 'exit')
  child.kill('SIGKILL')
  await over
}

const ask = async (method: string, params: object): Promise<Json> =>
  router.handle({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } })
const start = async (): Promise<string> =>
  (await ask('tools/call', { name: 'work', arguments: {} })).result.taskId
const until = (taskId: string, wanted: object): Promise<Json> =>
  vi.waitFor(
    async () => {
      const { result } = await ask('tasks/get', { taskId })
      expect(result).toMatchObject(wanted)
      return result
    },
    { interval: 20, timeout: 20_000 },
  )

describe('a task', () => {
  it('is taken by another process when the one that runs it is killed', async () => {
    const first = await worker('A')
    const taskId = await start()
    await first.says('began')
    await until(taskId, { statusMessage: 'A works' })
    const second = await worker('B')
    await first.kill()
    const began = Date.now()
    await second.says('began')
    console.log(`taken ${Date.now() - began} ms after its process was killed (stalledMs: 1,000)`)
    await until(taskId, { status: 'working', statusMessage: 'B works' })
    second.goOn()
    expect((await until(taskId, { status: 'completed' })).result.content[0].text).toBe('done by B')
  })

  it('is given up that kills every process that runs it', async () => {
    const first = await worker('A')
    const taskId = await start()
    await first.says('began')
    const second = await worker('B')
    await first.kill()
    await second.says('began')
    await worker('C')
    await second.kill()
    const { error } = await until(taskId, { status: 'failed' })
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('given up') })
  })

  it('waits, runs and stays as it ended while Redis is killed and comes back with what it wrote', async () => {
    const taskId = await start()
    await redis.restart()
    const one = await worker('A')
    await one.says('began')
    await redis.kill()
    one.goOn()
    await redis.restart()
    const wanted = { status: 'completed', result: { content: [{ text: 'done by A' }] } }
    // Its end may have met no Redis: then it is attempted again.
    one.goOn()
    await until(taskId, wanted)
    await redis.restart()
    await until(taskId, wanted)
    await one.kill()
    await until(taskId, wanted)
  })
})
