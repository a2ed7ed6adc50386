/** Ten thousand calls back through the app, every fourth of them over HTTP: each is answered right, and nothing is kept. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { send } from '../../contract/client.js'
import { rpc } from '../../contract/clients.js'
import { Connections } from '../../contract/exchange.js'
import { settled } from '../../support/time.js'
import type { RouteHost } from './host.js'
import { ana, headersOf, namesOf, serveRoutes } from './serve.js'

const calls = 10_000
const atOnce = 100
/** What one call leaves behind would be a request, a response and a socket: more than 5 kB. */
const mostPerCall = 300

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function heapUsed(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await settled()
    collect()
  }
  return process.memoryUsage().heapUsed
}

export function manyCalls(host: RouteHost): void {
  it('keeps nothing of 10,000 calls', { timeout: 180_000 }, async () => {
    const { url, router, as } = await serveRoutes(host, [
      {
        method: 'post',
        path: '/echo/:id',
        marker: { name: 'echo', body: { type: 'object', properties: { x: { type: 'integer' } } } },
        run: ({ params, body, user }) => ({ body: [params.id, (body as { x: number }).x, user?.id ?? null] }),
      },
    ])
    const connections = new Connections(atOnce)
    onTestFinished(() => connections.close())
    const headers = headersOf(ana)
    let wrong = 0
    const overHttp = async (id: number): Promise<string> => {
      const body = rpc('tools/call', { name: 'echo', arguments: { id: `${id}`, x: id } }, id)
      const { json } = await send(url, { body, headers, connections })
      return json.result.content[0].text
    }
    const inProcess = async (id: number): Promise<unknown> => {
      const [block] = (await router.call('echo', { id: `${id}`, x: id })).content
      return block?.type === 'text' && block.text
    }
    const ask = async (id: number): Promise<void> => {
      const [said, by] = id % 4 === 0 ? [await overHttp(id), 'ana'] : [await inProcess(id), null]
      if (said !== JSON.stringify([`${id}`, id, by])) wrong += 1
    }
    const many = async (count: number): Promise<void> => {
      let next = 0
      const askOn = async (): Promise<void> => {
        while (next < count) await ask(next++)
      }
      await Promise.all(Array.from({ length: atOnce }, askOn))
    }
    // The first request tells the router its app.
    expect(await namesOf(as())).toEqual(['echo'])
    await many(2_000)
    const before = await heapUsed()
    await many(calls)
    const growth = (await heapUsed()) - before
    expect(wrong).toBe(0)
    expect(growth / calls).toBeLessThan(mostPerCall)
    expect(router.stats()).toMatchObject({ running: 0, errors: 0 })
  })
}
