/** An app as people have it: it even listens when it is loaded. */

import express from 'express'
import { McpRouter } from 'mcp-router'
import { asTool, mcp } from 'mcp-router/express'

export const app = express()
const router = new McpRouter({ name: 'shop', version: '1.0.0' })
router.tool('greet', { description: 'Greets', handler: () => 'hello' })

function requireLogin(_req: express.Request, _res: express.Response, next: express.NextFunction): void {
  next()
}
function loadShop(_req: express.Request, _res: express.Response, next: express.NextFunction): void {
  next()
}
const ok = (_req: express.Request, res: express.Response): void => void res.json({})

app.use(mcp(router, { routes: { include: ['/orders/**', 'DELETE /orders/:id'], guards: ['requireLogin'] } }))
app.get('/orders', ok)
app.delete('/orders/:id', requireLogin, ok)
app.post('/orders', loadShop, asTool({ name: 'order_add', description: 'Adds an order' }), ok)
app.get('/secret', ok)
app.listen(0)
console.log('listening')
