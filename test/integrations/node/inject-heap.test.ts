/** Many inner requests: no memory stays in use, and the network is served as before. */

import { setMaxListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { expressDispatch } from '../../../integrations/express/routes-source.js'
import { fastifyDispatch } from '../../../integrations/node/inject/fastify-app.js'
import { koaDispatch } from '../../../integrations/node/inject/koa-app.js'
import type { Dispatch } from '../../../src/adapter.js'
import { call, load, outerWith, serve, type Untyped } from './inject-call.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Returns the bytes of heap in use after garbage collection. */
async function heap(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise(setImmediate)
    collect()
  }
  return process.memoryUsage().heapUsed
}

async function apps(): Promise<Record<string, [Dispatch, Untyped]>> {
  const made: Record<string, [Dispatch, Untyped]> = {}
  for (const name of ['express', 'express4']) {
    const express = await load(name)
    const app = express().use(express.json())
    app.post('/echo/:id', (req: Untyped, res: Untyped) => res.json([req.params.id, req.body.x]))
    made[name] = [expressDispatch(app), app]
  }
  const app = new (await load('koa'))()
  app.use((await load('koa-bodyparser'))())
  app.use((ctx: Untyped) => {
    ctx.body = [ctx.path.slice('/echo/'.length), ctx.request.body.x]
  })
  made.koa = [koaDispatch(app), app.callback()]
  const fastify = (await load('fastify'))()
  fastify.post('/echo/:id', async (req: Untyped) => [req.params.id, req.body.x])
  made.fastify = [fastifyDispatch(fastify), (req: Untyped, res: Untyped) => fastify.routing(req, res)]
  return made
}

it.each(Object.entries(await apps()))(
  '%s: keeps nothing of 10,000 calls',
  { timeout: 120_000 },
  async (_, [dispatch, listener]) => {
    // One signal and one socket for all of them, as for the calls of one connection.
    const shared = { signal: new AbortController().signal, outer: outerWith({ remoteAddress: '10.0.0.1' }) }
    setMaxListeners(0, shared.signal)
    const echo = async (id: number) => {
      expect((await call(dispatch, `POST /echo/${id}`, { ...shared, json: { x: id } })).json).toEqual([
        `${id}`,
        id,
      ])
    }
    const many = async (count: number) => {
      for (let id = 0; id < count; id += 200)
        await Promise.all(Array.from({ length: 200 }, (_, at) => echo(id + at)))
    }
    await many(2_000)
    const before = await heap()
    await many(10_000)
    // A leak per call would be a request, a response and a socket: more than 5 kB.
    expect(((await heap()) - before) / 10_000).toBeLessThan(500)
    const origin = await serve(listener)
    const headers = { 'content-type': 'application/json' }
    const real = await fetch(`${origin}/echo/7`, { method: 'POST', headers, body: '{"x":1}' })
    expect(await real.json()).toEqual(['7', 1])
  },
)
