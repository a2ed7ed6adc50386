/** The app's logger, and what happens when the app closes. */

import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/fastify'
import { expect, it, onTestFinished, vi } from 'vitest'
import { post } from '../../contract/client.js'
import { modern, rpc } from '../../contract/clients.js'
import { expectText } from '../../contract/expect.js'
import { settled } from '../../support/time.js'
import { placed, streaming } from '../placed.js'
import { create, type FastifyModules, listening } from './host.js'

function logging(): { logger: object; lines: string[] } {
  const lines: string[] = []
  return { logger: { level: 'warn', stream: { write: (line: string) => void lines.push(line) } }, lines }
}

const failing = (options: object): McpRouter<object> => {
  const router = new McpRouter<object>(options)
  router.tool('fails', {
    description: 'x',
    handler(): never {
      throw new Error('the disk is full')
    },
  })
  return router
}

export function lifetime(modules: FastifyModules): void {
  it("writes to the app's logger, unless the router has its own", async () => {
    const { logger, lines } = logging()
    const own: unknown[] = []
    const note = (...args: unknown[]): void => void own.push(args)
    const app = create(modules, { logger } as never)
    await app.register(mcp, { router: failing({}) })
    await app.register(mcp, {
      router: failing({ logger: { info: note, warn: note, error: note } }),
      prefix: '/own',
    })
    const { origin } = await listening(app)
    await modern(`${origin}/mcp`).call('fails', {})
    expect(lines.filter((line) => line.includes('the disk is full'))).toHaveLength(1)
    await modern(`${origin}/own/mcp`).call('fails', {})
    expect(lines.filter((line) => line.includes('the disk is full'))).toHaveLength(1)
    expect(own).toHaveLength(1)
  })

  it('writes errors to stderr if the app has no logger', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => {
      vi.unstubAllEnvs()
      error.mockRestore()
    })
    const app = create(modules)
    await app.register(mcp, { router: failing({}) })
    const { origin } = await listening(app)
    const { text } = await modern(`${origin}/mcp`).call('fails', {})
    const reference = /Reference: ([\w-]+)/.exec(text)?.[1]
    expect(error.mock.calls.map(([line]) => line)).toEqual([
      expect.stringContaining(`(reference ${reference}): the disk is full`),
    ])
  })

  it('waits for running calls when the app closes, and ends their streams with a result', async () => {
    const { router, running, release } = placed()
    const app = create(modules)
    await app.register(mcp, { router })
    const { origin } = await listening(app)
    const stream = await modern(`${origin}/mcp`).open('tools/call', streaming)
    await running.opened
    const order: string[] = []
    const closed = app.close().then(() => order.push('closed'))
    await settled()
    order.push('released')
    release.open()
    expect((await stream.rest()).at(-1).result.content[0].text).toHaveLength(5000)
    await closed
    expect(order).toEqual(['released', 'closed'])
  })

  it("aborts running calls before Fastify's timeout for hooks, and closes", async () => {
    const { router, running } = placed()
    const app = create(modules, { pluginTimeout: 2_001 })
    await app.register(mcp, { router })
    const { origin } = await listening(app)
    const stream = await modern(`${origin}/mcp`).open('tools/call', streaming)
    const signal = await running.opened
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    await Promise.all([app.close(), aborted, stream.rest()])
  })

  it('serves a router again after an earlier app has closed it', async () => {
    const { router } = placed()
    for (const _ of [1, 2]) {
      const app = create(modules)
      await app.register(mcp, { router })
      const { origin, close } = await listening(app)
      expect((await post(`${origin}/mcp`, rpc('ping'))).status).toBe(200)
      await close()
    }
    const app = create(modules)
    await app.register(mcp, { router })
    const { origin } = await listening(app)
    expect(expectText(await modern(`${origin}/mcp`).call('where', {}))).toBe('/mcp')
  })
}
