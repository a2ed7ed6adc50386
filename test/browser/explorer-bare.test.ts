/** The explorer of a server that runs on Bare. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'vitest'
import { nodeHost, overHttp } from '../integrations/node/host.js'
import { binaries, bundle, root } from '../runtimes/bundle.js'
import { demo } from './explorer/fixtures.js'
import { choose, explorerOn, hasChromium, press } from './explorer/page.js'

describe.skipIf(!hasChromium)('the explorer on Bare', { timeout: 60_000 }, () => {
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
      const close = async (): Promise<void> => void child.kill('SIGKILL')
      return { origin: `http://127.0.0.1:${Number(port)}`, errors: [], close }
    },
  })

  it('tries a tool, and has the recent calls', async () => {
    const { page } = await open(demo())
    await choose(page, 'add')
    await page.getByLabel(/^a\b/).fill('2')
    await press(page, 'Call')
    await page.getByText(/^Done/).waitFor()
    await press(page, 'Activity')
    await page.getByRole('button', { name: 'Replay add' }).waitFor()
  })
})
