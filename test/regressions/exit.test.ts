/** `await router.close(); process.exit(0)`: a process that leaves like this loses no answer. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { it } from 'vitest'
import { modern } from '../contract/clients.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Large enough to need many writes, and a socket that is not read at once. */
const length = 3_000_000

/** An app in a process of its own: says its port, then when a call runs; told to leave, it lets that call end. */
const program = (express: string): string => `
  import express from '${express}'
  import { mcp } from './integrations/express/index.ts'
  import { McpRouter } from './src/index.ts'

  let release
  const released = new Promise((resolve) => { release = resolve })
  const silent = () => {}
  const router = new McpRouter({ logger: { debug: silent, info: silent, warn: silent, error: silent } })
  router.tool('wait', {
    description: 'd',
    async handler(_, ctx) {
      ctx.progress(1)
      process.send('running')
      await released
      ctx.progress(2)
      return 'x'.repeat(${length})
    },
  })
  const server = express().use(mcp(router)).listen(0, '127.0.0.1', () => process.send(server.address().port))
  process.once('message', async () => {
    const closed = router.close()
    release()
    await closed
    process.exit(0)
  })
`

function start(express: string): ChildProcess {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program(express)]
  return spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', TSX_TSCONFIG_PATH: 'tsconfig.json' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

const message = async (child: ChildProcess): Promise<unknown> => (await once(child, 'message'))[0]

it.concurrent.for<[express: string, kind: string, more: object]>([
  ['express', 'JSON', {}],
  ['express', 'a stream', { _meta: { progressToken: 1 } }],
  ['express4', 'JSON', {}],
  ['express4', 'a stream', { _meta: { progressToken: 1 } }],
])(
  '%s: answers the running call with %s before it exits',
  async ([express, kind, more], { expect, onTestFinished }) => {
    const child = start(express)
    onTestFinished(() => void child.kill())
    const exited = once(child, 'exit')
    const client = modern(`http://127.0.0.1:${await message(child)}/mcp`)
    const running = message(child)
    const answer = client.request('tools/call', { name: 'wait', arguments: {}, ...more })
    await running
    child.send('leave')
    const { status, text, headers } = await answer
    expect({ status, type: headers['content-type'] }).toEqual({
      status: 200,
      type: kind === 'JSON' ? 'application/json' : 'text/event-stream',
    })
    expect(text).toContain(`"text":"${'x'.repeat(length)}"`)
    expect(text.trimEnd().endsWith('}')).toBe(true)
    expect(await exited).toEqual([0, null])
  },
)
