/** A Koa app in plain JavaScript. */

import Router from '@koa/router'
import Koa from 'koa'
import { asTool, mcp } from '../../../../integrations/koa/index.js'

export const app = new Koa()
const routes = new Router({ prefix: '/books' })
routes.get('/:id', asTool({ description: 'One book.' }), () => {})
routes.put('/:id', requireOwner, asTool({ name: 'book_put' }), () => {})

app.use(mcp(undefined, { routes: { guards: ['requireOwner'] } }))
app.use(routes.routes())

function requireOwner(_ctx, next) {
  return next()
}
