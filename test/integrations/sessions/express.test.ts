/** express-session, however it is told to save. */

import { createRequire } from 'node:module'
import type express from 'express'
import session, { MemoryStore, type SessionOptions } from 'express-session'
import { asTool, mcp } from 'mcp-router/express'
import { describe, expect, test } from 'vitest'
import { listening } from '../express/host.js'
import { addShop, counting, data } from './express-shop.js'
import { browser, proveKept, proveLogin, quietRouter, shop } from './kept.js'

const load = createRequire(import.meta.url)

const ways: readonly (readonly [string, Partial<SessionOptions>, counts: boolean])[] = [
  ['saves what has changed', {}, false],
  ['saves always', { resave: true }, false],
  ['saves and renews always', { resave: true, rolling: true, cookie: { maxAge: 60_000 } }, false],
  ['saves new ones too', { resave: true, saveUninitialized: true }, false],
  ['is changed by every request', {}, true],
  ['is changed by every request, and saves always', { resave: true, rolling: true }, true],
]

describe.each(['express418', 'express4', 'express'])('%s', (module) => {
  const start = async (options: Partial<SessionOptions>, counts: boolean) => {
    const store = new MemoryStore()
    const app = (load(module) as typeof express)()
    app.use(session({ secret: 's', resave: false, saveUninitialized: false, store, ...options }))
    if (counts) app.use(counting)
    app.use(mcp(quietRouter()))
    app.use((load(module) as typeof express).json())
    addShop(app)
    app.post('/login/:name', asTool({ name: 'login' }), (req, res, next) => {
      req.session.regenerate((error) => {
        if (error) return next(error)
        data(req).user = req.params.name as string
        res.json({ id: req.session.id === req.sessionID })
      })
    })
    app.post('/logout', asTool({ name: 'logout' }), (req, res, next) => {
      req.session.destroy((error) => (error ? next(error) : res.json({})))
    })
    const { origin } = await listening(app)
    const count = () =>
      new Promise<number>((resolve) => store.length((_error, length) => resolve(length ?? 0)))
    return { origin, count }
  }

  test.each(ways)('%s: writes of calls are kept', async (_, options, counts) => {
    const { origin } = await start(options, counts)
    await proveKept(origin, { counts: counts ? 7 : undefined })
  })

  test.each(ways)('%s: a login by a tool is one', async (_, options, counts) => {
    const { origin, count } = await start(options, counts)
    await proveLogin(origin)
    expect(await count()).toBe(1)
  })

  test('another session of the route stays its own', async () => {
    const app = (load(module) as typeof express)()
    const store = new MemoryStore()
    const options = { secret: 's', resave: true, saveUninitialized: true }
    app.use('/mcp', session({ ...options, name: 'outer', store }))
    app.use(mcp(quietRouter()))
    app.use('/own', session({ ...options, name: 'inner', store: new MemoryStore() }))
    app.get('/own', asTool({ name: 'own' }), (req, res) => {
      shop.add(data(req), 'x')
      res.json({})
    })
    const { origin } = await listening(app)
    await browser(origin).call('own')
    const all = await new Promise<unknown>((resolve) => store.all((_error, found) => resolve(found)))
    expect(JSON.stringify(all)).not.toContain('items')
  })
})
