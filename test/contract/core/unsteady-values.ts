/** Values that JSON can carry when they are checked, and not when they are written: getters and `toJSON` run each time. */

import { McpError, type McpRouter } from 'mcp-router'
import { expect, it } from 'vitest'
import { settled, unhandledRejections } from '../../support/time.js'
import { open, post } from '../client.js'
import { initialize, legacy, modern, rpc, stateless } from '../clients.js'
import { expectError } from '../expect.js'
import { type Host, quiet, serve } from '../host.js'

/** As of an object whose connection to the database is closed by then. */
export function unsteady(): object {
  let reads = 0
  return {
    toJSON() {
      reads += 1
      if (reads > 1) throw new Error('hunter2: the connection is closed')
      return { a: 1 }
    },
  }
}

/** Tools that answer with such a value, and fail with one. */
export function addUnsteady(router: McpRouter<object>): void {
  router.tool('answers', {
    description: 'x',
    handler: () => ({ content: [{ type: 'text', text: 'x', row: unsteady() }] }) as never,
  })
  router.tool('fails', {
    description: 'x',
    handler: () => {
      throw new McpError(-32602, 'no', unsteady())
    },
  })
}

export function unsteadyValues(host: Host): void {
  async function start() {
    const told: unknown[] = []
    const unhandled = unhandledRejections()
    const served = await serve(host, {
      options: { legacySse: true },
      server: { logger: quiet, exposeErrors: false, onError: (error) => told.push(error) },
    })
    addUnsteady(served.router)
    const expectTold = async (): Promise<void> => {
      await settled()
      expect(unhandled).toEqual([])
      expect(told).toContainEqual(expect.objectContaining({ message: expect.stringContaining('hunter2') }))
      expect(served.router.stats().running).toBe(0)
    }
    return { ...served, expectTold }
  }

  it.each(['answers', 'fails'])('are answered with -32603, and the app is told: %s', async (name) => {
    const { url, expectTold } = await start()
    for (const client of [modern(url), stateless(url), await legacy(url)]) {
      const answer = await client.call(name, {})
      expectError(answer, 200, -32603, 1)
      expect(answer.text).not.toContain('hunter2')
    }
    await expectTold()
  })

  it('leave the other answers of a batch what they are', async () => {
    const { url, expectTold } = await start()
    const call = (name: string, id: number) => rpc('tools/call', { name, arguments: {} }, id)
    const { json } = await post(url, [call('answers', 1), rpc('ping', {}, 2), call('fails', 3)])
    expect(json).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, result: {} },
      { id: 3, error: { code: -32603 } },
    ])
    await expectTold()
  })

  it.each(['answers', 'fails'])('are answered on a stream of 2024-11-05: %s', async (name) => {
    const { url, origin, expectTold } = await start()
    const stream = await open(`${url}/sse`, { method: 'GET' })
    const endpoint = origin + ((await stream.nextEvent())?.data ?? '')
    await post(endpoint, initialize({ version: '2024-11-05' }))
    await stream.next()
    const call = rpc('tools/call', { name, arguments: {} }, 7)
    expect((await post(endpoint, call)).status).toBe(202)
    expect(await stream.next()).toMatchObject({ id: 7, error: { code: -32603 } })
    await expectTold()
  })
}
