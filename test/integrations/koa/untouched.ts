/** Mounting patches nothing: the app and its prototypes are the same before and after serving. */

import { guard, mcp } from 'mcp-router/koa'
import { expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { Connections } from '../../contract/exchange.js'
import { expectSame, photograph } from '../../contract/mount/untouched.js'
import { placed } from '../placed.js'
import { type App, type KoaModule, listening } from './host.js'

export function untouched(Koa: KoaModule): void {
  const watched = (app: App): Record<string, object> => ({
    Koa,
    'Koa.prototype': Koa.prototype,
    context: Object.getPrototypeOf(app.context),
    request: Object.getPrototypeOf(app.request),
    response: Object.getPrototypeOf(app.response),
    'app.context': app.context,
    'app.request': app.request,
    'app.response': app.response,
  })

  it('leaves the app, its prototypes and its middleware unchanged', async () => {
    const app = new Koa()
    const { router: made, release } = placed()
    release.open()
    made.tool('guarded', { description: 'x', use: [guard((_ctx, next) => next())], handler: () => 'ok' })
    const [first, serve] = [(_ctx: unknown, next: () => Promise<unknown>) => next(), mcp(made)]
    const before = { photograph: photograph(watched(app)), keys: Reflect.ownKeys(app) }
    app.use(first).use(serve)
    const { origin, errors } = await listening(app)
    const listeners = app.eventNames().map((name) => [name, app.listenerCount(name)])
    const client = await legacy(`${origin}/mcp`)
    const steps = { name: 'steps', arguments: {}, _meta: { progressToken: 1 } }
    await Promise.all([
      client.call('guarded', {}),
      modern(`${origin}/mcp`).call('guarded', {}),
      (await modern(`${origin}/mcp`).open('tools/call', steps)).rest(),
      post(`${origin}/mcp`, '{'),
      send(`${origin}/mcp`, { method: 'DELETE', headers: { 'Mcp-Session-Id': client.sessionId } }),
    ])
    expectSame(photograph(watched(app)), before.photograph)
    expect(Reflect.ownKeys(app)).toEqual(before.keys)
    expect(app.middleware).toEqual([first, serve])
    expect(app.eventNames().map((name) => [name, app.listenerCount(name)])).toEqual(listeners)
    expect(errors).toEqual([])
  })

  it('leaves no listeners on a reused connection', async () => {
    const connections = new Connections()
    const counts: number[] = []
    const app = new Koa().use((ctx, next) => {
      const { socket } = ctx.req
      counts.push(socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0))
      return next()
    })
    const { origin } = await listening(app.use(mcp(placed().router)))
    const body = rpc('tools/call', { name: 'where', arguments: {} })
    for (let index = 0; index < 20; index += 1) await send(`${origin}/mcp`, { body, connections })
    connections.close()
    expect(counts.at(-1)).toBe(counts[1])
  })
}
