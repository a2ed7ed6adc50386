/** V8's hidden classes of requests: with a class for each request, every access to its properties would be slow. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { asTool, mcp } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { modern } from '../../contract/clients.js'
import { latch } from '../../contract/fixtures.js'
import { router } from '../placed.js'
import { type ExpressModule, listening } from './host.js'

type Pair = readonly [IncomingMessage, ServerResponse]

/** Returns a test for the same hidden class, based on a native function of V8. */
function sameHiddenClass(): (one: object, other: object) => boolean {
  setFlagsFromString('--allow-natives-syntax')
  try {
    return new Function('one', 'other', 'return %HaveSameMap(one, other)') as ReturnType<
      typeof sameHiddenClass
    >
  } finally {
    setFlagsFromString('--no-allow-natives-syntax')
  }
}

export function shapes(express: ExpressModule): void {
  /** The requests and responses of two concurrent calls, after their handlers wrote to them. */
  const twoCalls = async (tool: string): Promise<[Pair, Pair]> => {
    const pairs: Pair[] = []
    const both = latch()
    const wait = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      Object.assign(req, { own: 1 })
      res.statusCode = 200
      if (pairs.push([req, res]) === 2) both.open()
      await both.opened
    }
    const made = router()
    made.tool('by-hand', {
      description: 'Of no route',
      async handler(_, { request }) {
        const raw = request?.raw as IncomingMessage & { res: ServerResponse }
        await wait(raw, raw.res)
      },
    })
    const app = express().use(mcp(made))
    app.get('/route', asTool({ name: 'route', description: 'A route' }), async (req, res) => {
      await wait(req, res)
      res.json({})
    })
    const { origin } = await listening(app)
    const client = await modern(`${origin}/mcp`)
    await Promise.all([client.call(tool), client.call(tool)])
    return pairs as unknown as [Pair, Pair]
  }

  it.each(['by-hand', 'route'])('shares the hidden class of calls of the tool %s', async (tool) => {
    const [[req, res], [otherReq, otherRes]] = await twoCalls(tool)
    const same = sameHiddenClass()
    expect([same(req, otherReq), same(res, otherRes)]).toEqual([true, true])
  })
}
