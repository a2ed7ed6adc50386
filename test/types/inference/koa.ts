/** The mount fits what Koa, its routers and koa-mount take, and middleware beside it keeps the types of its parameters. */
import Router from '@koa/router'
import Koa, { type Context, type Middleware, type Next } from 'koa'
import mount from 'koa-mount'
import { McpRouter } from 'mcp-router'
import { guard, mcp } from 'mcp-router/koa'
import { is } from '../is.js'

interface State {
  user: { id: string }
}

const router = new McpRouter({ name: 'types', version: '1.0.0' })
const named: Middleware = (_ctx, next) => next()

const app = new Koa()
app.use(mcp(router)).use(named)
app.use(mount('/api', mcp(router)))
app
  .use(async (ctx, next) => {
    is<string>()(ctx.method)
    is<Next>()(next)
    await next()
  })
  .use(mcp(router))

const typed = new Koa<State>()
typed.use((ctx, next) => {
  is<string>()(ctx.state.user.id)
  return next()
})
typed.use(mcp(router))
typed.use(mount('/api', mcp(router)))

const routes = new Router()
routes.all('/ai/mcp', mcp(router))
routes.all(
  '/:tenant/mcp',
  (ctx, next) => {
    is<string>()(ctx.path)
    return next()
  },
  mcp(router),
)
routes.use('/ai', mcp(router))
app.use(routes.routes())

mcp(router, {
  user: (ctx) => {
    is<Context>()(ctx)
    return ctx.state.user
  },
})

router.use(guard(named))
router.use(
  guard(async (ctx, next) => {
    is<string>()(ctx.method)
    is<Next>()(next)
    await next()
  }),
)
router.use(guard((ctx: Context & { tenant: string }, next: Next) => ctx.tenant === 'acme' && next()))
router.use(guard((ctx: Context) => ctx.throw(403), { without: 'skip' }))
// @ts-expect-error a middleware of Express
router.use(guard((_req, _res, _next) => {}))
