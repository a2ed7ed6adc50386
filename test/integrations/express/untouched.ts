/** We mount and never patch: prototypes, globals and the app are the same before and after serving. */

import { EventEmitter } from 'node:events'
import { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http'
import { Readable, Writable } from 'node:stream'
import type { Express } from 'express'
import { guard, mcp } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { type ExpressModule, listening } from './host.js'
import { router } from './mounting.js'

type Layer = { name: string; handle: unknown }

/** `app.router` of Express 5, `app._router` of Express 4, which makes it at the first use. */
function stackOf(app: Express): Layer[] {
  const { _router } = app as unknown as { _router?: { stack: Layer[] } }
  return [...(_router ?? (app.router as unknown as { stack: Layer[] })).stack]
}

function members(holder: object): Map<PropertyKey, PropertyDescriptor> {
  return new Map(
    Reflect.ownKeys(holder).map((key) => [
      key,
      Reflect.getOwnPropertyDescriptor(holder, key) as PropertyDescriptor,
    ]),
  )
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
    IncomingMessage: IncomingMessage.prototype,
    OutgoingMessage: OutgoingMessage.prototype,
    ServerResponse: ServerResponse.prototype,
    EventEmitter: EventEmitter.prototype,
    Readable: Readable.prototype,
    Writable: Writable.prototype,
    Object: Object.prototype,
    Array: Array.prototype,
    Function: Function.prototype,
    Promise: Promise.prototype,
    Error: Error.prototype,
  })
  const globals = (): PropertyKey[] => Reflect.ownKeys(globalThis)
  const photograph = (app: Express) =>
    Object.entries(watched(app)).map(
      ([name, holder]) => [name, Object.getPrototypeOf(holder), members(holder)] as const,
    )

  it('patches nothing, neither when it is mounted nor when it serves', async () => {
    const app = express()
    app.get('/own', (_req, res) => void res.json({ own: true }))
    const before = {
      photograph: photograph(app),
      globals: globals(),
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
    expect(globals()).toEqual(before.globals)
    expect((app as never as { settings: object }).settings).toEqual(before.settings)
    for (const [index, [name, prototype, had]] of before.photograph.entries()) {
      const [, nowPrototype, has] = photograph(app)[index] as (typeof before.photograph)[number]
      expect(nowPrototype, name).toBe(prototype)
      expect([...has.keys()], name).toEqual([...had.keys()])
      for (const [key, descriptor] of had) {
        expect(
          has.get(key)?.value === descriptor.value && has.get(key)?.get === descriptor.get,
          `${name}.${String(key)}`,
        ).toBe(true)
      }
    }
  })

  it('leaves no listeners on a connection that is used again', async () => {
    const { Agent } = await import('node:http')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const counts: number[] = []
    const app = express()
    app.use((req, _res, next) => {
      counts.push(req.socket.eventNames().reduce((sum, name) => sum + req.socket.listenerCount(name), 0))
      next()
    })
    const { origin } = await listening(app.use(mcp(router())))
    for (let index = 0; index < 20; index += 1) {
      await send(`${origin}/mcp`, { body: rpc('tools/call', { name: 'where', arguments: {} }), agent })
    }
    agent.destroy()
    expect(counts.at(-1)).toBe(counts[1])
  })

  it('writes nothing to the console of its own accord', async () => {
    const written: string[] = []
    const real = process.stdout.write
    process.stdout.write = ((text: string) => Boolean(written.push(text))) as typeof real
    try {
      const { origin } = await listening(express().use(mcp(router())))
      await modern(`${origin}/mcp`).call('where', {})
    } finally {
      process.stdout.write = real
    }
    expect(written.filter((text) => /mcp/i.test(text))).toEqual([])
  })
}
