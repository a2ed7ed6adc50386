/** A mount in a scope: its routes are tools like those of a mount at the root, and the app closes. */

import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { legacy, modern } from '../../../contract/clients.js'
import { expectText } from '../../../contract/expect.js'
import { latch } from '../../../contract/fixtures.js'
import { quiet } from '../../../contract/host.js'
import { settled } from '../../../support/time.js'
import { type Major, places } from './places.js'

const load = createRequire(import.meta.url)
const majors: readonly Major[] = [
  {
    name: 'Fastify 4',
    create: load('fastify4'),
    packages: { fastify: 'fastify4', autoload: 'fastify4-autoload' },
  },
  {
    name: 'Fastify 5',
    create: load('fastify'),
    packages: { fastify: 'fastify', autoload: '@fastify/autoload' },
  },
]

describe.each(majors)('$name', (major) => {
  describe.each(places)('with a mount in $name', ({ prefix = '', build }) => {
    const tool = `get${prefix.replaceAll('/', '_')}_items_by_id`
    const start = async () => {
      const router = new McpRouter<object>({ name: 'nested', version: '1.0.0', logger: quiet })
      const [running, release] = [latch(), latch()]
      const app = await build(major, {
        mount: async (scope) => {
          const routes = { include: ['/**'] }
          await scope.register(mcp, { router, routes } as object)
        },
        handler: async (request) => {
          const { id } = request.params as { id: string }
          if (id === 'slow') {
            running.open()
            await release.opened
          }
          return { id }
        },
      })
      return { app, router, running, release }
    }
    const listen = async (app: FastifyInstance): Promise<string> => {
      await app.listen({ port: 0, host: '127.0.0.1' })
      const { port } = app.server.address() as AddressInfo
      onTestFinished(() => app.server.closeAllConnections())
      return `http://127.0.0.1:${port}${prefix}/mcp`
    }

    it('calls the route again and again, in both eras, and closes', async () => {
      const { app } = await start()
      const url = await listen(app)
      for (const client of [await legacy(url), modern(url)]) {
        for (const id of ['1', '2'])
          expect(JSON.parse(expectText(await client.call(tool, { id })))).toEqual({ id })
      }
      app.server.closeAllConnections()
      await app.close()
    })

    it('calls the route in process before the app listens, and closes', async () => {
      const { app, router } = await start()
      for (const id of ['1', '2']) {
        const { content } = await router.call(tool, { id })
        expect(content).toEqual([{ type: 'text', text: JSON.stringify({ id }) }])
      }
      await app.close()
    })

    it('lets a running call end when the app closes', async () => {
      const { app, running, release } = await start()
      const url = await listen(app)
      const answer = modern(url).call(tool, { id: 'slow' })
      await running.opened
      const closed = app.close()
      await settled()
      release.open()
      expect(JSON.parse(expectText(await answer))).toEqual({ id: 'slow' })
      await closed
    })

    it('closes without a call, and after a close there are no more', async () => {
      const { app, router } = await start()
      await app.ready()
      await app.close()
      await expect(router.call(tool, { id: '1' })).rejects.toThrow()
    })
  })

  it('has no tools of routes beside a mount that is encapsulated, and closes', async () => {
    const router = new McpRouter<object>({ name: 'nested', version: '1.0.0', logger: quiet })
    const app = major.create()
    app.register(async (scope) => {
      await scope.register(mcp, { router, routes: { include: ['/**'] } } as object)
    })
    app.register(async (scope) => void scope.get('/items/:id', async () => ({})))
    await app.ready()
    expect(router.list().filter(({ kind }) => kind === 'tool')).toEqual([])
    await app.close()
  })
})
