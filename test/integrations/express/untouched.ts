/** Mounting patches nothing: the app and Express's prototypes are the same before and after serving. */

import type { Express } from 'express'
import { guard, mcp } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { Connections } from '../../contract/exchange.js'
import { expectSame, photograph } from '../../contract/mount/untouched.js'
import { router } from '../placed.js'
import { type ExpressModule, listening } from './host.js'

type Layer = { name: string; handle: unknown }

/** Returns `app.router` of Express 5, or `app._router` of Express 4, which is created at first use. */
function stackOf(app: Express): Layer[] {
  const { _router } = app as unknown as { _router?: { stack: Layer[] } }
  return [...(_router ?? (app.router as unknown as { stack: Layer[] })).stack]
}

export function untouched(express: ExpressModule): void {
  const watched = (app: Express): Record<string, object> => ({
    'express.request': express.request,
    'express.response': express.response,
    'express.application': express.application,
    'express.Router': express.Router,
    'app.request': app.request,
    'app.response': app.response,
    'app.locals': app.locals,
  })

  it('patches nothing, neither when mounted nor when serving', async () => {
    const app = express()
    app.get('/own', (_req, res) => void res.json({ own: true }))
    const before = {
      photograph: photograph(watched(app)),
      stack: stackOf(app),
      settings: { ...(app as never as { settings: object }).settings },
    }
    const made = router()
    made.tool('guarded', {
      description: 'x',
      use: [guard((_req, _res, next) => next())],
      handler: () => 'ok',
    })
    const handlers = mcp(made)
    app.use(handlers)
    const mounted = stackOf(app)
    expect(mounted.slice(0, before.stack.length)).toEqual(before.stack)
    expect(mounted.slice(before.stack.length).map(({ handle }) => handle)).toEqual(handlers)
    const { origin } = await listening(app)
    const listeningStack = stackOf(app)

    const client = await legacy(`${origin}/mcp`)
    await Promise.all([
      client.call('guarded', {}),
      modern(`${origin}/mcp`).call('guarded', {}),
      post(`${origin}/mcp`, '{'),
      post(`${origin}/mcp`, rpc('ping'), { Origin: 'https://evil.example' }),
      send(`${origin}/mcp`, { method: 'DELETE', headers: { 'Mcp-Session-Id': client.sessionId } }),
    ])

    expect((await send(`${origin}/own`, { method: 'GET' })).json).toEqual({ own: true })
    expect(stackOf(app)).toEqual(listeningStack)
    expect((app as never as { settings: object }).settings).toEqual(before.settings)
    expectSame(photograph(watched(app)), before.photograph)
  })

  it('leaves no listeners on a reused connection', async () => {
    const connections = new Connections()
    const counts: number[] = []
    const app = express()
    app.use((req, _res, next) => {
      counts.push(req.socket.eventNames().reduce((sum, name) => sum + req.socket.listenerCount(name), 0))
      next()
    })
    const { origin } = await listening(app.use(mcp(router())))
    for (let index = 0; index < 20; index += 1) {
      await send(`${origin}/mcp`, { body: rpc('tools/call', { name: 'where', arguments: {} }), connections })
    }
    connections.close()
    expect(counts.at(-1)).toBe(counts[1])
  })
}
