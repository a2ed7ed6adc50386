/** The explorer of a server that runs on Bare. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { nodeHost, overHttp } from '../integrations/node/host.js'
import { binaries, bundle, root } from '../runtimes/bundle.js'
import { demo } from './explorer/fixtures.js'
import { choose, explorerOn, hasChromium, press } from './explorer/page.js'

describe.skipIf(!hasChromium)('the explorer on Bare', { timeout: 60_000 }, () => {
  let link = ''
  const open = explorerOn({
    ...nodeHost(overHttp),
    /** Serves a router of its own. */
    async start() {
      const [command] = binaries.bare
      const child = spawn(command, [await bundle('bare', 'http-bare.ts')], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [port] = await once(child.stdout.setEncoding('utf8'), 'data')
      const origin = `http://127.0.0.1:${Number(port)}`
      // There is no NODE_ENV: the page wants the key from the log, which comes with the first request.
      const said = once(child.stdout, 'data')
      await fetch(`${origin}/mcp`, { method: 'POST' })
      link = /http\S+/.exec(String(await said))?.[0] ?? ''
      const close = async (): Promise<void> => void child.kill('SIGKILL')
      return { origin, errors: [], close }
    },
  })

  it('tries a tool, and has the recent calls', async () => {
    const { page } = await open({ ...demo(), path: '/mcp/health' })
    await page.goto(link)
    expect(page.url()).not.toContain('key')
    await choose(page, 'add')
    await page.getByLabel(/^a\b/).fill('2')
    await press(page, 'Call')
    await page.getByText(/^Done/).waitFor()
    await press(page, 'Activity')
    await page.getByRole('button', { name: 'Replay add' }).waitFor()
  })
})
