/** SIGTERM in the middle of load: what was accepted is done and answered, what was not is told to come back. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { it } from 'vitest'
import type { Answer } from '../contract/client.js'
import { legacy, modern } from '../contract/clients.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

function start(host: string): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', 'test/faults/server.ts', host], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', TSX_TSCONFIG_PATH: `${root}tsconfig.json` },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

/** What became of one call: its text, the status that refused it, or `gone` where nobody took the connection any more. */
async function outcomeOf(answer: Promise<Answer>): Promise<unknown> {
  const { status, text } = await answer.catch(() => ({ status: 'gone', text: '' }))
  return status === 200 ? /did \d+/.exec(text)?.[0] : status
}

it.concurrent.for(['express', 'fastify', 'koa', 'node', 'fetch'])(
  'SIGTERM under load loses no accepted call on %s',
  { timeout: 60_000 },
  async (host, { expect, onTestFinished }) => {
    const server = start(host)
    onTestFinished(() => void server.kill('SIGKILL'))
    const exited = once(server, 'exit')
    const [url] = (await once(server, 'message')) as [string]
    const done = new Set<number>()
    server.on('message', (n: number) => {
      done.add(n)
      if (done.size === 40) server.kill('SIGTERM')
    })

    const clients = [modern(url), await legacy(url), modern(url), await legacy(url)]
    const outcomes = new Map<number, unknown>()
    let next = 0
    const load = async (): Promise<void> => {
      while (server.exitCode === null && !outcomes.has(-1)) {
        const n = next++
        const params = { name: 'work', arguments: { n, streams: n % 3 === 0 }, _meta: { progressToken: n } }
        const outcome = await outcomeOf(
          (clients[n % clients.length] ?? modern(url)).request('tools/call', params),
        )
        outcomes.set(n, outcome)
        if (outcome === 'gone') return
      }
    }
    await Promise.all(Array.from({ length: 24 }, load))

    expect(await exited).toEqual([0, null])
    for (const [n, outcome] of outcomes) {
      // Whatever ran was answered, and nothing was answered with half of an answer.
      expect([`did ${n}`, 503, 'gone']).toContain(outcome)
      if (done.has(n)) expect(outcome).toBe(`did ${n}`)
    }
    expect([...outcomes.values()].filter((outcome) => String(outcome).startsWith('did')).length).toBe(
      done.size,
    )
    expect(done.size).toBeGreaterThanOrEqual(40)
  },
)
