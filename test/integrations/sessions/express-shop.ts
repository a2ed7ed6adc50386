/** The shop's routes in Express, whatever keeps their sessions. */

import type express from 'express'
import { asTool } from 'mcp-router/express'
import { type Data, shop } from './kept.js'

export const data = (req: express.Request): Data => (req as unknown as { session: Data }).session

/** For apps in which every request changes the session. */
export const counting: express.RequestHandler = (req, _res, next) => {
  shop.count(data(req))
  next()
}

export function addShop(app: express.Express): void {
  app.get('/login/:name', (req, res) => {
    data(req).user = req.params.name
    res.json({})
  })
  app.get('/cart', (req, res) => {
    const { user, items, seen } = data(req)
    res.json({ user, items, seen })
  })
  const item = { type: 'object', properties: { item: { type: 'string' } } }
  app.post('/cart', asTool({ name: 'cart_add', body: item }), (req, res) => {
    res.json(shop.add(data(req), req.body.item))
  })
  app.post('/slow', asTool({ name: 'cart_add_slowly', body: item }), async (req, res) => {
    res.type('text/event-stream').write('data: begun\n\n')
    await new Promise((resolve) => setImmediate(resolve))
    shop.add(data(req), req.body.item)
    res.end('data: done\n\n')
  })
}
